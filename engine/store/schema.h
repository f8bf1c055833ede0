#pragma once

#include <memory>
#include <string>

#include "engine/results/run.h"
#include "engine/store/sqlite.h"

namespace reg::store {

/// Formats of the store: since when it holds results of benchmark suites, first taken apart and then as lines (runs.h).
inline constexpr std::int64_t kBlocksSince = 2, kLinesSince = 4;

/// The first 100 bytes of an SQLite file, its header; "" for any other file.
std::string sqlite_header(const std::string& path);

/// Throws corrupt when a file is there that is no store of ours; such a file is not touched.
void check_is_store(const std::string& path);

/// The version of a store's tables. Throws conflict for one from a newer engine, and corrupt if it contains a table,
/// view or trigger that no version of the engine made: what stands there would run at a read or a write.
std::int64_t check_schema(Database& database, const std::string& path);

/// Creates the tables or brings an older store up to this version, or throws as check_schema does.
void migrate(Database& database, const std::string& path);

/// The runs of a store of format 2 or 3, as lines. The connection must outlive them. Their next() throws corrupt if
/// parts of a run are missing.
std::unique_ptr<results::Lines> old_runs(Database& database);

}  // namespace reg::store
