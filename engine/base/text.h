#pragma once

#include <charconv>
#include <concepts>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

std::vector<std::string_view> split(std::string_view text, char separator);  ///< "a,,b" gives three parts
std::vector<std::string_view> lines(std::string_view text);                  ///< without an empty last line
// The parts would outlive a temporary string.
template <std::same_as<std::string> Text>
void split(Text&&, char) = delete;
template <std::same_as<std::string> Text>
void lines(Text&&) = delete;
std::string_view trim(std::string_view text);

/// The number that the whole text is; none for any other text.
template <class Number>
std::optional<Number> whole_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// The words of a list such as "a b c".
std::vector<std::string> words(std::string_view list);
bool has_word(std::string_view list, std::string_view word);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// A command quoted for a shell: words with spaces or quotes in single quotes.
std::string shell_words(const std::vector<std::string>& argv);

/// Whether one of `parts` is in the text.
bool contains_any(std::string_view text, std::initializer_list<std::string_view> parts);

/// The last `count` lines, for an error message.
std::string tail(std::string_view text, std::size_t count);

/// The lines of a text as one, separated by spaces.
std::string joined_lines(std::string_view text);

struct Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< in bytes; 0: not valid UTF-8
};

/// The first character of a non-empty text. Strict UTF-8: no overlong forms, no surrogates, nothing above U+10FFFF.
Character character_at(std::string_view text);

/// The number of terminal columns of a UTF-8 text; wide and combining characters count as terminals show them.
std::size_t display_width(std::string_view text);

/// Escapes control characters (terminal escapes included) and bidirectional controls in Lua's notation, so that
/// untrusted text can neither control the terminal nor look like another text. Newlines and tabs stay.
std::string printable(std::string_view text);
/// With everything but printable ASCII escaped, "\u{430}": letters of other alphabets look like Latin ones.
std::string in_ascii(std::string_view text);

// Of ASCII only, so that the locale does not change how a text is parsed.
std::string in_small_letters(std::string_view text);

/// " (did you mean 'mounts'?)", or "" if no candidate is close.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates);

/// The levels of JSON text that are read: each takes a frame of the C stack where it is copied or written.
inline constexpr int kDeepestJson = 200;

/// Whether the text nests deeper than that. Counts brackets only, so it is safe for any text.
bool nests_too_deep(std::string_view json);

/// JSON text of others as a value of nlohmann's; discarded where it is not valid or nests too deep.
template <class Json>
Json parse_json(std::string_view text) {
  return nests_too_deep(text) ? Json(Json::value_t::discarded) : Json::parse(text, nullptr, false);
}

}  // namespace reg
