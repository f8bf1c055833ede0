#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/results/shape.h"
#include "engine/store/run_block.h"
#include "engine/store/sqlite.h"

namespace reg::store {

/// The texts of a store and their ids there.
class StoredTexts {
 public:
  explicit StoredTexts(sqlite3* database);

  const results::Texts& texts() const { return texts_; }
  std::uint32_t operator[](std::uint32_t id) const;  ///< among texts()

 private:
  results::Texts texts_;
  std::vector<std::uint32_t> ids_;
};

/// Reads a store's runs, one by one, in the order of their import. What it gives is good until the next call.
class StoredRuns {
 public:
  explicit StoredRuns(sqlite3* database);

  bool next();

  std::int64_t id() const { return block_.first + static_cast<std::int64_t>(at_); }
  std::optional<double> timestamp() const;
  const std::string& model() const { return text(head().model); }
  const std::string& experiment() const { return text(head().experiment); }
  const results::Shape& shape() { return shapes_[texts_[head().shape]]; }
  const std::vector<double>& numbers() const { return numbers_; }  ///< in the record's order

  /// What the record was made of; its numbers as they were written.
  results::Pieces pieces();
  /// The line that the run came from, with no blanks between its tokens.
  std::string record() { return results::filled(text(head().shape), 0, 0, pieces()); }
  /// The same for SQLite's JSON functions, which know neither NaN nor infinity.
  std::string plain_record();

 private:
  const RunHead& head() const { return block_.heads[at_]; }
  const std::string& text(std::uint32_t id) const { return texts_.texts()[texts_[id]]; }
  bool next_block();
  void read_numbers();

  StoredTexts texts_;
  results::Shapes shapes_;
  std::vector<std::vector<Stretch>> stretches_;  // by shape
  Statement blocks_, columns_;
  RunBlock block_;
  std::map<Column, std::size_t> column_at_;  // how far each is read
  std::vector<std::string_view> words_;      // of the block
  std::size_t at_ = 0, words_at_ = 0, next_word_ = 0, spellings_at_ = 0;
  std::vector<double> numbers_;
  std::vector<std::string> number_texts_;
};

}  // namespace reg::store
