#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/results/run.h"
#include "engine/store/sqlite.h"

namespace reg::store {

/// The runs of a store of format 2 or 3, as lines. It took each record apart: its model, its experiment and what is
/// left of it without numbers and strings, its shape, are in the table `texts`; its strings in `run_blocks`; and each
/// metric's numbers in `run_numbers`, with some hundred runs to the block. The connection must outlive this.
class OldRuns : public results::Lines {
 public:
  explicit OldRuns(Database& database);

  /// Throws corrupt if parts of a run are missing.
  bool next(std::string_view& line) override;
  std::size_t number() const override { return static_cast<std::size_t>(first_) + at_ - 1; }

 private:
  using Column = std::optional<std::string>;  // the metric of a number; nothing for numbers outside of metrics
  struct Numbers {
    std::string bytes;
    std::size_t at = 0;
  };

  bool next_block();
  const std::string& text(std::uint32_t id) const;
  std::string_view next_string();
  double next_number(const Column& column);
  std::string record(std::string_view shape, std::string_view model, std::string_view experiment,
                     std::string_view spellings);

  std::map<std::int64_t, std::string> texts_;
  Statement blocks_, columns_;
  std::int64_t first_ = 1;  // the block's first run
  std::size_t at_ = 0;      // the next run in the block
  std::string heads_, words_, spellings_;
  std::size_t word_ = 0, spelling_ = 0;
  std::map<Column, Numbers> numbers_;
  std::string line_;
};

}  // namespace reg::store
