#include "engine/results/run.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/json.h"

namespace reg::results {
namespace {

using nlohmann::json;

// Numbers that stand for what JSON has no number for, while a line is read: nobody writes them.
constexpr std::string_view kNaN = "0e-909090", kInfinity = "0e-919191";

Value number_value(double number, std::string text) {
  const bool negative = text.starts_with('-');
  const std::string_view digits = std::string_view(text).substr(negative ? 1 : 0);
  if (digits == kNaN) return {Value::Kind::number, 0, std::numeric_limits<double>::quiet_NaN(), "NaN"};
  if (digits != kInfinity) return {Value::Kind::number, 0, number, std::move(text)};
  constexpr double kInf = std::numeric_limits<double>::infinity();
  return {Value::Kind::number, 0, negative ? -kInf : kInf, negative ? "-Infinity" : "Infinity"};
}

// Takes the events of nlohmann's parser, which calls itself for no nesting, and makes a Run of them.
class Builder {
 public:
  Builder(std::string_view line, Run& run) : line_(line), run_(run) {}

  // NOLINTBEGIN(readability-identifier-naming): the parser's names
  using number_integer_t = json::number_integer_t;
  using number_unsigned_t = json::number_unsigned_t;
  using number_float_t = json::number_float_t;
  using string_t = json::string_t;
  using binary_t = json::binary_t;
  // NOLINTEND(readability-identifier-naming)

  bool null() { return add({Value::Kind::null, 0, 0, "null"}); }
  bool boolean(bool yes) { return add({Value::Kind::boolean, yes ? 1 : 0, 0, yes ? "true" : "false"}); }
  bool number_integer(number_integer_t number) {
    return add({Value::Kind::integer, number, static_cast<double>(number), std::to_string(number)});
  }
  bool number_unsigned(number_unsigned_t number) {
    if (number <= INT64_MAX) return number_integer(static_cast<number_integer_t>(number));
    return add({Value::Kind::number, 0, static_cast<double>(number), std::to_string(number)});
  }
  bool number_float(number_float_t number, const string_t& text) { return add(number_value(number, text)); }
  bool string(string_t& text) { return add({Value::Kind::string, 0, 0, std::move(text)}); }
  static bool binary(binary_t&) { return false; }
  bool start_object(std::size_t) { return start(true); }
  bool start_array(std::size_t) { return start(false); }
  bool end_object() { return end(); }
  bool end_array() { return end(); }
  bool key(string_t& name);
  bool parse_error(std::size_t, const std::string&, const json::exception& error);

  void finish();

 private:
  enum class Section { none, model, experiment, metrics };

  bool start(bool object);
  bool end();
  bool add(Value value);
  bool add_metric(Value value);
  void add_field(Value value);
  std::string nested_text() const;

  std::string_view line_;
  Run& run_;
  int opened_ = 0;       // brackets
  int depth_ = 0;        // of what is open
  int nested_from_ = 0;  // the depth of the value that is kept as text; 0: none
  std::string nested_;
  bool is_object_ = true;
  Section section_ = Section::none;
  std::array<bool, 4> seen_{};  // sections
  std::string name_;            // of the value that comes next
  bool in_list_ = false;        // of a metric
};

// The text of the value whose bracket was opened last.
std::string Builder::nested_text() const {
  int left = opened_, depth = 0;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < line_.size(); ++at) {
    const char c = line_[at];
    if (c == '"') at = string_end(line_, at) - 1;
    if (c == '{' || c == '[') {
      if (--left == 0) begin = at;
      if (left <= 0) ++depth;
    }
    if ((c == '}' || c == ']') && left <= 0 && --depth == 0) return without_blanks(line_.substr(begin, at + 1 - begin));
  }
  return {};
}

bool Builder::key(string_t& name) {
  if (nested_from_ == 0) name_ = std::move(name);
  return true;
}

bool Builder::start(bool object) {
  ++opened_;
  if (++depth_ > kDeepestJson) {
    run_.bad = "nested too deep";
    return false;
  }
  if (nested_from_ > 0) return true;
  constexpr std::array<std::string_view, 4> kNames{"", "model", "experiment", "metrics"};
  const auto named = std::find(kNames.begin() + 1, kNames.end(), name_);
  const auto section = static_cast<std::size_t>(named - kNames.begin());
  if (depth_ == 1) {
    is_object_ = object;
    if (!object) nested_from_ = 1;
  } else if (depth_ == 2 && object && named != kNames.end() && !std::exchange(seen_[section], true)) {
    section_ = static_cast<Section>(section);
  } else if (depth_ == 3 && section_ == Section::metrics && !object && name_ != "error") {
    in_list_ = true;
    run_.metrics.push_back({name_, true, true, {}});
  } else {
    nested_from_ = depth_;
    nested_ = nested_text();
  }
  return true;
}

bool Builder::end() {
  const int depth = depth_--;
  if (nested_from_ > 0) {
    if (depth > nested_from_) return true;
    nested_from_ = 0;
    return depth == 1 || add({Value::Kind::nested, 0, 0, std::move(nested_)});
  }
  if (in_list_)
    in_list_ = false;
  else
    section_ = Section::none;
  return true;
}

bool Builder::add(Value value) {
  if (nested_from_ > 0) return true;
  switch (section_) {
    case Section::none:
      add_field(std::move(value));
      return true;
    case Section::model:
      run_.model.emplace_back(name_, std::move(value));
      return true;
    case Section::experiment:
      run_.experiment.emplace_back(name_, std::move(value));
      return true;
    case Section::metrics:
      return add_metric(std::move(value));
  }
  return true;
}

bool Builder::add_metric(Value value) {
  if (name_ == "error" && !in_list_) {
    if (!run_.error) run_.error = std::move(value);
    return true;
  }
  if (!in_list_) run_.metrics.push_back({name_, false, true, {}});
  Metric& metric = run_.metrics.back();
  if (value.kind == Value::Kind::integer || value.kind == Value::Kind::number)
    metric.elements.emplace_back(value.number);
  else if (value.kind == Value::Kind::null)
    metric.elements.emplace_back();
  else
    metric.only_numbers = false;
  return true;
}

void Builder::add_field(Value value) {
  if (depth_ == 0) {
    is_object_ = false;
    return;
  }
  for (const auto& [name, field] : {std::pair{"timestamp", &run_.timestamp},
                                    {"repeat", &run_.repeat},
                                    {"iterations_per_run", &run_.iterations_per_run}}) {
    if (name_ != name) continue;
    if (!*field) *field = std::move(value);
    return;
  }
  if (name_ != "model" && name_ != "experiment" && name_ != "metrics") run_.more.emplace_back(name_, std::move(value));
}

// "[json.exception.parse_error.101] parse error at line 1, column 14: syntax error while ...; last read: ..."
bool Builder::parse_error(std::size_t, const std::string&, const json::exception& error) {
  const std::string_view words = error.what();
  const std::size_t column = std::min(words.find("column "), words.size());
  const std::size_t end = std::min(words.find("; last read", column), words.size());
  run_.bad = column < end ? words.substr(column, end - column) : words.substr(std::min(words.find("] ") + 2, end));
  return false;
}

void Builder::finish() {
  const auto seen = [this](Section section) { return seen_[static_cast<std::size_t>(section)]; };
  if (!is_object_)
    run_.bad = "not a JSON object";
  else if (!seen(Section::model))
    run_.bad = "it has no model";
  else if (!seen(Section::experiment))
    run_.bad = "it has no experiment";
  else if (!seen(Section::metrics))
    run_.bad = "it has no metrics";
}

// Whether it is JSON; then the run says whether it is a result. `standard` is the line as the parser reads it.
bool parsed(std::string_view line, std::string_view standard, Run& run) {
  run = {};
  Builder builder(line, run);
  if (!json::sax_parse(standard.begin(), standard.end(), &builder)) return false;
  builder.finish();
  return true;
}

// Whether the four digits behind "\u" are those of a half of a surrogate pair, the `first` one or the second.
bool is_half(std::string_view escape, bool first) {
  if (escape.size() < 6 || !escape.starts_with("\\u")) return false;
  unsigned code = 0;
  std::from_chars(escape.data() + 2, escape.data() + 6, code, 16);
  return code >> 10 == (first ? 0xD800U : 0xDC00U) >> 10;
}

// The end of the string that begins at `at`; appends it to `out`.
std::size_t append_string(std::string_view line, std::size_t at, std::string& out) {
  out += line[at++];
  while (at < line.size() && line[at] != '"') {
    std::size_t size = line[at] == '\\' ? 2 : 1;
    const std::string_view rest = line.substr(at);
    if (is_half(rest, true) && is_half(rest.substr(6), false)) {
      size = 12;
    } else if (is_half(rest, true) || is_half(rest, false)) {
      out += "\\ufffd";
      at += 6;
      continue;
    }
    out += rest.substr(0, size);
    at += size;
  }
  if (at < line.size()) out += line[at++];
  return at;
}

bool is_out_of_range(std::string_view number) {
  if (number.find_first_not_of("0123456789+-.eE") != std::string_view::npos) return false;
  return std::isinf(std::strtod(std::string(number).c_str(), nullptr));
}

}  // namespace

std::vector<double> Metric::values() const {
  std::vector<double> values;
  if (!only_numbers) return values;
  for (const auto& element : elements) values.push_back(element.value_or(std::numeric_limits<double>::quiet_NaN()));
  return values;
}

std::string Metric::problem() const {
  if (!only_numbers) return "is not a list of numbers";
  return elements.empty() ? "is empty" : "";
}

std::optional<double> Run::seconds() const {
  if (!timestamp || timestamp->kind == Value::Kind::nested) return std::nullopt;
  if (timestamp->kind == Value::Kind::integer) return timestamp->number;
  double value = 0;
  const char* const end = timestamp->text.data() + timestamp->text.size();
  const auto read = std::from_chars(timestamp->text.data(), end, value);
  if (read.ec != std::errc{} || read.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string standard_json(std::string_view line, std::string_view nan, std::string_view infinity) {
  constexpr std::string_view kToken = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.";
  std::string out;
  for (std::size_t at = 0; at < line.size();) {
    if (line[at] == '"') {
      at = append_string(line, at, out);
      continue;
    }
    const std::size_t end = std::min(line.find_first_not_of(kToken, at), line.size());
    const std::string_view token = line.substr(at, end - at);
    if (token == "NaN")
      out += nan;
    else if (token == "Infinity" || token == "-Infinity" || is_out_of_range(token))
      out.append(token.starts_with('-') ? "-" : "").append(infinity);
    else
      out += token;
    at = end;
    if (at < line.size() && line[at] != '"') out += line[at++];
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

Run run_of(std::string_view line) {
  Run run;
  if (const std::size_t nul = line.find('\0'); nul != std::string_view::npos) {
    run.bad = "column " + std::to_string(nul + 1) + ": a NUL byte";  // the parser would stop there
    run.truncated = true;
  } else if (!parsed(line, line, run)) {
    const std::string standard = standard_json(line, kNaN, kInfinity);
    run.truncated = standard == line || !parsed(line, standard, run);
    run.standard = false;
  }
  return run;
}

bool is_blank(std::string_view line) { return line.find_first_not_of(" \t\r") == std::string_view::npos; }

bool next_run(Lines& lines, Run& run) {
  std::string_view line;
  do {
    if (!lines.next(line)) return false;
  } while (is_blank(line));
  run = run_of(line);
  run.truncated = run.truncated && lines.cut_off();
  run.line = lines.number();
  return true;
}

std::vector<std::string> result_files(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path))
    if (entry.path().extension() == ".jsonl" && entry.path().filename() != "metric_report.jsonl")
      files.push_back(entry.path().string());
  if (files.empty())
    throw Error(ErrorKind::not_found, "no results in " + path, "a folder of results holds files that end in .jsonl");
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace reg::results
