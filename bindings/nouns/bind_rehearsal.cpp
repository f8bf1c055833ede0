#include <algorithm>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/ids.h"

// core.rehearse and what else the stdlib needs to tell what a measurement depends on (stdlib/lib/identity).

namespace reg::lua {
namespace {

// core.rehearse(f, ...): calls f, with its effects held back. Returns whether it came to its end, and what it would do,
// a list of { kind =, text =, image =, runtime =, folder = }.
int rehearse(lua_State* L) {
  check_function(L, 1);
  Guard& guard = Vm::of(L).guard();
  guard.start_rehearsal();
  const std::shared_ptr<void> ends(nullptr, [&guard](void*) { guard.end_rehearsal(); });  // whatever is raised
  bool whole = lua_pcall(L, lua_gettop(L) - 1, 0, 0) == LUA_OK;
  const std::vector<Effect> noted = guard.end_rehearsal();
  whole = whole && std::none_of(noted.begin(), noted.end(),
                                [](const Effect& effect) { return effect.identity == kRehearsalStopped; });
  push(L, whole);
  push_list(L, noted, [](lua_State* state, const Effect& effect) {
    lua_createtable(state, 0, 5);
    set(state, "kind", effect.what.empty() ? "note" : to_string(effect.kind));
    set(state, "text", effect.identity.empty() ? effect.what : effect.identity);
    if (!effect.image.empty()) {
      set(state, "image", effect.image);
      set(state, "runtime", effect.what.substr(0, effect.what.find(' ')));
    }
    if (!effect.folder.empty()) set(state, "folder", effect.folder);
  });
  return 2;
}

// core.note(text): adds to what the rehearsal notes.
void note(lua_State* L, const std::string& text) { Vm::of(L).guard().note(text); }

int append(lua_State*, const void* bytes, std::size_t size, void* into) {
  static_cast<std::string*>(into)->append(static_cast<const char*>(bytes), size);
  return 0;
}

// core.dump(f): string.dump of a function of a script, stripped. Only false for a function of the standard library,
// nothing for a C function.
int dump(lua_State* L) {
  check_function(L, 1);
  if (lua_iscfunction(L, 1) != 0) return 0;
  lua_settop(L, 1);
  lua_Debug info;
  lua_pushvalue(L, 1);
  lua_getinfo(L, ">S", &info);
  if (std::string_view(info.source).starts_with("=stdlib/")) return push(L, false);
  std::string bytes;
  lua_dump(L, append, &bytes, 1);
  return push(L, bytes);
}

// core.upvalue(f, i): true and the value; nothing if there is none. Those of C functions are the engine's own.
int upvalue(lua_State* L) {
  check_function(L, 1);
  if (lua_iscfunction(L, 1) != 0) return 0;
  push(L, true);
  return lua_getupvalue(L, 1, static_cast<int>(check_integer(L, 2, "the index"))) == nullptr ? 0 : 2;
}

void set_upvalue(lua_State* L) {
  check_function(L, 1);
  if (lua_iscfunction(L, 1) != 0) throw misuse(L, "the function must not be one of C");
  lua_settop(L, 3);
  lua_setupvalue(L, 1, static_cast<int>(check_integer(L, 2, "the index")));
}

// core.path_hash(path): the hash of a file's contents, or of the names and contents of all files below a folder.
std::string path_hash(lua_State* L, const std::string& path) {
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  return hash_of_path(path);
}

// reg.needs{ KIND = "PATTERN" or { "PATTERN", ... } }
void needs(lua_State* L, const Options& options) {
  Policy& policy = Vm::of(L).guard().policy();
  for (const std::string& name : effect_kind_names()) {
    if (!options.has(name.c_str())) continue;
    const EffectKind kind = *effect_kind(name);
    const bool one = lua_type(L, options.push(name.c_str())) == LUA_TSTRING;
    lua_pop(L, 1);
    for (const std::string& pattern :
         one ? std::vector<std::string>{options.required_text(name.c_str())} : options.list(name.c_str())) {
      Patterns().add(kind, pattern);  // an invalid pattern is an error even in a trusted script
      policy.declare(kind, pattern);
    }
  }
}

}  // namespace

std::vector<Function> bind_rehearsal(lua_State*) {
  return {REG_FUNCTIONS(rehearse, note, dump, upvalue, set_upvalue, variables, path_hash),
          {"processor", call<cpu_model>}};
}

std::vector<Function> bind_permissions(lua_State*) {
  return {{"needs", call<needs>, "container files git gpu machine process unboxed"}};
}

}  // namespace reg::lua
