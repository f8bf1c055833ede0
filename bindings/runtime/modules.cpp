#include "bindings/runtime/modules.h"

#include <algorithm>
#include <filesystem>

#include "bindings/runtime/embedded.h"
#include "bindings/runtime/vm.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/guard/trust_store.h"

namespace reg {

bool is_shipped(std::string_view text) {
  return std::any_of(kEmbedded, kEmbedded + kEmbeddedCount, [&](const Embedded& file) {
    return (file.name.starts_with("scripts/") || file.name.starts_with("examples/")) && file.text == text;
  });
}

bool is_own(const std::string& file, std::string_view text) {
  if (is_shipped(text)) return true;
  const TrustStore store = user_trust_store();
  const std::string path = real_path(file);
  const auto decision = store.find({path, sha256(text), "", {}, {}, {}});
  return (decision && decision->everything) || !store.trusted_path(path).empty();
}

void join_script(Policy& policy, const std::string& file, std::string_view text) {
  policy.join(file, text, is_own(file, text));
}

}  // namespace reg

namespace reg::lua {
namespace {

std::filesystem::path folder_of(const std::string& script) {
  const auto folder = std::filesystem::path(script).parent_path();
  return folder.empty() ? "." : folder;
}

// A link may lead to a file that is not a module: its text would come out as globals, or in a syntax error.
void admit_module(lua_State* L, const std::string& folder, const std::string& relative) {
  const std::filesystem::path path = std::filesystem::path(real_path(folder)) / relative;
  if (real_path(path.string()) != path)
    admit(L, {EffectKind::files, "load " + relative, {reads(path.string())}, false});
}

}  // namespace

int require_module(lua_State* L) {
  const std::string name = check_string(L, 1, "the module's name");
  const bool plain = !name.empty() && name.find("..") == std::string::npos && name.front() != '.' &&
                     name.back() != '.' && std::all_of(name.begin(), name.end(), [](unsigned char c) {
                       return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
                     });
  if (!plain)
    throw misuse(L, "not a valid module name: '" + name + "'", "Use letters, digits, '_', '-', and dots for folders.");
  luaL_getsubtable(L, LUA_REGISTRYINDEX, LUA_LOADED_TABLE);
  if (lua_getfield(L, 2, name.c_str()) != LUA_TNIL) return 1;

  std::string relative = name;
  std::replace(relative.begin(), relative.end(), '.', '/');
  Settings& settings = Vm::of(L).settings();
  const std::filesystem::path folder = folder_of(settings.script_name);
  std::string path = (folder / (relative + ".lua")).string();
  if (!settings.modules.contains(name)) admit_module(L, folder.string(), relative + ".lua");
  Module module;
  if (const auto shared = settings.modules.find(name); shared != settings.modules.end()) {
    module = shared->second;
    path = settings.script_name == "-" ? "stdin" : settings.script_name;
  } else if (auto text = read_file_if_there(path)) {
    module.text = std::move(*text);
  } else {
    throw Error(ErrorKind::not_found, "require: no such file: " + path,
                "Put the Lua file next to the script. The standard library is reg.*, without require.");
  }
  join_script(Vm::of(L).guard().policy(), path, module.text);
  settings.required.emplace_back(name, module.text);
  load_chunk(L, module.text, "@" + path, module.first_line);
  lua_pushvalue(L, 1);
  lua_call(L, 1, 1);
  if (lua_isnil(L, -1)) push(L, true);
  lua_pushvalue(L, -1);
  lua_setfield(L, 2, name.c_str());
  return 1;
}

}  // namespace reg::lua
