#pragma once

struct sqlite3;

namespace reg::store {

/// Shows a store's runs as tables, in every connection: `runs`, a row a run with its record as JSON, and
/// `measurements`, a row a number of a metric.
void add_run_tables(sqlite3* database);

}  // namespace reg::store
