#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/store/store.h"

namespace reg::store {

/// Writes every finished trial as one line of JSON that stands for itself; returns how many.
std::int64_t export_jsonl(Store& store, const std::string& path, std::optional<std::int64_t> investigation);

struct Imported {
  struct Bad {
    std::int64_t line;
    std::string message;
  };
  std::int64_t imported = 0;
  std::int64_t duplicates = 0;  ///< here already
  std::vector<Bad> bad;         ///< lines that are no trial; everything else came in
};

/// `mark`: put before the key of each trial.
Imported import_jsonl(Store& store, const std::string& path, const std::string& mark = "");

}  // namespace reg::store
