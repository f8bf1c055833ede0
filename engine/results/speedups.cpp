#include "engine/results/speedups.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "engine/base/error.h"
#include "engine/results/json_text.h"
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

// An object's scalars by name: texts as they read, numbers and booleans as JSON, null as nothing. What is nested tells
// no two experiments apart.
using Fields = std::vector<std::pair<std::string, std::optional<std::string>>>;

Fields fields_of(std::string_view object) {
  Fields fields;
  for_members(object, [&](std::string_view name, std::size_t begin, std::size_t end) {
    const std::string_view value = object.substr(begin, end - begin);
    if (value.front() == '{' || value.front() == '[') return;
    std::optional<std::string> text;
    if (value.front() == '"')
      text = unescaped(value);
    else if (value != "null")
      text = value;
    fields.emplace_back(unescaped(name), std::move(text));
  });
  return fields;
}

// Nothing too where there is no such field.
std::optional<std::string_view> value_of(const Fields& fields, std::string_view name) {
  const auto found = std::find_if(fields.begin(), fields.end(), [&](const auto& field) { return field.first == name; });
  return found == fields.end() ? std::nullopt : std::optional<std::string_view>(found->second);
}

bool fits(const Fields& experiment, const std::map<std::string, std::optional<std::string>>& where) {
  return std::all_of(where.begin(), where.end(), [&](const auto& wanted) {
    const auto value = value_of(experiment, wanted.first);
    return value.has_value() == wanted.second.has_value() && (!value || *value == *wanted.second);
  });
}

}  // namespace

std::optional<std::string> Selector::name_of(const std::string& model) const {
  const Fields fields = fields_of(model);
  const auto name = value_of(fields, "model_name");
  if (!name || !(query_.filter.empty() || regex_found(query_.filter, *name))) return std::nullopt;
  if (!query_.exclude.empty() && regex_found(query_.exclude, *name)) return std::nullopt;
  return std::string(*name);
}

std::string Selector::axes_of(std::string_view experiment) const {
  std::string axes;
  for (const auto& [name, value] : fields_of(experiment)) {
    const bool of_backends = std::any_of(query_.backends.begin(), query_.backends.end(),
                                         [&, &field = name](const Backend& one) { return one.where.count(field) > 0; });
    if (of_backends || std::find(kNotAxes.begin(), kNotAxes.end(), name) != kNotAxes.end()) continue;
    axes += ' ' + name + '=' + value.value_or("null");
  }
  return axes;
}

std::optional<Selector::Experiment> Selector::experiment_of(const std::string& experiment) const {
  const Fields fields = fields_of(experiment);
  const std::string_view accelerator = value_of(fields, "accelerator_model").value_or("");
  if (!query_.accelerator.empty() && !regex_found(query_.accelerator, accelerator)) return std::nullopt;
  if (!fits(fields, query_.where)) return std::nullopt;
  const auto backend = std::find_if(query_.backends.begin(), query_.backends.end(),
                                    [&](const Backend& one) { return fits(fields, one.where); });
  if (backend == query_.backends.end()) return std::nullopt;
  return Experiment{static_cast<std::size_t>(backend - query_.backends.begin()),
                    std::string(value_of(fields, "batch_size").value_or("")),
                    query_.axes ? axes_of(experiment) : std::string()};
}

std::optional<Series> Selector::operator()(std::uint32_t model, std::uint32_t experiment) {
  const auto [name, new_name] = names_.try_emplace(model);
  if (new_name) name->second = name_of(texts_[model]);
  if (!name->second) return std::nullopt;
  const auto [entry, new_experiment] = experiments_.try_emplace(experiment);
  if (new_experiment) entry->second = experiment_of(texts_[experiment]);
  if (!entry->second) return std::nullopt;
  return Series{entry->second->backend, *name->second + entry->second->axes, entry->second->batch_size};
}

std::vector<std::size_t> numbers_for_time(const Shape& shape, std::string_view metric) {
  const Shape::Part* part = shape.metric(metric);
  return part != nullptr && part->text.front() == '[' ? Shape::numbers_of(*part) : std::vector<std::size_t>();
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

std::optional<std::uint32_t> Collector::series_of(std::uint32_t model, std::uint32_t experiment) {
  const auto [entry, is_new] = series_.try_emplace(std::uint64_t{model} << 32 | experiment);
  if (is_new)
    if (auto series = select_(model, experiment)) {
      entry->second = static_cast<std::uint32_t>(points_.series.size());
      points_.series.push_back(std::move(*series));
    }
  return entry->second;
}

const std::vector<std::size_t>& Collector::places_in(std::uint32_t shape) {
  if (places_.size() <= shape) places_.resize(shape + 1);
  std::optional<std::vector<std::size_t>>& places = places_[shape];
  if (!places) places = numbers_for_time(Shape(texts_[shape]), query_.metric);
  return *places;
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
