#pragma once

#include <lua.hpp>
#include <string>
#include <string_view>

#include "engine/guard/policy.h"

namespace reg {

/// Whether this is the text of a shipped strategy or example.
bool is_shipped(std::string_view text);

/// From now on `text`, read from `file`, is part of the running script, and the policy covers it too.
void join_script(Policy& policy, const std::string& file, std::string_view text);

}  // namespace reg

namespace reg::lua {

/// A script's `require`: loads a Lua file that lies beside the script, or a module out of the shared script's Markdown.
/// It finds nothing of the standard library.
int require_module(lua_State* L);

}  // namespace reg::lua
