#include "engine/results/speedups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/results/regex.h"

namespace reg::results {
namespace {

// What pytorch/xla's benchmarks write of every experiment; all else is an axis of a suite.
constexpr std::array<std::string_view, 11> kNotAxes = {
    "accelerator", "accelerator_model",       "xla",  "xla_flags",  "dynamo",
    "torch_xla2",  "keep_model_data_on_cuda", "test", "batch_size", "enable_functionalization",
    "outputs_file"};

constexpr std::size_t kWarmUp = 3;  // the first compiles, the other two fill caches

// The time that a run took; nothing where too few numbers are left, or none that others can be held against.
std::optional<Datapoint> time_of(const std::vector<double>& values, bool compile) {
  const std::size_t skipped = compile ? 1 : kWarmUp;
  if (values.size() <= skipped) return std::nullopt;
  const auto begin = values.begin() + static_cast<std::ptrdiff_t>(skipped);
  const auto count = static_cast<double>(values.end() - begin);
  Datapoint time{std::accumulate(begin, values.end(), 0.0) / count, 0};
  if (compile) {
    time.average = values.front() - time.average;
  } else if (count > 1) {
    double squares = 0;
    for (auto x = begin; x != values.end(); ++x) squares += (*x - time.average) * (*x - time.average);
    time.deviation = std::sqrt(squares / (count - 1));
  }
  if (!(time.average > 0)) return std::nullopt;  // no ratio of it is one
  return time;
}

Datapoint speedup(const Datapoint& time, const Datapoint& base) {
  const double ratio = base.average / time.average;
  return {ratio, std::hypot(time.deviation / time.average, base.deviation / base.average) * ratio};
}

Datapoint geometric_mean(const std::vector<Datapoint>& all) {
  double logs = 0;
  double squares = 0;
  for (const Datapoint& one : all) {
    logs += std::log(one.average);
    squares += std::pow(one.deviation / one.average, 2);
  }
  const auto count = static_cast<double>(all.size());
  const double value = std::exp(logs / count);
  return {value, value / count * std::sqrt(squares)};
}

// By linear interpolation between the two nearest.
double percentile(const std::vector<double>& sorted, double percent) {
  const double at = percent / 100 * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  const double share = at - static_cast<double>(below);
  const double step = sorted[above] - sorted[below];
  return share < 0.5 ? sorted[below] + step * share : sorted[above] - step * (1 - share);
}

std::optional<std::string> text_at(const Json& fields, const std::string& name) {
  const auto found = fields.find(name);
  return found == fields.end() ? std::nullopt : text_of(*found);
}

bool fits(const Json& experiment, const Wanted& wanted) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& one) { return text_at(experiment, one.first) == one.second; });
}

// " threads=4 level=best": the axes of a suite that tell no backends apart.
std::string axes_of(const Json& experiment, const std::vector<Backend>& backends) {
  std::string axes;
  for (const auto& [name, value] : experiment.items()) {
    const bool of_backends = std::any_of(backends.begin(), backends.end(),
                                         [&, &field = name](const Backend& one) { return one.where.contains(field); });
    if (of_backends || value.is_structured() || std::ranges::find(kNotAxes, name) != kNotAxes.end()) continue;
    axes.append(" ").append(name).append("=").append(text_of(value).value_or("null"));
  }
  return axes;
}

// The numbers of a metric's list.
std::vector<double> numbers_of(const Json& metrics, const std::string& name) {
  std::vector<double> numbers;
  const auto metric = metrics.find(name);
  if (metric == metrics.end() || !metric->is_array()) return numbers;
  for (const Json& element : *metric)
    if (const auto number = number_of(element)) numbers.push_back(*number);
  return numbers;
}

}  // namespace

std::optional<std::string> text_of(const Json& value) {
  if (value.is_null() || value.is_structured()) return std::nullopt;
  return value.is_string() ? value.get<std::string>() : value.dump();
}

bool Aggregate::is_found(const std::string& expression, const std::string& text) {
  const auto [entry, is_new] = found_.try_emplace({expression, text}, true);
  if (is_new) entry->second = regex_found(expression, text);
  return entry->second;
}

void Aggregate::add(const Run& run) {
  const Json& experiment = run.record["experiment"];
  const auto seconds = run.seconds();
  const auto time = time_of(numbers_of(run.record["metrics"], query_.metric), query_.compile);
  const auto model = text_at(run.record["model"], "model_name");
  if (!seconds || !time || !model) return;
  if (!query_.filter.empty() && !is_found(query_.filter, *model)) return;
  if (!query_.exclude.empty() && is_found(query_.exclude, *model)) return;
  if (!query_.accelerator.empty() &&
      !is_found(query_.accelerator, text_at(experiment, "accelerator_model").value_or("")))
    return;
  if (!fits(experiment, query_.where)) return;
  const auto backend = std::find_if(query_.backends.begin(), query_.backends.end(),
                                    [&](const Backend& one) { return fits(experiment, one.where); });
  if (backend == query_.backends.end()) return;
  std::vector<Times>& moment = moments_[*seconds];
  moment.resize(query_.backends.size());
  Times& times = moment[static_cast<std::size_t>(backend - query_.backends.begin())];
  times[{query_.axes ? *model + axes_of(experiment, query_.backends) : *model,
         text_at(experiment, "batch_size").value_or("")}] = *time;
}

Aggregate::Times Aggregate::baseline() const {
  Times base;
  if (!query_.latest) {
    for (const auto& [timestamp, backends] : moments_) base.insert(backends.front().begin(), backends.front().end());
    return base;
  }
  if (!moments_.empty()) base = moments_.rbegin()->second.front();
  if (base.empty() && !moments_.empty())
    throw Error(ErrorKind::not_found, "the latest results hold none of the baseline, " + query_.backends.front().name,
                "take the oldest as the baseline, or another backend");
  return base;
}

Summary Aggregate::summary(const Times& times, const Times& base) const {
  Summary summary;
  std::vector<Datapoint> means, ratios;
  std::vector<double> sorted;
  for (auto at = times.begin(); at != times.end();) {
    const std::string& model = at->first.first;
    ratios.clear();
    for (; at != times.end() && at->first.first == model; ++at)
      if (const auto found = base.find(at->first); found != base.end())
        ratios.push_back(speedup(at->second, found->second));
    if (ratios.empty()) continue;
    means.push_back(geometric_mean(ratios));
    sorted.push_back(means.back().average);
    summary.speedups.push_back({model, means.back()});
  }
  if (means.empty()) return summary;
  summary.geomean = geometric_mean(means);
  std::sort(sorted.begin(), sorted.end());
  summary.p5 = percentile(sorted, 5);
  summary.p50 = percentile(sorted, 50);
  summary.p95 = percentile(sorted, 95);
  return summary;
}

std::vector<Moment> Aggregate::moments() const {
  const Times base = baseline();
  std::vector<Moment> moments;
  for (const auto& [timestamp, backends] : moments_) {
    moments.push_back({timestamp, {}});
    for (const Times& times : backends) moments.back().backends.push_back(summary(times, base));
  }
  return moments;
}

}  // namespace reg::results
