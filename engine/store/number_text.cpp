#include "engine/store/number_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "engine/base/error.h"
#include "engine/results/decimal.h"
#include "engine/results/json_text.h"

namespace reg::store {
namespace {

constexpr double kWholeUpTo = 9007199254740992;  // 2^53: every whole number below is a double

// The number at the beginning, which goes; a blank stood behind it.
std::string_view next_word(std::string_view& text) {
  const std::size_t end = std::min(text.find(' '), text.size());
  const std::string_view word = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return word;
}

}  // namespace

std::vector<std::string> number_texts(std::string_view kinds, const std::vector<double>& numbers,
                                      std::string_view spellings) {
  std::vector<std::string> texts(kinds.size());
  while (!spellings.empty()) {
    const std::string_view place = next_word(spellings);
    std::size_t at = 0;
    std::from_chars(place.data(), place.data() + place.size(), at);
    if (at >= texts.size()) throw Error(ErrorKind::corrupt, "the store spells a number that its run does not have");
    texts[at] = next_word(spellings);
  }
  for (std::size_t at = 0; at < texts.size(); ++at) {
    if (!texts[at].empty()) continue;
    if (kinds[at] == 'I' && std::fabs(numbers.at(at)) <= kWholeUpTo)
      texts[at] = std::to_string(static_cast<std::int64_t>(numbers.at(at)));
    else
      results::append_number(texts[at], numbers.at(at));
  }
  return texts;
}

ReadNumber read_number(std::string_view text) {
  constexpr double kPlain = 1e-4;  // what is smaller Python writes with a power
  const auto decimal = results::read_decimal(text);
  if (decimal && decimal->shortest && std::fabs(decimal->value) >= kPlain) return {decimal->value, true};
  std::int64_t whole = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, whole);
  if (read.ec == std::errc{} && read.ptr == end) {
    const auto value = static_cast<double>(whole);
    return {value, std::fabs(value) < kWholeUpTo && text != "-0"};
  }
  const double value = results::number_of(text);
  thread_local std::string written;
  written.clear();
  results::append_number(written, value);
  return {value, written == text};
}

}  // namespace reg::store
