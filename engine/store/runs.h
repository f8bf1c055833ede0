#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/results/run.h"
#include "engine/store/store.h"

// Results of benchmark suites: a path is a results.jsonl, or a store that holds the lines of such files, in the table
// suite_runs. A store is only read, also while another engine writes to it; a run's line is then its number there.

namespace reg::store {

/// Their lines. Throws Error(not_found, permission, io), corrupt for another program's database, and conflict for a
/// store of a newer engine.
results::Lines open_results(const std::string& path);

struct ImportedRuns {
  std::int64_t imported = 0;
  std::int64_t duplicates = 0;          ///< here already, but for blanks between tokens
  std::vector<results::Complaint> bad;  ///< everything else came in
};

/// Takes in all results of the files, or none where it throws: Error(not_found, permission, io). They are on disk when
/// it returns.
ImportedRuns import_runs(Store& store, const std::vector<std::string>& files);

/// Writes the lines as they were imported, in their order; returns how many.
std::int64_t export_runs(const std::string& store, const std::string& path);

/// Adds lines to a store, within a transaction of the caller's.
class RunWriter {
 public:
  explicit RunWriter(Database& database);

  /// False if the store has the run already.
  bool add(const results::Run& run);

 private:
  Database& database_;
  Statement insert_;
};

}  // namespace reg::store
