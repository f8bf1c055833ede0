#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <vector>

namespace reg {

std::vector<std::string_view> split(std::string_view text, char separator);  ///< "a,,b" gives three pieces
std::vector<std::string_view> lines(std::string_view text);                  ///< without a last empty one
// Their pieces would outlive a text that is given away.
template <std::same_as<std::string> Text>
void split(Text&&, char) = delete;
template <std::same_as<std::string> Text>
void lines(Text&&) = delete;
std::string_view trim(std::string_view text);
std::string join(const std::vector<std::string>& parts, std::string_view separator);

/// A command as a person would type it: words with blanks or quotes in single quotes.
std::string shell_words(const std::vector<std::string>& argv);

/// The last `count` lines, for an error message.
std::string tail(std::string_view text, std::size_t count);

struct Character {
  char32_t code = 0;
  std::size_t size = 0;  ///< in bytes; 0: these bytes are no UTF-8
};

/// The character that the text, which is not empty, begins with; as the standard has it: no overlong forms, no
/// surrogates, nothing above U+10FFFF.
Character character_at(std::string_view text);

/// Marks, embeddings, overrides and isolates of right-to-left writing: with them a text looks like another one.
bool turns_direction(char32_t c);

/// Columns the text takes in a terminal: UTF-8, wide and combining characters counted as terminals do.
std::size_t display_width(std::string_view text);

/// Control characters (terminal escapes among them) and those that turn the direction of writing made visible, as Lua
/// would write them, so that foreign text can neither drive the terminal nor look like another. Newlines and tabs stay.
std::string printable(std::string_view text);

}  // namespace reg
