#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/runtime/vm.h"

namespace reg {

/// What the program runs: the text, and what its messages call the place it came from. A block of a Markdown file is
/// `text` alone, without what stands around it; `first_line` says where in the file it begins.
struct Source {
  std::string name;  ///< what messages show, with Lua's '@' or '=' before it
  std::string text;
  std::size_t first_line = 1;
  std::string title;  ///< of a shared script its file where it was shared, of a shipped one its file
  std::vector<std::string> reported_args;      ///< and the words it was started with there
  std::optional<std::int64_t> seed;            ///< and the seed of its random numbers
  std::map<std::string, lua::Module> modules;  ///< and what it requires, by name
  std::map<std::string, std::size_t> files;    ///< the lines of the blocks that hold other files, by their names
};

/// The names of the shipped strategies, "nightly.lua".
std::vector<std::string> shipped_scripts();

/// A file where there is one; else the shipped strategy of that name, with or without ".lua"; "-" is standard input.
/// Of Markdown - told by the file's name, on standard input by what is in it - it is the lua block; where there are
/// several the one numbered `block`, counted from 1, or said by "--block N" at the head of `rest`, which is taken out
/// there. Throws usage where there is none, or where it is not said which.
Source find_source(const std::string& script, std::optional<std::size_t> block, std::vector<std::string>& rest);

}  // namespace reg
