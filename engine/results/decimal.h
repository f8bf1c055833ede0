#pragma once

#include <optional>
#include <string_view>

namespace reg::results {

/// What a text such as 0.014605856253868931 is as a double.
struct Decimal {
  double value = 0;
  bool shortest = false;  ///< surely the shortest text for it, and of those the nearest one
};

/// Exact, for texts of the sort that clocks' differences are; nothing for others, which are for std::from_chars. It is
/// several times as fast as that and std::to_chars, and files of results are little else than such numbers.
std::optional<Decimal> read_decimal(std::string_view text);

}  // namespace reg::results
