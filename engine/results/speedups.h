#pragma once

#include <map>
#include <optional>
#include <string>
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

/// The text of a value; nothing for null, and for what is nested, which does not distinguish experiments.
std::optional<std::string> text_of(const Json& value);

/// Texts of values that an experiment must have; nothing for null.
using Wanted = std::map<std::string, std::optional<std::string>>;

/// A way of running that is held against others.
struct Backend {
  std::string name;
  Wanted where;
};

struct Query {
  std::vector<Backend> backends;  ///< the first is the baseline's; a record belongs to the first that it fits
  Wanted where;                   ///< other records are left out
  std::string accelerator;        ///< a regular expression that accelerator_model must hold; "" = any
  std::string filter;             ///< a regular expression that the model's name must hold; "" = any
  std::string exclude;            ///< one that it must not; "" = none
  std::string metric = "total_time";
  bool compile = false;  ///< the time is the first number less the mean of the others; else the mean of all but three
  bool latest = false;   ///< the baseline is the last time, not the first of each model and batch size
  bool axes = false;     ///< whether a model is one for each value of a suite's own axes, those of the backends aside
};

/// A model's speedup over its baseline: the geometric mean over its batch sizes.
struct Speedup {
  std::string model;
  Datapoint value;
};

/// One backend at one time.
struct Summary {
  std::vector<Speedup> speedups;  ///< of the models that have a baseline, by name
  Datapoint geomean;
  double p5 = 0, p50 = 0, p95 = 0;
};

struct Moment {
  double timestamp = 0;
  std::vector<Summary> backends;  ///< as many as the query has
};

/// Takes runs in, and gives the speedups. Of several runs of the same time, backend, model and batch size the last one
/// counts.
class Aggregate {
 public:
  /// The query must outlive it.
  explicit Aggregate(const Query& query) : query_(query) {}

  /// Ignores a run that the query does not ask for. Throws Error(usage) for an invalid regular expression.
  void add(const Run& run);

  /// In order of time. Throws Error(not_found) if the baseline is to be the last time, and it has none.
  std::vector<Moment> moments() const;

 private:
  using Configuration = std::pair<std::string, std::string>;  // model and batch size
  using Times = std::map<Configuration, Datapoint>;

  bool is_found(const std::string& expression, const std::string& text);
  Times baseline() const;
  Summary summary(const Times& times, const Times& base) const;

  const Query& query_;
  std::map<std::pair<std::string, std::string>, bool> found_;  // what an expression said of a text
  std::map<double, std::vector<Times>> moments_;               // by time, then for each backend
};

/// A line that is not a result, and why. The last one is `truncated` where the writer was killed in it.
struct Complaint {
  std::string file;
  std::size_t line = 0;
  std::string what;
  bool truncated = false;
};

/// What came of reading results.
struct Reading {
  std::vector<Moment> moments;
  std::size_t records = 0;
  std::vector<Complaint> bad;
};

}  // namespace reg::results
