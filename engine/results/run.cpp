#include "engine/results/run.h"

#include <fcntl.h>
#include <simdjson.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <stdexcept>

#include "engine/base/error.h"

namespace reg::results {
namespace {

namespace json = simdjson::dom;  // not on-demand: see record.cpp

Scalar scalar_of(const json::element& value) {
  if (value.is_null()) return {};
  if (value.is_string()) return std::string(std::string_view(value));
  if (value.is_bool()) return bool(value);
  if (value.is_int64()) return std::int64_t(value);
  if (value.is_number()) return double(value);
  return simdjson::minify(value);
}

std::optional<Scalar> find(const json::object& object, const char* name) {
  json::element found;
  if (object[name].get(found) != simdjson::SUCCESS) return std::nullopt;
  return scalar_of(found);
}

json::object need(const json::object& object, const char* name) {
  json::object found;
  if (object[name].get(found) != simdjson::SUCCESS) throw std::runtime_error(std::string("it has no ") + name);
  return found;
}

Scalars scalars_of(const json::object& object) {
  Scalars scalars;
  for (const json::key_value_pair field : object) scalars.emplace_back(field.key, scalar_of(field.value));
  return scalars;
}

// False for what is no number.
bool add(const json::element& value, std::vector<double>& values) {
  double number = std::numeric_limits<double>::quiet_NaN();
  if (!value.is_null() && value.get(number) != simdjson::SUCCESS) return false;
  values.push_back(number);
  return true;
}

Metric metric_of(std::string_view name, const json::element& value) {
  Metric metric{std::string(name), {}, {}};
  json::array list;
  bool numbers = true;
  if (value.get(list) == simdjson::SUCCESS) {
    for (const json::element each : list) numbers = numbers && add(each, metric.values);
  } else {
    numbers = add(value, metric.values);
  }
  if (!numbers) {
    metric.values.clear();
    metric.problem = "is no list of numbers";
  } else if (metric.values.empty()) {
    metric.problem = "is empty";
  }
  return metric;
}

}  // namespace

struct RunReader::Parser {
  json::parser parser;

  Run parse(std::string_view line) {
    static_assert(LineReader::kPadding >= simdjson::SIMDJSON_PADDING);
    const json::object object = parser.parse(line.data(), line.size(), false).get_object();
    Run run;
    run.model = scalars_of(need(object, "model"));
    run.experiment = scalars_of(need(object, "experiment"));
    const json::object metrics = need(object, "metrics");
    run.error = find(metrics, "error");
    if (!run.error)
      for (const json::key_value_pair metric : metrics) run.metrics.push_back(metric_of(metric.key, metric.value));
    run.timestamp = find(object, "timestamp");
    run.repeat = find(object, "repeat");
    run.iterations_per_run = find(object, "iterations_per_run");
    return run;
  }
};

RunReader::RunReader(const std::string& path)
    : file_(open_file(path, O_RDONLY)), lines_(file_.get(), path, 0, UINT64_MAX), parser_(std::make_unique<Parser>()) {}

RunReader::~RunReader() = default;

bool RunReader::next(Run& run) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(" \t\r") == std::string_view::npos);
  run = {};
  try {
    run = parser_->parse(line);
  } catch (const simdjson::simdjson_error& error) {
    run.bad = error.what();
    run.truncated = lines_.cut_off();
  } catch (const std::runtime_error& error) {
    run.bad = error.what();
  }
  run.line = lines_.count();
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
