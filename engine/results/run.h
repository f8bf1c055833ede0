#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/results/json_text.h"
#include "engine/results/lines.h"
#include "engine/results/record.h"
#include "engine/results/shape.h"

namespace reg::results {

struct Metric {
  std::string name;
  std::vector<double> values;  ///< a null is NaN; a lone number is a list of one
  std::string problem;         ///< why there are no values, where they are no list of numbers
};

/// All that a record says, in its order; a Point (speedups.h) is the part that speedups need.
struct Run {
  std::size_t line = 0;    ///< its number in the file, or the run's in a store
  std::string bad;         ///< why it is no result; then nothing below is set but truncated
  bool truncated = false;  ///< its writer was stopped in it
  Scalars model, experiment;
  std::vector<Metric> metrics;
  std::optional<Scalar> error;  ///< metrics.error: the run failed
  std::optional<Scalar> timestamp, repeat, iterations_per_run;
  Scalars more;  ///< all other fields
};

/// What the pieces of a record with this shape say.
Run run_of(const Shape& shape, const Pieces& pieces);

/// Gives runs one by one, from wherever they are.
class RunSource {
 public:
  virtual ~RunSource() = default;

  /// The next run; false after the last one. Throws Error(io).
  virtual bool next(Run& run) = 0;
};

/// Reads a results.jsonl from its first line to its last, a line at a time; empty ones are nothing.
class RunReader : public RunSource {
 public:
  explicit RunReader(const std::string& path);  ///< throws Error(not_found, permission or io)
  bool next(Run& run) override;

 private:
  Fd file_;
  LineReader lines_;
  Texts texts_;
  Splitter splitter_;
};

/// A file of results itself; of a folder its *.jsonl, sorted, but for the report that the analyzer leaves there. Throws
/// Error(not_found) where there is none.
std::vector<std::string> result_files(const std::string& path);

}  // namespace reg::results
