#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/terminal/table.h"

namespace reg::terminal {

struct Table {
  std::vector<std::string> columns;
  std::vector<Row> rows;
};

/// The parts of a series' points and changes that its table shows.
struct SeriesPoint {
  std::string id, label, status, message;
  Cell value;
};
struct SeriesChange {
  std::string kind, first_bad, recovered_at;
  std::optional<double> before, after;
};
struct Series {
  std::string metric;
  std::vector<SeriesPoint> points;
  std::vector<SeriesChange> changes;
};

/// One row for each point, with the change that it is the first bad or the recovered one of: "step -7.0 %".
Table table_of(const Series& series);

/// Removes the columns whose cells are all empty.
void drop_empty_columns(Table& table);

}  // namespace reg::terminal
