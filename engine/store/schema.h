#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "engine/store/sqlite.h"

namespace reg::store {

/// The first 100 bytes of an SQLite file, its header; "" for any other file.
std::string sqlite_header(const std::string& path);

/// Throws corrupt when a file is there that is no store of ours; such a file is not touched.
void check_is_store(const std::string& path);

/// The version of a store's tables. Throws conflict for one from a newer engine, and corrupt if it contains a table,
/// view or trigger that no version of the engine made: what stands there would run at a read or a write.
std::int64_t check_schema(Database& database, const std::string& path);

/// Creates the tables or brings an older store up to this version, or throws as check_schema does.
void migrate(Database& database, const std::string& path);

/// Whether an earlier engine made the store. Throws as check_schema does.
bool is_older(const std::string& path);

/// Gives each run of a store of format 2 or 3 to `take`, as a line. Throws corrupt if parts of a run are missing.
void each_old_run(Database& database, const std::function<void(std::string_view line)>& take);

}  // namespace reg::store
