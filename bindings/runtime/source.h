#pragma once

#include <cstddef>
#include <cstdint>
#include <lua.hpp>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/runtime/vm.h"
#include "engine/guard/policy.h"

namespace reg {

/// The names of the shipped strategies, "nightly.lua".
std::vector<std::string> shipped_scripts();

/// Reads the shipped strategy of this bare name, else a file, else the shipped "nightly.lua"; "-" is standard input.
/// From Markdown (recognized by the file's name, or by its content if it has another name) it takes the lua block; if
/// there are several, the one numbered `block`, counted from 1, or given as "--block N" at the front of `rest`, which
/// is removed there. Throws usage if there is no such script, or several blocks and no number.
Source find_source(const std::string& script, std::optional<std::size_t> block, std::vector<std::string>& rest);

/// Whether this is the text of a shipped strategy or example.
bool is_shipped(std::string_view text);

/// Makes `text`, read from `file`, part of the running script, so that the policy covers it, too. It is the user's own
/// if it is shipped or trusted.
void join_script(Policy& policy, const std::string& file, std::string_view text);

/// A file embedded in the binary. A Lua source is named as in the repository ("stdlib/sweep.lua"); the style of a
/// report's page is "page.css".
struct Embedded {
  std::string_view name;
  std::string_view text;
};

extern const Embedded kEmbedded[];
extern const std::size_t kEmbeddedCount;

/// The text of an embedded file, or an empty view if there is none of that name.
std::string_view find_embedded(std::string_view name);

}  // namespace reg

namespace reg::lua {

/// A script's `require`: loads a Lua file next to the script, or a module from the Markdown of a shared script. It does
/// not find the standard library.
int require_module(lua_State* L);

}  // namespace reg::lua
