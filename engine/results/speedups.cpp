#include "engine/results/speedups.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/base/regex.h"

namespace reg::results {
namespace {

constexpr std::size_t kWarmUp = 3;  // the first compiles, the other two fill caches

double mean(const double* begin, const double* end) {
  return std::accumulate(begin, end, 0.0) / static_cast<double>(end - begin);
}

double sample_deviation(const double* begin, const double* end, double average) {
  if (end - begin < 2) return 0;
  double squares = 0;
  for (const double* x = begin; x != end; ++x) squares += (*x - average) * (*x - average);
  return std::sqrt(squares / static_cast<double>(end - begin - 1));
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

bool fits(const Fields& experiment, const std::map<std::string, std::optional<std::string>>& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    const auto value = value_of(experiment, wanted.first);
    return value.has_value() == wanted.second.has_value() && (!value || *value == *wanted.second);
  });
}

std::optional<Datapoint> datapoint(const std::vector<double>& values, Selection selection) {
  const std::size_t skipped = selection == Selection::exec ? kWarmUp : 1;
  if (values.size() <= skipped) return std::nullopt;
  const double* begin = values.data() + skipped;
  const double* end = values.data() + values.size();
  const double average = mean(begin, end);
  if (selection == Selection::compile) return Datapoint{values.front() - average, 0};
  return Datapoint{average, sample_deviation(begin, end, average)};
}

}  // namespace

bool Selector::passes(Known& known, std::string_view text, const std::string& filter, const std::string& exclude) {
  if (const auto found = known.find(text); found != known.end()) return found->second;
  const bool passes = (filter.empty() || regex_found(filter, text)) && (exclude.empty() || !regex_found(exclude, text));
  return known.emplace(text, passes).first->second;
}

std::optional<Point> Selector::operator()(const Record& record) {
  const auto model = value_of(record.model, "model_name");
  if (!model || !passes(models_, *model, query_.filter, query_.exclude)) return std::nullopt;
  const std::string_view accelerator = value_of(record.experiment, "accelerator_model").value_or("");
  if (!passes(accelerators_, accelerator, query_.accelerator, "")) return std::nullopt;
  if (!fits(record.experiment, query_.where)) return std::nullopt;
  const auto backend = std::find_if(query_.backends.begin(), query_.backends.end(),
                                    [&](const Backend& one) { return fits(record.experiment, one.where); });
  if (backend == query_.backends.end()) return std::nullopt;
  const auto time = datapoint(record.values, query_.selection);
  if (!time || !(time->average > 0)) return std::nullopt;  // no ratio of it is one
  return Point{record.timestamp, static_cast<std::size_t>(backend - query_.backends.begin()), std::string(*model),
               std::string(value_of(record.experiment, "batch_size").value_or("")), *time};
}

void Aggregate::add(const Point& point) {
  const auto id = ids_.emplace(point.model, names_.size());
  if (id.second) names_.push_back(point.model);
  std::vector<Models>& at = times_[point.timestamp];
  at.resize(query_.backends.size());
  Models& models = at[point.backend];
  auto model = std::find_if(models.begin(), models.end(), [&](const Model& m) { return m.id == id.first->second; });
  if (model == models.end()) model = models.insert(models.end(), Model{id.first->second, {}});
  std::vector<Batch>& batches = model->batches;
  auto batch = std::find_if(batches.begin(), batches.end(), [&](const Batch& b) { return b.size == point.batch_size; });
  if (batch == batches.end()) batch = batches.insert(batch, Batch{point.batch_size, {}});
  batch->time = point.time;
}

Aggregate::Base Aggregate::baseline() const {
  Base base;
  if (times_.empty()) return base;
  const auto from = query_.baseline == Baseline::oldest ? times_.begin() : std::prev(times_.end());
  for (auto at = from; at != times_.end(); ++at)
    for (const Model& model : at->second.front())
      for (const Batch& batch : model.batches) base.emplace(std::pair{model.id, batch.size}, batch.time);
  if (base.empty() && query_.baseline == Baseline::latest)
    throw Error(ErrorKind::not_found, "the latest results hold none of the baseline, " + query_.backends.front().name,
                "take the oldest as the baseline, or another backend");
  return base;
}

Summary Aggregate::summary(const Models& models, const Base& base) const {
  Summary summary;
  std::vector<Datapoint> means;
  std::vector<double> sorted;
  for (const Model& model : models) {
    std::vector<Datapoint> ratios;
    for (const Batch& batch : model.batches)
      if (const auto found = base.find({model.id, batch.size}); found != base.end())
        ratios.push_back(speedup(batch.time, found->second));
    if (ratios.empty()) continue;
    means.push_back(geometric_mean(ratios));
    sorted.push_back(means.back().average);
    summary.speedups.push_back({names_[model.id], means.back()});
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
  const Base base = baseline();
  std::vector<Moment> moments;
  for (const auto& [timestamp, backends] : times_) {
    Moment moment{timestamp, {}};
    for (const Models& models : backends) moment.backends.push_back(summary(models, base));
    moments.push_back(std::move(moment));
  }
  return moments;
}

}  // namespace reg::results
