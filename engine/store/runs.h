#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/results/record.h"
#include "engine/store/store.h"

// Results of benchmark suites in the store: a row a record of results.jsonl files, from which each record can be put
// together again. They stand beside the trials; what the two say of one thing is for a query to join.

namespace reg::store {

struct ImportedRuns {
  std::int64_t imported = 0;
  std::int64_t duplicates = 0;                                  ///< here already, in every field and number
  std::vector<std::pair<std::string, results::Complaint>> bad;  ///< with the file's name; everything else came in
};

/// Takes in all records of the files, or none where it throws: Error(not_found, permission, io). They are on disk when
/// it returns.
ImportedRuns import_runs(Store& store, const std::vector<std::string>& files);

/// Writes the runs as lines of JSON, in the order in which they came and as Python writes JSON; returns how many.
std::int64_t export_runs(const std::string& store, const std::string& path);

}  // namespace reg::store
