#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace reg::markdown {

/// A fenced block of code: what stands behind the opening fence, and the lines between, without the marks of the
/// quotes and lists that the block lies in.
struct Block {
  std::string info;      ///< "lua title=nightly.lua", as it stands there
  std::string text;      ///< each line ended by \n
  std::size_t line = 0;  ///< of the Markdown, counted from 1: where the text's first line stands
  bool closed = false;   ///< false: no closing fence, it went to the end of the text, quote or list
};

/// The fenced blocks of a Markdown text that GitHub would show as code, in order: CommonMark's rules for fences, and
/// for quotes, lists, indented code and HTML as far as they decide what a fence is (one within an HTML comment is
/// none). Any bytes will do; CRLF is read as a line's end, and NUL as U+FFFD.
std::vector<Block> blocks(std::string_view text);

/// The first word behind the fence, in small letters: "lua".
std::string language(const Block& block);

}  // namespace reg::markdown
