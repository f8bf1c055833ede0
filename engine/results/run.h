#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/results/lines.h"

// A line of a results.jsonl, in the format of pytorch/xla's benchmarks: a workload (`model`) that ran in a
// configuration
// (`experiment`), its metrics' numbers and whatever else the line says. It is JSON as Python writes it, with NaN and
// Infinity.

namespace reg::results {

/// A JSON value. Of an array or an object, only its JSON text is kept.
struct Value {
  enum class Kind { null, boolean, integer, number, string, nested };
  Kind kind = Kind::null;
  std::int64_t integer = 0;  ///< of a boolean 0 or 1
  double number = 0;
  std::string text;  ///< of a string its characters; of all else the JSON text, without blanks between tokens
};
using Fields = std::vector<std::pair<std::string, Value>>;

struct Metric {
  std::string name;
  bool is_list = true;
  bool only_numbers = true;                     ///< and nulls
  std::vector<std::optional<double>> elements;  ///< the numbers and nulls; a lone number is the only element

  std::vector<double> values() const;  ///< a null is NaN
  std::string problem() const;         ///< why it has no values; "" if it has
};

struct Run {
  std::size_t line = 0;    ///< its number in the file, or the run's in a store
  std::string bad;         ///< why it is not a result; then nothing below is set but truncated
  bool truncated = false;  ///< its writer was stopped in it
  bool standard = true;    ///< whether the line is JSON that other readers take, without NaN and the like
  Fields model, experiment;
  std::vector<Metric> metrics;
  std::optional<Value> error;  ///< metrics.error: the run failed
  std::optional<Value> timestamp, repeat, iterations_per_run;
  Fields more;  ///< all other fields

  /// The timestamp as a number. Some writers put it into a string.
  std::optional<double> seconds() const;
};

/// What a line says. Never throws.
Run run_of(std::string_view line);

/// The line in standard JSON, which has no NaN: it becomes `nan`, and what is beyond the range of a double becomes
/// `infinity` with its sign. Half of a surrogate pair becomes U+FFFD.
std::string standard_json(std::string_view line, std::string_view nan, std::string_view infinity);

/// The end of the string that begins, with its quote, at `at`.
std::size_t string_end(std::string_view json, std::size_t at);

/// Whether there is nothing in the line.
bool is_blank(std::string_view line);

/// The line without the blanks between its tokens.
std::string without_blanks(std::string_view json);

/// The next line that is not blank; false after the last one. Throws Error(io).
bool next_run(Lines& lines, Run& run);

/// A file of results itself; of a folder its *.jsonl, sorted, but for the report that the analyzer leaves there. Throws
/// Error(not_found) where there is none.
std::vector<std::string> result_files(const std::string& path);

}  // namespace reg::results
