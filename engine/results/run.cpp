#include "engine/results/run.h"

#include <fcntl.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>

#include "engine/base/error.h"

namespace reg::results {
namespace {

// Nothing where it is no number; a null is NaN.
std::optional<double> value_of(std::string_view text, std::size_t number, const Pieces& pieces) {
  if (text == "null") return std::numeric_limits<double>::quiet_NaN();
  if (text == "I" || text == "F") return number_of(pieces.numbers.at(number));
  return std::nullopt;
}

Metric metric_of(const Shape::Part& part, const Pieces& pieces) {
  Metric metric{part.name, {}, {}};
  bool numbers = true;
  const auto add = [&](std::string_view text, std::size_t number) {
    const auto value = value_of(text, number, pieces);
    numbers = numbers && value;
    if (numbers) metric.values.push_back(*value);
  };
  if (part.text.front() == '[')
    for (const Shape::Part& element : Shape::elements(part)) add(element.text, element.number);
  else
    add(part.text, part.number);
  if (!numbers) {
    metric.values.clear();
    metric.problem = "is not a list of numbers";
  } else if (metric.values.empty()) {
    metric.problem = "is empty";
  }
  return metric;
}

std::optional<Scalar> scalar_of(const Shape::Part* part, const Pieces& pieces) {
  if (part == nullptr) return std::nullopt;
  return results::scalar_of(filled(part->text, part->number, part->word, pieces));
}

}  // namespace

Run run_of(const Shape& shape, const Pieces& pieces) {
  Run run;
  run.model = scalars_of(pieces.model);
  run.experiment = scalars_of(pieces.experiment);
  run.error = scalar_of(shape.metric("error"), pieces);
  if (!run.error)
    for (const Shape::Part& metric : shape.metrics()) run.metrics.push_back(metric_of(metric, pieces));
  run.timestamp = scalar_of(shape.field("timestamp"), pieces);
  run.repeat = scalar_of(shape.field("repeat"), pieces);
  run.iterations_per_run = scalar_of(shape.field("iterations_per_run"), pieces);
  constexpr std::array kNamed{"model", "experiment", "metrics", "timestamp", "repeat", "iterations_per_run"};
  for (const Shape::Part& field : shape.fields())
    if (std::find(kNamed.begin(), kNamed.end(), field.name) == kNamed.end())
      if (const auto value = scalar_of(&field, pieces)) run.more.emplace_back(field.name, *value);
  return run;
}

RunReader::RunReader(const std::string& path)
    : file_(open_file(path, O_RDONLY)), lines_(file_.get(), path, 0, UINT64_MAX), splitter_(texts_) {}

bool RunReader::next(Run& run) {
  std::string_view line;
  do {
    if (!lines_.next(line)) return false;
  } while (line.find_first_not_of(" \t\r") == std::string_view::npos);
  run = {};
  try {
    const Record& record = splitter_.split(line);
    run = run_of(Shape(texts_[record.shape]),
                 {texts_[record.model], texts_[record.experiment], record.numbers, words_in(record.words)});
  } catch (const NoRecord& why) {
    run.bad = why.what();
    run.truncated = lines_.cut_off() && !why.json;
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
