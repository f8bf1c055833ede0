#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

// A line of a results.jsonl, in the format of pytorch/xla's benchmarks: a workload (`model`) that ran in a
// configuration (`experiment`), its metrics' numbers and whatever else the line says. It is JSON as Python writes it,
// with NaN and Infinity. And the regular expressions that choose among them.

namespace reg::results {

using Json = nlohmann::ordered_json;

/// A line of results.
struct Line {
  std::string_view text;   ///< without its end, valid until the next one
  std::size_t number = 0;  ///< in the file, or the run's in a store
  bool cut_off = false;    ///< whether it has no newline: its writer was stopped in it
};

/// Reads the next line, wherever they are; false after the last one. Throws Error(io).
using Lines = std::function<bool(Line& line)>;

/// The lines of a file. Throws Error(not_found, permission) if it cannot be opened.
Lines file_lines(const std::string& path);

struct Run {
  std::string_view text;   ///< the line itself: what run_of was given, not a copy
  std::size_t line = 0;    ///< its number
  std::string bad;         ///< why it is not a result; then nothing below is set but truncated
  bool truncated = false;  ///< its writer was stopped in it
  bool standard = true;    ///< whether the line is JSON that other readers take, without NaN and the like
  Json record;             ///< with the objects model, experiment and metrics; NaN and Infinity are strings

  /// The timestamp as a number. Some writers put it into a string.
  std::optional<double> seconds() const;
};

/// A line that is not a result, and why. The last one is `truncated` where the writer was killed in it.
struct Complaint {
  std::string file;
  std::size_t line = 0;
  std::string message;
  bool truncated = false;
};

/// What a line says. Never throws.
Run run_of(std::string_view line);

/// The next line that is not blank; false after the last one. Throws Error(io).
bool next_run(const Lines& lines, Run& run);

/// What stands for NaN and the infinities in JSON, which has none.
struct NotFinite {
  std::string_view nan, plus, minus;
};

/// The line in standard JSON. A number beyond the range of a double is infinite.
std::string standard_json(std::string_view line, const NotFinite& words);

/// The end of the string that begins, with its quote, at `at`.
std::size_t string_end(std::string_view json, std::size_t at);

/// The line without the blanks between its tokens.
std::string without_blanks(std::string_view json);

/// The values of a metric, a list or a lone number: a null is NaN. Nothing if it has anything but numbers.
std::optional<std::vector<double>> values_of(const Json& metric);

/// A finite number as Python prints it: the shortest text that reads as the same one, with ".0" if it is whole: 1.0,
/// 1e-05.
std::string python_number(double value);

/// Whether the regular expression (PCRE, nearly the syntax of Python's `re`) matches anywhere in the text, ignoring
/// case. Throws Error(usage) for an invalid expression, with the position of the error, and for one that takes more
/// than a million steps on this text.
bool regex_found(const std::string& expression, std::string_view text);

}  // namespace reg::results
