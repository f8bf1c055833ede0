#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

#include "engine/guard/policy.h"

namespace reg {

/// Whether this is the text of a shipped strategy or example.
bool is_shipped(std::string_view text);

/// Whether a file with this text is the user's own: shipped or trusted.
bool is_own(const std::string& file, std::string_view text);

/// Makes `text`, read from `file`, part of the running script, so that the policy covers it, too.
void join_script(Policy& policy, const std::string& file, std::string_view text);

}  // namespace reg

namespace reg::lua {

/// A script's `require`: loads a Lua file next to the script, or a module from the Markdown of a shared script. It does
/// not find the standard library.
int require_module(lua_State* L);

}  // namespace reg::lua
