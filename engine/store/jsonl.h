#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "engine/results/run.h"
#include "engine/store/store.h"

namespace reg::store {

/// Writes every finished trial as one line of JSON that stands for itself; returns how many.
std::int64_t export_jsonl(Store& store, const std::string& path, std::optional<std::int64_t> investigation);

struct Imported {
  struct Bad {
    std::size_t line;
    std::string message;
  };
  std::int64_t imported = 0;
  std::int64_t duplicates = 0;  ///< here already
  std::vector<Bad> bad;         ///< lines that are no trial; everything else came in
};

/// Reads the lines of an exported file into a store.
class Import {
 public:
  /// `mark`: put before the key of each trial.
  explicit Import(const std::string& path, std::string mark = "") : lines_(path), mark_(std::move(mark)) {}

  /// Reads to the end. Where the store refuses a line, as one that another program has locked, it throws; the next call
  /// goes on with that line.
  Imported into(Store& store);

 private:
  void add_line(Store& store);

  results::FileLines lines_;
  std::string mark_;
  std::string_view line_;
  bool refused_ = false;
  Imported result_;
};

}  // namespace reg::store
