#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/results/run.h"

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
  bool operator<(const Series& other) const {
    return std::tie(backend, model, batch_size) < std::tie(other.backend, other.model, other.batch_size);
  }
};

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

/// Takes the points that a query asks for out of runs, however many. Not for several threads at once.
class Collector {
 public:
  explicit Collector(const Query& query) : query_(query) {}

  void add(const Run& run);
  Points take() { return std::move(points_); }

 private:
  std::optional<Series> series_of(const Run& run);
  bool is_wanted(const std::string& model);
  bool is_of_accelerator(const std::string& name);
  std::string axes_of(const Fields& experiment) const;

  const Query& query_;
  std::map<std::string, bool, std::less<>> wanted_, of_accelerator_;  // what the expressions said of a name
  std::map<Series, std::uint32_t> ids_;
  Points points_;
};

/// A line that is not a result, and why. The last one is `truncated` where the writer was killed in it.
struct Complaint {
  std::size_t line = 0;
  std::string what;
  bool truncated = false;
};

/// What came of reading results.
struct Reading {
  std::vector<Moment> moments;
  std::size_t records = 0;
  std::vector<std::pair<std::string, Complaint>> bad;  ///< with the file's name
};

}  // namespace reg::results
