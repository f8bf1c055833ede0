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

// The first field of that name that is not nested: what is nested does not distinguish experiments.
const Value* find(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) {
    return field.first == name && field.second.kind != Value::Kind::nested;
  });
  return found == fields.end() ? nullptr : &found->second;
}

// Its text; nothing for null.
const std::string* text_of(const Value* value) {
  return value == nullptr || value->kind == Value::Kind::null ? nullptr : &value->text;
}

std::string text_at(const Fields& fields, std::string_view name) {
  const std::string* text = text_of(find(fields, name));
  return text == nullptr ? "" : *text;
}

bool fits(const Fields& fields, const std::map<std::string, std::optional<std::string>>& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    const std::string* text = text_of(find(fields, wanted.first));
    return (text != nullptr) == wanted.second.has_value() && (text == nullptr || *text == *wanted.second);
  });
}

// The metric's numbers: those of its list.
std::vector<double> numbers_of(const Run& run, const std::string& name) {
  std::vector<double> numbers;
  const auto metric =
      std::find_if(run.metrics.begin(), run.metrics.end(), [&](const Metric& one) { return one.name == name; });
  if (metric == run.metrics.end() || !metric->is_list) return numbers;
  for (const auto& element : metric->elements)
    if (element) numbers.push_back(*element);
  return numbers;
}

}  // namespace

bool Collector::is_wanted(const std::string& model) {
  const auto [entry, is_new] = wanted_.try_emplace(model, true);
  if (is_new)
    entry->second = (query_.filter.empty() || regex_found(query_.filter, model)) &&
                    (query_.exclude.empty() || !regex_found(query_.exclude, model));
  return entry->second;
}

bool Collector::is_of_accelerator(const std::string& name) {
  const auto [entry, is_new] = of_accelerator_.try_emplace(name, true);
  if (is_new) entry->second = query_.accelerator.empty() || regex_found(query_.accelerator, name);
  return entry->second;
}

std::string Collector::axes_of(const Fields& experiment) const {
  std::string axes;
  for (const auto& [name, value] : experiment) {
    const bool of_backends = std::any_of(query_.backends.begin(), query_.backends.end(),
                                         [&, &field = name](const Backend& one) { return one.where.count(field) > 0; });
    if (of_backends || value.kind == Value::Kind::nested ||
        std::find(kNotAxes.begin(), kNotAxes.end(), name) != kNotAxes.end())
      continue;
    axes.append(" ").append(name).append("=").append(value.text);
  }
  return axes;
}

std::optional<Series> Collector::series_of(const Run& run) {
  const std::string* name = text_of(find(run.model, "model_name"));
  if (name == nullptr || !is_wanted(*name)) return std::nullopt;
  if (!is_of_accelerator(text_at(run.experiment, "accelerator_model"))) return std::nullopt;
  if (!fits(run.experiment, query_.where)) return std::nullopt;
  const auto backend = std::find_if(query_.backends.begin(), query_.backends.end(),
                                    [&](const Backend& one) { return fits(run.experiment, one.where); });
  if (backend == query_.backends.end()) return std::nullopt;
  return Series{static_cast<std::size_t>(backend - query_.backends.begin()),
                query_.axes ? *name + axes_of(run.experiment) : *name, text_at(run.experiment, "batch_size")};
}

void Collector::add(const Run& run) {
  const auto seconds = run.seconds();
  const auto time = time_of(numbers_of(run, query_.metric), query_.selection);
  if (!seconds || !time) return;
  auto series = series_of(run);
  if (!series) return;
  const auto [entry, is_new] = ids_.try_emplace(std::move(*series), static_cast<std::uint32_t>(ids_.size()));
  if (is_new) points_.series.push_back(entry->first);
  points_.points.push_back({*seconds, entry->second, *time});
}

std::optional<Datapoint> time_of(const std::vector<double>& values, Selection selection) {
  const std::size_t skipped = selection == Selection::exec ? kWarmUp : 1;
  if (values.size() <= skipped) return std::nullopt;
  const double* begin = values.data() + skipped;
  const double* end = values.data() + values.size();
  const double average = mean(begin, end);
  const Datapoint time = selection == Selection::compile ? Datapoint{values.front() - average, 0}
                                                         : Datapoint{average, sample_deviation(begin, end, average)};
  if (!(time.average > 0)) return std::nullopt;  // no ratio of it is one
  return time;
}

void Aggregate::add(Points&& points) {
  std::vector<std::uint32_t> here;  // the points' series among ours
  for (const Series& series : points.series) {
    const auto model = ids_.emplace(series.model, names_.size());
    if (model.second) names_.push_back(series.model);
    const std::size_t id = model.first->second;
    const auto configuration = configurations_.emplace(std::pair{id, series.batch_size}, configurations_.size());
    const std::size_t which = configuration.first->second;
    const auto entry =
        series_index_.emplace(std::pair{series.backend, which}, static_cast<std::uint32_t>(series_.size()));
    if (entry.second) series_.push_back({series.backend, id, which});
    here.push_back(entry.first->second);
  }
  for (Point& point : points.points) point.series = here[point.series];
  points_.push_back(std::move(points.points));
}

std::vector<const Point*> Aggregate::in_order() const {
  std::vector<const Point*> points;
  points.reserve(std::accumulate(points_.begin(), points_.end(), std::size_t{0},
                                 [](std::size_t count, const auto& some) { return count + some.size(); }));
  for (const std::vector<Point>& some : points_)
    for (const Point& point : some) points.push_back(&point);
  const auto earlier = [](const Point* a, const Point* b) { return a->timestamp < b->timestamp; };
  if (!std::is_sorted(points.begin(), points.end(), earlier)) std::stable_sort(points.begin(), points.end(), earlier);
  return points;
}

Aggregate::Base Aggregate::baseline(const std::vector<const Point*>& points) const {
  Base base(configurations_.size());
  std::vector<double> since(base.size());
  bool any = false;
  const bool oldest = query_.baseline == Baseline::oldest;
  for (const Point* point : points) {
    const SeriesEntry& series = series_[point->series];
    if (series.backend != 0 || !(oldest || point->timestamp == points.back()->timestamp)) continue;
    any = true;
    std::optional<Datapoint>& time = base[series.configuration];
    if (time && since[series.configuration] != point->timestamp) continue;
    time = point->time;
    since[series.configuration] = point->timestamp;
  }
  if (!any && !oldest && !points.empty())
    throw Error(ErrorKind::not_found, "the latest results hold none of the baseline, " + query_.backends.front().name,
                "take the oldest as the baseline, or another backend");
  return base;
}

Summary Aggregate::summary(const Measured& measured, const Base& base) const {
  Summary summary;
  std::vector<Datapoint> means;
  std::vector<double> sorted;
  std::vector<Datapoint> ratios;
  for (const Model& model : measured.models) {
    ratios.clear();
    for (std::size_t at = model.first;; at = measured.batches[at].next) {
      const Batch& batch = measured.batches[at];
      if (const auto& found = base[batch.configuration]) ratios.push_back(speedup(batch.time, *found));
      if (at == model.last) break;
    }
    if (ratios.empty()) continue;
    means.push_back(geometric_mean(ratios));
    sorted.push_back(means.back().average);
    if (query_.models) summary.speedups.push_back({names_[model.id], means.back()});
  }
  summary.models = means.size();
  if (means.empty()) return summary;
  summary.geomean = geometric_mean(means);
  std::sort(sorted.begin(), sorted.end());
  summary.p5 = percentile(sorted, 5);
  summary.p50 = percentile(sorted, 50);
  summary.p95 = percentile(sorted, 95);
  return summary;
}

std::vector<Moment> Aggregate::moments() const {
  const std::vector<const Point*> points = in_order();
  const Base base = baseline(points);
  struct Place {
    std::size_t moment = 0, at = 0;  // the moment counted from 1
  };
  std::vector<Place> models(names_.size() * query_.backends.size()), batches(series_.size());
  std::vector<Measured> measured(query_.backends.size());
  std::vector<Moment> moments;
  for (auto point = points.begin(); point != points.end();) {
    const double timestamp = (*point)->timestamp;
    const std::size_t moment = moments.size() + 1;
    for (Measured& backend : measured) {
      backend.models.clear();
      backend.batches.clear();
    }
    do {
      const SeriesEntry& series = series_[(*point)->series];
      Measured& all = measured[series.backend];
      Place& batch = batches[(*point)->series];
      if (batch.moment == moment) {
        all.batches[batch.at].time = (*point)->time;
        continue;
      }
      batch = {moment, all.batches.size()};
      all.batches.push_back({series.configuration, (*point)->time, 0});
      Place& model = models[series.backend * names_.size() + series.model];
      if (model.moment != moment) {
        model = {moment, all.models.size()};
        all.models.push_back({series.model, batch.at, batch.at});
      }
      std::size_t& last = all.models[model.at].last;
      all.batches[last].next = batch.at;
      last = batch.at;
    } while (++point != points.end() && (*point)->timestamp == timestamp);
    moments.push_back({timestamp, {}});
    for (const Measured& backend : measured) moments.back().backends.push_back(summary(backend, base));
  }
  return moments;
}

}  // namespace reg::results
