#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/results/record.h"
#include "engine/results/shape.h"

// What pytorch/xla's benchmarks/aggregate.py works out of its records, to the digit, for any workload and any backends:
// how many times faster than a baseline each ran, at each time.

namespace reg::results {

struct Datapoint {
  double average = 0;
  double deviation = 0;  ///< standard deviation, in the unit of `average`
};

/// A way of running that is held against others: the records whose experiment has all these values; nothing for null.
struct Backend {
  std::string name;
  std::map<std::string, std::optional<std::string>> where;
};

enum class Selection {
  exec,     ///< the mean of all but the first three numbers: those compile and warm up
  compile,  ///< the first less the mean of the others
};

enum class Baseline { oldest, latest };

struct Query {
  std::vector<Backend> backends;  ///< the first is the baseline's; a record belongs to the first that it fits
  std::map<std::string, std::optional<std::string>> where;  ///< of the experiment; other records are left out
  std::string accelerator;  ///< a regular expression that accelerator_model must hold; "" = any
  std::string filter;       ///< a regular expression that the model's name must hold; "" = any
  std::string exclude;      ///< one that it must not; "" = none
  std::string metric = "total_time";
  Selection selection = Selection::exec;
  Baseline baseline = Baseline::oldest;
  bool models = true;  ///< whether the summaries name the models
  bool axes = false;   ///< whether a model is one for each value of a suite's own axes, those of the backends aside
};

/// A model's speedup over its baseline: the geometric mean over its batch sizes.
struct Speedup {
  std::string model;
  Datapoint value;
};

/// One backend at one time.
struct Summary {
  std::size_t models = 0;         ///< that have a baseline
  std::vector<Speedup> speedups;  ///< theirs, in the order of the records, where the query asks for them
  Datapoint geomean;
  double p5 = 0, p50 = 0, p95 = 0;
};

struct Moment {
  double timestamp = 0;
  std::vector<Summary> backends;  ///< as many as the query has
};

/// What a model and an experiment are to a query.
struct Series {
  std::size_t backend = 0;
  std::string model, batch_size;
};

/// Finds the series that a query asks for; each model and each experiment is looked at once. Not for several threads at
/// once.
class Selector {
 public:
  Selector(const Query& query, const Texts& texts) : query_(query), texts_(texts) {}

  /// Of a record's model and experiment, which are JSON among the texts; nothing where the query leaves them out.
  std::optional<Series> operator()(std::uint32_t model, std::uint32_t experiment);

 private:
  struct Experiment {
    std::size_t backend;
    std::string batch_size;
    std::string axes;  // " n=100", behind the model's name
  };
  std::optional<std::string> name_of(const std::string& model) const;
  std::optional<Experiment> experiment_of(const std::string& experiment) const;
  std::string axes_of(std::string_view experiment) const;

  const Query& query_;
  const Texts& texts_;
  std::unordered_map<std::uint32_t, std::optional<std::string>> names_;
  std::unordered_map<std::uint32_t, std::optional<Experiment>> experiments_;
};

/// Which of a record's numbers the metric's times are made of: those of its list.
std::vector<std::size_t> numbers_for_time(const Shape& shape, std::string_view metric);

/// The time that a run took; nothing where too few numbers are left, or none that others can be held against.
std::optional<Datapoint> time_of(const std::vector<double>& values, Selection selection);

/// One measurement of a series.
struct Point {
  double timestamp = 0;
  std::uint32_t series = 0;
  Datapoint time;
};

/// Points and what their series are, as a part of a file or a store gave them.
struct Points {
  std::vector<Series> series;
  std::vector<Point> points;
};

/// Takes points in, and gives the speedups. Of several points for the same time, backend, model and batch size the last
/// one counts.
class Aggregate {
 public:
  explicit Aggregate(const Query& query) : query_(query) {}

  void add(Points&& points);

  /// In order of time. Throws Error(not_found) for Baseline::latest where the last moment has no baseline.
  std::vector<Moment> moments() const;

 private:
  struct Batch {
    std::size_t configuration;  // model and batch size
    Datapoint time;
    std::size_t next;  // of the model; itself: the last
  };
  struct Model {
    std::size_t id, first, last;  // among the batches
  };
  // One backend at one time, in the order they came.
  struct Measured {
    std::vector<Model> models;
    std::vector<Batch> batches;
  };
  using Base = std::vector<std::optional<Datapoint>>;  // by configuration
  struct SeriesEntry {
    std::size_t backend, model, configuration;
  };

  std::vector<const Point*> in_order() const;
  Base baseline(const std::vector<const Point*>& points) const;
  Summary summary(const Measured& measured, const Base& base) const;

  const Query& query_;
  std::vector<SeriesEntry> series_;
  std::vector<std::string> names_;  // of models, by their id
  std::map<std::string, std::size_t> ids_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> configurations_;  // by model and batch size
  std::map<std::pair<std::size_t, std::size_t>, std::uint32_t> series_index_;  // series by backend and configuration
  std::vector<std::vector<Point>> points_;                                     // of series_, as they came
};

/// Takes out of records, however many, the points that a query asks for: each model, experiment and shape is looked at
/// once. Not for several threads at once.
class Collector {
 public:
  Collector(const Query& query, const Texts& texts) : query_(query), texts_(texts), select_(query, texts) {}

  /// The ids are of the texts, and `number(k)` is the record's k-th number.
  template <class Number>
  void add(double timestamp, std::uint32_t model, std::uint32_t experiment, std::uint32_t shape, const Number& number) {
    const std::optional<std::uint32_t> series = series_of(model, experiment);
    if (!series) return;
    values_.clear();
    for (const std::size_t place : places_in(shape)) values_.push_back(number(place));
    if (const auto time = time_of(values_, query_.selection)) points_.points.push_back({timestamp, *series, *time});
  }

  /// The same where the time is known already.
  void add_time(double timestamp, std::uint32_t model, std::uint32_t experiment, const Datapoint& time) {
    if (const auto series = series_of(model, experiment)) points_.points.push_back({timestamp, *series, time});
  }

  Points take() { return std::move(points_); }

 private:
  std::optional<std::uint32_t> series_of(std::uint32_t model, std::uint32_t experiment);
  const std::vector<std::size_t>& places_in(std::uint32_t shape);

  const Query& query_;
  const Texts& texts_;
  Selector select_;
  std::unordered_map<std::uint64_t, std::optional<std::uint32_t>> series_;  // by model and experiment
  std::vector<std::optional<std::vector<std::size_t>>> places_;             // of the metric's numbers, by shape
  std::vector<double> values_;
  Points points_;
};

/// What is wrong with a record without a time: speedups have no place for it.
inline constexpr const char* kNoTimestamp = "it has no timestamp";

/// What came of reading files.
struct Reading {
  std::vector<Moment> moments;
  std::size_t records = 0;
  std::vector<std::pair<std::string, Complaint>> bad;  ///< with the file's name
};

/// Reads a file of results into `aggregate` and `reading`, on as many threads as there are cores. Throws
/// Error(not_found, permission, io), and usage for an expression that is none.
void read_speedups(const std::string& file, const Query& query, Aggregate& aggregate, Reading& reading);

}  // namespace reg::results
