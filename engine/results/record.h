#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/results/lines.h"

namespace reg::results {

/// Names and values of a JSON object's scalars, in order: texts as they read, numbers and booleans as JSON, null as
/// nothing. The names are good until the next record.
using Fields = std::vector<std::pair<std::string_view, std::optional<std::string>>>;

/// The field's value; nothing too where there is no such field.
std::optional<std::string_view> value_of(const Fields& fields, std::string_view name);

/// One line of a results.jsonl, in the format of pytorch/xla's benchmarks: a workload (`model`) that ran in a
/// configuration (`experiment`) at a time, and one metric's numbers, one a repeat.
struct Record {
  double timestamp = 0;  ///< unix seconds
  Fields model, experiment;
  std::vector<double> values;  ///< none where the run failed, or has no such metric; nulls are left out
};

/// A line that is no record, and why. The last one is `truncated` where the writer was killed in it.
struct Complaint {
  std::size_t line = 0;
  std::string what;
  bool truncated = false;
};

/// Calls `each` for every record of the lines; what is no record is skipped and complained of, by its number among the
/// lines of this reader, and empty lines are nothing. The numbers are those of `metric`.
std::vector<Complaint> read_records(LineReader& lines, const std::string& metric,
                                    const std::function<void(const Record&)>& each);

}  // namespace reg::results
