#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/results/record.h"

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
};

/// A model's speedup over its baseline: the geometric mean over its batch sizes.
struct Speedup {
  std::string model;
  Datapoint value;
};

/// One backend at one time.
struct Summary {
  std::vector<Speedup> speedups;  ///< in the order of the records; empty where none has a baseline
  Datapoint geomean;
  double p5 = 0, p50 = 0, p95 = 0;
};

struct Moment {
  double timestamp = 0;
  std::vector<Summary> backends;  ///< as many as the query has
};

/// One measurement: a model with a batch size, by one backend, at one time.
struct Point {
  double timestamp = 0;
  std::size_t backend = 0;
  std::string model, batch_size;
  Datapoint time;
};

/// Takes out of a record the point that the query asks for. Not for several threads at once.
class Selector {
 public:
  explicit Selector(const Query& query) : query_(query) {}

  /// Nothing for a record that the query leaves out, or that has no usable number.
  std::optional<Point> operator()(const Record& record);

 private:
  using Known = std::map<std::string, bool, std::less<>>;  // what was asked of an expression before
  static bool passes(Known& known, std::string_view text, const std::string& filter, const std::string& exclude);

  const Query& query_;
  Known models_, accelerators_;
};

/// Takes points in, and gives the speedups. Of several points for the same time, backend, model and batch size the last
/// one counts.
class Aggregate {
 public:
  explicit Aggregate(const Query& query) : query_(query) {}

  void add(const Point& point);

  /// In order of time. Throws Error(not_found) for Baseline::latest where the last moment has no baseline.
  std::vector<Moment> moments() const;

 private:
  struct Batch {
    std::string size;
    Datapoint time;
  };
  struct Model {
    std::size_t id;
    std::vector<Batch> batches;
  };
  using Models = std::vector<Model>;                                      // of one backend, in the order they came
  using Base = std::map<std::pair<std::size_t, std::string>, Datapoint>;  // by model and batch size

  Base baseline() const;
  Summary summary(const Models& models, const Base& base) const;

  const Query& query_;
  std::vector<std::string> names_;  // of models, by their id
  std::map<std::string, std::size_t> ids_;
  std::map<double, std::vector<Models>> times_;
};

/// What came of reading files.
struct Reading {
  std::vector<Moment> moments;
  std::size_t records = 0;
  std::vector<std::pair<std::string, Complaint>> bad;  ///< with the file's name
};

/// Reads the files, on as many threads as there are cores. Throws Error(not_found, permission, io), and usage for an
/// expression that is none.
Reading read_speedups(const std::vector<std::string>& files, const Query& query);

}  // namespace reg::results
