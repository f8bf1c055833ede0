#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace reg::store {

/// A number as a double, and whether number_texts() makes the same text of it again.
struct ReadNumber {
  double value = 0;
  bool as_written = true;
};
ReadNumber read_number(std::string_view text);

/// The texts of a record's numbers. `kinds` has I for whole ones and F for others; they are as Python writes them but
/// for the spellings, which are pairs of a place and a text with a blank behind each.
std::vector<std::string> number_texts(std::string_view kinds, const std::vector<double>& numbers,
                                      std::string_view spellings);

}  // namespace reg::store
