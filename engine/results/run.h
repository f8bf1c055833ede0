#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "engine/base/file.h"
#include "engine/results/lines.h"

namespace reg::results {

/// A JSON value with its type; nothing is null. Of what is nested only its JSON text is kept.
using Scalar = std::variant<std::monostate, bool, std::int64_t, double, std::string>;
using Scalars = std::vector<std::pair<std::string, Scalar>>;

struct Metric {
  std::string name;
  std::vector<double> values;  ///< a null is NaN; a lone number is a list of one
  std::string problem;         ///< why there are no values, where they are no list of numbers
};

/// All that a line of a results.jsonl says, in its order; a Record (record.h) is the part that speedups need.
struct Run {
  std::size_t line = 0;
  std::string bad;         ///< why it is no result; then nothing below is set but truncated
  bool truncated = false;  ///< its writer was stopped in it
  Scalars model, experiment;
  std::vector<Metric> metrics;
  std::optional<Scalar> error;  ///< metrics.error: the run failed
  std::optional<Scalar> timestamp, repeat, iterations_per_run;
};

/// Reads a results.jsonl from its first line to its last, a line at a time.
class RunReader {
 public:
  explicit RunReader(const std::string& path);  ///< throws Error(not_found, permission or io)
  RunReader(const RunReader&) = delete;
  RunReader& operator=(const RunReader&) = delete;
  ~RunReader();

  /// The next line that is not empty; false after the last one. Throws Error(io).
  bool next(Run& run);

 private:
  struct Parser;
  Fd file_;
  LineReader lines_;
  std::unique_ptr<Parser> parser_;
};

/// A file of results itself; of a folder its *.jsonl, sorted, but for the report that the analyzer leaves there. Throws
/// Error(not_found) where there is none.
std::vector<std::string> result_files(const std::string& path);

}  // namespace reg::results
