#include "engine/base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>

namespace reg {
namespace {

// Removes and returns the first character; an invalid UTF-8 byte is returned as is.
char32_t next_character(std::string_view& text) {
  const Character c = character_at(text);
  const auto first = static_cast<unsigned char>(text.front());
  text.remove_prefix(std::max<std::size_t>(c.size, 1));
  return c.size == 0 ? first : c.code;
}

bool is_wide(char32_t c) {
  return (c >= 0x1100 && c <= 0x115F) || (c >= 0x2E80 && c <= 0xA4CF) || (c >= 0xAC00 && c <= 0xD7A3) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0xFE30 && c <= 0xFE6F) || (c >= 0xFF00 && c <= 0xFF60) ||
         (c >= 0x1F300 && c <= 0x1FAFF);
}

// Bidirectional control characters can make a text look like another one.
bool turns_direction(char32_t c) {
  return c == 0x61C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

bool is_combining(char32_t c) { return (c >= 0x300 && c <= 0x36F) || c == 0x200D || (c >= 0xFE00 && c <= 0xFE0F); }

}  // namespace

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const auto at = text.find(separator);
    parts.push_back(text.substr(0, at));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

std::vector<std::string_view> lines(std::string_view text) {
  auto parts = split(text, '\n');
  if (!parts.empty() && parts.back().empty()) parts.pop_back();
  return parts;
}

std::vector<std::string> words(std::string_view list) {
  const auto parts = split(list, ' ');
  return {parts.begin(), parts.end()};
}

bool has_word(std::string_view list, std::string_view word) {
  return !word.empty() && std::ranges::count(split(list, ' '), word) > 0;
}

std::string_view trim(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts) {
  return std::ranges::any_of(parts, [&](std::string_view part) { return text.find(part) != text.npos; });
}

std::string in_small_letters(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return out;
}

std::string join(const std::vector<std::string>& parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string shell_words(const std::vector<std::string>& argv) {
  constexpr const char* kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=@%+,";
  std::vector<std::string> quoted;
  for (std::string word : argv) {
    const bool plain = !word.empty() && word.find_first_not_of(kPlain) == std::string::npos;
    for (auto at = word.find('\''); at != std::string::npos; at = word.find('\'', at + 4)) word.replace(at, 1, "'\\''");
    quoted.push_back(plain ? word : "'" + word + "'");
  }
  return join(quoted, " ");
}

std::string tail(std::string_view text, std::size_t count) {
  const auto all = lines(trim(text));
  return fmt::format("{}",
                     fmt::join(all.end() - static_cast<std::ptrdiff_t>(std::min(count, all.size())), all.end(), "\n"));
}

Character character_at(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t size = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < size) return {};
  char32_t code = first & (0xFFU >> (size + 1));
  for (std::size_t i = 1; i < size; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return {};
    code = (code << 6) | (byte(i) & 0x3FU);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[size] || surrogate || code > 0x10FFFF) return {};
  return {code, size};
}

std::string joined_lines(std::string_view text) {
  std::string line;
  for (const auto part : lines(text)) line += (line.empty() ? "" : " ") + std::string(trim(part));
  return line;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  while (!text.empty()) {
    const char32_t c = next_character(text);
    if (c >= 0x20 && !is_combining(c)) width += is_wide(c) ? 2 : 1;
  }
  return width;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = next_character(text);
    const bool control = (c < 0x20 && c != '\n' && c != '\t') || (c >= 0x7F && c < 0xA0);
    if (control)
      fmt::format_to(std::back_inserter(out), "\\x{:02x}", static_cast<std::uint32_t>(c));
    else if (turns_direction(c))
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c));
    else
      out += before.substr(0, before.size() - text.size());
  }
  return out;
}

std::string in_ascii(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const char32_t c = next_character(text);
    if (c >= 0x20 && c < 0x7F)
      out += static_cast<char>(c);
    else
      fmt::format_to(std::back_inserter(out), "\\u{{{:x}}}", static_cast<std::uint32_t>(c));
  }
  return out;
}

// Optimal string alignment: an insertion, deletion, substitution or swap of neighbors costs one.
static std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string& candidate : candidates) {
    // So many characters at least are inserted or deleted: a long word costs nothing.
    const std::size_t lengths = std::max(word.size(), candidate.size()) - std::min(word.size(), candidate.size());
    if (lengths >= best_distance) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance) {
      best_distance = distance;
      best = candidate;
    }
  }
  return best.empty() ? "" : " (did you mean '" + best + "'?)";
}

bool nests_too_deep(std::string_view json) {
  const auto opened = std::ranges::count(json, '[') + std::ranges::count(json, '{');
  if (opened <= kDeepestJson) return false;  // quickly said of most
  int depth = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (quoted && c == '\\') ++i;
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if ((c == '[' || c == '{') && ++depth > kDeepestJson) return true;
    if (c == ']' || c == '}') --depth;
  }
  return false;
}

}  // namespace reg
