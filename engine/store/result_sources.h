#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/results/run.h"
#include "engine/results/speedups.h"
#include "engine/store/sqlite.h"

// Results wherever they are: a path is a results.jsonl, or a store with the runs of such files (runs.h). A store is
// only read, whoever else has it open; a run's line is then its number there.

namespace reg::store {

/// The speedups in them. Throws Error(not_found, permission, io), corrupt for another program's database, conflict for
/// a store of a newer engine, and usage for an expression that is none.
results::Reading read_speedups(const std::vector<std::string>& paths, const results::Query& query);

/// Their runs. Throws as read_speedups() does, io when it reads.
std::unique_ptr<results::RunSource> open_runs(const std::string& path);

}  // namespace reg::store
