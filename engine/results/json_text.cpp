#include "engine/results/json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "engine/results/decimal.h"

namespace reg::results {
namespace {

void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xC0 | code >> 6);
  } else {
    if (code < 0x10000) {
      byte(0xE0 | code >> 12);
    } else {
      byte(0xF0 | code >> 18);
      byte(0x80 | (code >> 12 & 0x3F));
    }
    byte(0x80 | (code >> 6 & 0x3F));
  }
  byte(0x80 | (code & 0x3F));
}

// The four digits behind "\u".
std::uint32_t code_unit(std::string_view string, std::size_t at) {
  std::uint32_t code = 0;
  if (at + 4 <= string.size()) std::from_chars(string.data() + at, string.data() + at + 4, code, 16);
  return code;
}

// The character whose escape has its "u" at `at`, which goes to its last digit. Half a pair stands for no character.
std::uint32_t escaped_character(std::string_view string, std::size_t& at) {
  constexpr std::uint32_t kReplacement = 0xFFFD;
  const std::uint32_t first = code_unit(string, at + 1);
  at += 4;
  if (first < 0xD800 || first > 0xDFFF) return first;
  if (first > 0xDBFF || string.substr(at + 1, 2) != "\\u") return kReplacement;
  const std::uint32_t second = code_unit(string, at + 3);
  if (second < 0xDC00 || second > 0xDFFF) return kReplacement;
  at += 6;
  return 0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00);
}

}  // namespace

std::size_t string_end(std::string_view json, std::size_t at) {
  for (++at; at < json.size() && json[at] != '"'; ++at)
    if (json[at] == '\\') ++at;
  return std::min(at + 1, json.size());
}

std::string unescaped(std::string_view string) {
  if (string.size() < 2) return {};
  string = string.substr(1, string.size() - 2);
  if (string.find('\\') == std::string_view::npos) return std::string(string);
  std::string text;
  for (std::size_t at = 0; at < string.size(); ++at) {
    if (string[at] != '\\' || at + 1 == string.size()) {
      text += string[at];
      continue;
    }
    constexpr std::string_view kNames = "bfnrt", kMeant = "\b\f\n\r\t";
    const char name = string[++at];
    if (name == 'u')
      append_utf8(text, escaped_character(string, at));
    else if (const auto place = kNames.find(name); place != std::string_view::npos)
      text += kMeant[place];
    else
      text += name;
  }
  return text;
}

double number_of(std::string_view text) {
  if (const auto decimal = read_decimal(text)) return decimal->value;
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);  // NaN and infinity as well
  if (read.ec != std::errc::result_out_of_range) return value;
  // Too large, or too small to be told from zero: the power tells which, and where there is none the digits are many.
  const auto power = text.find_first_of("eE");
  const bool small = power == std::string_view::npos ? text.find_first_of("123456789") > text.find('.')
                                                     : text.substr(power + 1).starts_with('-');
  value = small ? 0.0 : std::numeric_limits<double>::infinity();
  return text.front() == '-' ? -value : value;
}

void append_number(std::string& text, double value) {
  if (std::isnan(value)) {
    text += "NaN";
  } else if (std::isinf(value)) {
    text += value > 0 ? "Infinity" : "-Infinity";
  } else {
    constexpr double kSmallest = 1e-4, kLargest = 1e16;  // beyond these Python writes powers
    const double size = std::fabs(value);
    const bool plain = value == 0 || (size >= kSmallest && size < kLargest);
    std::array<char, 64> digits;
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                   plain ? std::chars_format::fixed : std::chars_format::scientific);
    const std::string_view shortest(digits.data(), static_cast<std::size_t>(end.ptr - digits.data()));
    text += shortest;
    if (plain && shortest.find('.') == std::string_view::npos) text += ".0";
  }
}

Scalar scalar_of(std::string_view json) {
  switch (json.empty() ? 'n' : json.front()) {
    case '"':
      return unescaped(json);
    case 'n':
      return {};
    case 't':
    case 'f':
      return json.front() == 't';
    case '{':
    case '[':
      return std::string(json);
    default:
      break;
  }
  std::int64_t whole = 0;
  const char* const end = json.data() + json.size();
  const auto read = std::from_chars(json.data(), end, whole);
  if (read.ec == std::errc{} && read.ptr == end) return whole;
  return number_of(json);
}

void for_members(std::string_view json, const std::function<void(std::string_view, std::size_t, std::size_t)>& each) {
  std::string_view name;
  std::size_t begin = 1;
  int depth = 1;
  for (std::size_t at = 1; at < json.size(); ++at) {
    switch (json[at]) {
      case '"': {
        const std::size_t end = string_end(json, at);
        if (depth == 1 && end < json.size() && json[end] == ':') {
          name = json.substr(at, end - at);
          begin = end + 1;
        }
        at = end - 1;
        break;
      }
      case '{':
      case '[':
        ++depth;
        break;
      case '}':
      case ']':
        --depth;
        [[fallthrough]];
      case ',':
        if (depth > 1 || (depth == 1 && json[at] != ',')) break;
        if (at > begin) each(name, begin, at);  // "{}" and "[]" have none
        begin = at + 1;
        break;
      default:
        break;
    }
  }
}

Scalars scalars_of(std::string_view object) {
  Scalars scalars;
  for_members(object, [&](std::string_view name, std::size_t begin, std::size_t end) {
    scalars.emplace_back(unescaped(name), scalar_of(object.substr(begin, end - begin)));
  });
  return scalars;
}

}  // namespace reg::results
