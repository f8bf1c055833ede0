#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg::markdown {

/// A fenced block of code in a language.
struct Block {
  std::string info;      ///< the words after the opening fence, as they are written: "lua title=nightly.lua"
  std::string text;      ///< each line ends with \n; without the marks of the quotes and lists around the block
  std::size_t line = 0;  ///< of the Markdown, from 1: the first line of the text
};

/// The fenced blocks that have words after the fence, in order, by the rules of CommonMark. Bytes that are not UTF-8
/// stay as they are, NUL becomes U+FFFD.
std::vector<Block> blocks(std::string_view text);

/// The first word after the fence, in lowercase: "lua".
std::string language(const Block& block);

/// What `regengine share` writes after a fence and the language:
///   lua title=nightly.lua options=["--from","2024-03-01"] seed=7
///   lua module=quickstart_repo
struct Reported {
  std::string title;                 ///< the file name of the script
  std::string module;                ///< the name by which another block requires this one; "" for a script
  std::vector<std::string> options;  ///< the command line it was reported with
  std::optional<std::int64_t> seed;  ///< of its random numbers
};

/// Ignores other words. Throws usage if `options` is not a list of strings or `seed` is not an integer.
Reported read_info(std::string_view info);

}  // namespace reg::markdown
