#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace reg::terminal {

/// The sequences that begin bold text in a color, and the one that ends it.
inline constexpr std::string_view kRed = "\x1b[1;31m", kGreen = "\x1b[1;32m", kYellow = "\x1b[1;33m";
inline constexpr std::string_view kPlain = "\x1b[0m";

/// The terminal of this process: text scrolls up, and one status line on stderr stays below it. Without a terminal on
/// stderr the status line is left out. Once stderr takes nothing more, its reader is gone and what is meant for it is
/// dropped: work goes on. A stdout that fails throws. Not thread-safe.
class Console {
 public:
  Console(int out, int err);
  ~Console() { hide(); }
  Console(const Console&) = delete;
  Console& operator=(const Console&) = delete;

  bool has_status_line() const { return err_has_status_line_; }
  bool out_is_terminal() const { return out_is_terminal_; }
  bool utf8() const { return utf8_; }
  bool colored() const { return colored_; }  ///< stdout is a terminal that obeys escapes, and NO_COLOR is not set
  std::size_t width() const;                 ///< columns; 80 if unknown

  void show(std::string line);  ///< the status line, if there is one
  void hide();

  /// Writes whole lines to stdout or stderr, above the status line. Escapes control characters, except for a stdout
  /// that is not a terminal.
  void write_out(std::string_view text);
  /// The same with `head` in bold and this color, on a terminal unless NO_COLOR is set.
  void write_out(std::string_view head, std::string_view color, std::string_view rest);
  /// Breaks lines at the terminal's width, too.
  void write_err(std::string_view text);

  /// Nobody reads stdout any more, as behind `| head`.
  bool lost_reader() const { return lost_reader_; }

 private:
  void write_to_out(const std::string& text);
  void write_to_err(const std::string& bytes);

  int out_, err_;
  bool out_is_terminal_, err_has_status_line_, utf8_, colored_;
  bool err_failed_ = false, lost_reader_ = false;
  std::string status_;
};

Console& console();  ///< of this process, on stdout and stderr

/// The progress of some work, formatted as a status line or as log lines. `seconds`: since the start.
struct Progress {
  std::string title;
  std::int64_t done = 0;
  std::int64_t total = 0;        ///< 0: unknown
  std::string unit;              ///< "run": `total` is an estimate, shown as "run 12 of about 20"; empty: it is exact
  std::int64_t running = 1;      ///< how many run now, where `total` is an estimate
  std::int64_t done_before = 0;  ///< done at the start (a resumed run): not used for the pace
  double paced_at = 0;           ///< seconds at which `done` was reached: a wait since then does not slow the pace
  std::string subject;
  std::string doing;           ///< what happens to the subject: "building"
  double doing_since = 0;      ///< seconds at which that began
  std::string note;            ///< the last result: "mlups 587.9", "build failed"
  std::string best;            ///< the best answer so far
  std::optional<double> left;  ///< seconds left at `left_at`, those of what runs now included; absent: by the pace
  double left_now = 0;         ///< of these what runs now takes: a longer run does not use up the others' time
  double left_at = 0;

  /// Seconds left, at least 1 while something is left; absent before anything tells.
  std::optional<double> eta(double seconds) const;

  /// "nights ━━━━╌╌╌╌╌╌ run 12 of about 20  testing 2023-08-25 for 40 s  -12 % in 3 nights  2 min, about 3 min left",
  /// on one line of at most `width` columns: where there is less room the least important parts are left out.
  std::string bar(double seconds, std::size_t width, bool utf8) const;

  /// "run 12 of about 20: 2023-08-24 mlups 587.9 (about 3 min left)", without a line break.
  std::string log_line(double seconds) const;
};

/// The text on one line, with control characters escaped, truncated to `width` columns (0 = unlimited) with an
/// ellipsis.
std::string fit(std::string_view text, std::size_t width, bool utf8 = true);

/// Breaks lines that are wider than `width` columns at blanks, and continues them below their last column. A command
/// behind ": regengine" stays whole, so that it can be copied; the rule of a table is cut. 0: no limit.
std::string wrapped(std::string_view text, std::size_t width);

}  // namespace reg::terminal
