#include "engine/results/run.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <memory>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

namespace reg::results {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Why a JSON value is not a result; "" if it is one.
std::string defect_of(const Json& record) {
  if (!record.is_object()) return "not a JSON object";
  for (const char* section : {"model", "experiment", "metrics"}) {
    const auto found = record.find(section);
    if (found == record.end() || !found->is_object()) return std::string("it has no ") + section;
  }
  return {};
}

// "[json.exception.parse_error.101] parse error at line 1, column 14: syntax error while ...; last read: ..."
std::string reason_of(const Json::exception& error) {
  const std::string_view words = error.what();
  const std::size_t column = std::min(words.find("column "), words.size());
  const std::size_t end = std::min(words.find("; last read", column), words.size());
  return std::string(column < end ? words.substr(column, end - column)
                                  : words.substr(std::min(words.find("] ") + 2, end)));
}

// Whether it is JSON; then the run says whether it is a result.
bool parsed(std::string_view json, Run& run) {
  try {
    run.record = Json::parse(json);
    run.bad = defect_of(run.record);
    return true;
  } catch (const Json::exception& error) {
    run.bad = reason_of(error);
    return false;
  }
}

bool is_out_of_range(std::string_view number) {
  if (number.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
  return std::isinf(std::strtod(std::string(number).c_str(), nullptr));
}

// A number of a record, which may be NaN or infinite; nothing for any other value.
std::optional<double> number_of(const Json& value) {
  if (value.is_number()) return value.get<double>();
  if (value == "NaN") return kNaN;
  if (value == "Infinity") return HUGE_VAL;
  if (value == "-Infinity") return -HUGE_VAL;
  return std::nullopt;
}

constexpr std::uint32_t kMaxSteps = 1'000'000;
constexpr std::uint32_t kMaxDepth = 100'000;
constexpr std::uint32_t kMaxHeap = 64 << 10;  // KiB
constexpr std::size_t kLongest = 100'000;     // bytes of an expression

template <class T, void (*release)(T*)>
using Owned = std::unique_ptr<T, std::integral_constant<decltype(release), release>>;

std::string error_text(int error) {
  std::array<PCRE2_UCHAR, 256> text{};
  pcre2_get_error_message(error, text.data(), text.size());
  return reinterpret_cast<const char*>(text.data());
}

PCRE2_SPTR bytes(std::string_view text) { return reinterpret_cast<PCRE2_SPTR>(text.data()); }

}  // namespace

Lines file_lines(const std::string& path) {
  const auto file = std::make_shared<std::ifstream>(path);
  if (!*file) open_file(path, O_RDONLY);  // says why not
  return [path, file, text = std::string(), count = std::size_t{0}](Line& line) mutable {
    if (!std::getline(*file, text)) {
      if (file->bad()) throw system_error(path, errno);
      return false;
    }
    line = {text, ++count, file->eof()};
    return true;
  };
}

std::optional<double> Run::seconds() const {
  const auto timestamp = record.find("timestamp");
  std::optional<double> value;
  if (timestamp == record.end()) return value;
  if (timestamp->is_string()) value = whole_number<double>(timestamp->get_ref<const std::string&>());
  if (timestamp->is_number()) value = timestamp->get<double>();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

Run run_of(std::string_view line) {
  Run run;
  run.text = line;
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    run.bad = "column " + std::to_string(nul + 1) + ": a NUL byte";  // the parser would stop there
    run.truncated = true;
  } else if (nests_too_deep(line)) {
    run.bad = "nested too deep";
  } else if (!parsed(line, run)) {
    const std::string standard = standard_json(line, {R"("NaN")", R"("Infinity")", R"("-Infinity")"});
    run.truncated = standard == line || !parsed(standard, run);
    run.standard = false;
  }
  return run;
}

bool next_run(const Lines& lines, Run& run) {
  Line line;
  do {
    if (!lines(line)) return false;
  } while (line.text.find_first_not_of(" \t\r") == std::string_view::npos);
  run = run_of(line.text);
  run.truncated = run.truncated && line.cut_off;
  run.line = line.number;
  return true;
}

std::string standard_json(std::string_view line, const NotFinite& words) {
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t word_end = std::min(line.find_first_of("\"{}[]:, \t\r\n", at), line.size());
    const std::size_t end = line[at] == '"' ? string_end(line, at) : std::max(word_end, at + 1);
    const std::string_view token = line.substr(at, end - at);
    at = end;
    if (token == "NaN")
      out += words.nan;
    else if (token == "Infinity" || token == "-Infinity" || is_out_of_range(token))
      out += token.starts_with('-') ? words.minus : words.plus;
    else
      out += token;
  }
  return out;
}

std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

std::string without_blanks(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (std::size_t at = 0; at < json.size();) {
    const char c = json[at];
    const std::size_t end = c == '"' ? string_end(json, at) : at + 1;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') text += json.substr(at, end - at);
    at = end;
  }
  return text;
}

std::optional<std::vector<double>> values_of(const Json& metric) {
  std::vector<double> values;
  for (std::size_t i = 0; i < (metric.is_array() ? metric.size() : 1); ++i) {
    const Json& element = metric.is_array() ? metric[i] : metric;
    const auto number = element.is_null() ? kNaN : number_of(element);
    if (!number) return std::nullopt;
    values.push_back(*number);
  }
  return values;
}

std::string python_number(double value) {
  std::string text = fmt::to_string(value);  // also writes powers below 1e-4 and from 1e16 on
  if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool regex_found(const std::string& expression, std::string_view text) {
  if (expression.size() > kLongest)
    throw Error(ErrorKind::usage, fmt::format("a regular expression of {} bytes", expression.size()),
                fmt::format("Use at most {}.", kLongest));
  int error = 0;
  PCRE2_SIZE at = 0;
  const Owned<pcre2_code, pcre2_code_free> code(
      pcre2_compile(bytes(expression), expression.size(), PCRE2_CASELESS, &error, &at, nullptr));
  if (!code)
    throw Error(ErrorKind::usage,
                fmt::format("not a valid regular expression: '{}': {} at byte {}", expression, error_text(error), at));
  const Owned<pcre2_match_data, pcre2_match_data_free> data(pcre2_match_data_create_from_pattern(code.get(), nullptr));
  const Owned<pcre2_match_context, pcre2_match_context_free> context(pcre2_match_context_create(nullptr));
  pcre2_set_match_limit(context.get(), kMaxSteps);
  pcre2_set_depth_limit(context.get(), kMaxDepth);
  pcre2_set_heap_limit(context.get(), kMaxHeap);
  const int found = pcre2_match(code.get(), bytes(text), text.size(), 0, 0, data.get(), context.get());
  if (found >= 0) return true;
  if (found == PCRE2_ERROR_NOMATCH) return false;
  throw Error(ErrorKind::usage, fmt::format("cannot match the regular expression '{}' with a string of {} bytes: {}",
                                            expression, text.size(), error_text(found)));
}

}  // namespace reg::results
