#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace reg::terminal {

/// The progress of some work, formatted as a bar or as log lines. It knows no terminal and no clock: the caller passes
/// the seconds since the start.
struct Progress {
  std::string title;
  std::int64_t done = 0;
  std::int64_t total = 0;        ///< 0: unknown
  std::int64_t done_before = 0;  ///< done at the start (a resumed run): not used for the estimate
  double paced_at = 0;           ///< seconds at which `done` was reached: a wait since then does not slow the pace
  std::string subject;
  std::string metric;           ///< name of the value
  std::optional<double> value;  ///< the last one
  std::string note;             ///< shown instead of a value: "build failed"

  /// Seconds left at the current pace; absent before anything is done.
  std::optional<double> eta(double seconds) const;

  /// "nights ━━━━━━━╌╌╌╌ 12/30  2023-08-25  last: mlups 587.9  3 min left", on one line of at most `width` columns.
  std::string bar(double seconds, std::size_t width, bool utf8) const;

  /// "12/30 2023-08-24 mlups 587.9 (3 min left)", without a line break.
  std::string log_line(double seconds) const;

 private:
  std::string count() const;
  std::string result() const;
};

}  // namespace reg::terminal
