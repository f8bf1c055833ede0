#include "engine/terminal/series_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace reg::terminal {
namespace {

std::string changes_at(const Series& series, const SeriesPoint& point) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  for (const SeriesChange& change : series.changes) {
    if (change.first_bad == point.id) {
      add(change.kind.empty() ? "step" : change.kind);
      if (change.before && change.after && *change.before != 0)
        text += fmt::format(" {:+.1f} %", 100 * (*change.after / *change.before - 1));
    }
    if (!change.recovered_at.empty() && change.recovered_at == point.id) add("recovered");
  }
  return text;
}

}  // namespace

Table table_of(const Series& series) {
  Table table{{"subject", series.metric.empty() ? "value" : series.metric, "status", "change", "message"}, {}};
  for (const SeriesPoint& point : series.points)
    table.rows.push_back({point.label, point.value, point.status, changes_at(series, point), point.message});
  return table;
}

void drop_empty_columns(Table& table) {
  for (std::size_t i = table.columns.size(); i-- > 0;) {
    const bool empty = std::all_of(table.rows.begin(), table.rows.end(),
                                   [&](const Row& row) { return row[i] == Cell{} || row[i] == Cell{std::string()}; });
    if (!empty || table.rows.empty()) continue;
    table.columns.erase(table.columns.begin() + static_cast<std::ptrdiff_t>(i));
    for (Row& row : table.rows) row.erase(row.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace reg::terminal
