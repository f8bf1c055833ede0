#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdlib>

#include "bindings/bind.h"
#include "bindings/embedded.h"
#include "bindings/local_images.h"
#include "bindings/permissions.h"
#include "bindings/registry.h"
#include "bindings/vm.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/regex.h"
#include "engine/base/spelling.h"
#include "engine/base/text.h"

// `core`, what the stdlib stands on and scripts never see, and `reg`, what scripts see.

namespace reg {

std::string_view find_embedded(std::string_view name) {
  const Embedded* end = kEmbedded + kEmbeddedCount;
  const Embedded* found = std::find_if(kEmbedded, end, [&](const Embedded& file) { return file.name == name; });
  return found == end ? std::string_view{} : found->text;
}

}  // namespace reg

namespace reg::lua {
namespace {

char core_key;

void push_core(lua_State* L) { lua_rawgetp(L, LUA_REGISTRYINDEX, &core_key); }

bool is_public_stdlib(std::string_view path) {
  return path.starts_with("stdlib/") && path.find('/', 7) == std::string_view::npos;
}

std::string stdlib_text(Vm& vm, const std::string& name) {
  const std::string& folder = vm.settings().stdlib_folder;
  if (!folder.empty()) return read_file_if_there(folder + "/" + name + ".lua").value_or("");
  return std::string(find_embedded("stdlib/" + name + ".lua"));
}

// Loads stdlib/<name>.lua and leaves what it returns on the stack; false when there is no such file. The file sees the
// script's globals, `core`, and a `require` of its own for other files of the stdlib.
bool load_stdlib(lua_State* L, const std::string& name) {
  Vm& vm = Vm::of(L);
  const std::string text = stdlib_text(vm, name);
  if (text.empty()) return false;
  if (luaL_loadbufferx(L, text.data(), text.size(), ("=stdlib/" + name + ".lua").c_str(), "t") != LUA_OK)
    throw Error(ErrorKind::internal, lua_tostring(L, -1));
  push_core(L);
  lua_getfield(L, -1, "environment");
  lua_setupvalue(L, -3, 1);
  lua_pop(L, 1);
  lua_call(L, 0, 1);
  return true;
}

// What `reg.<name>` is, cached in the table at upvalue-free registry place core.loaded.
bool push_member(lua_State* L, const std::string& name) {
  push_core(L);
  lua_getfield(L, -1, "loaded");
  push(L, name);
  if (lua_rawget(L, -2) != LUA_TNIL) return true;
  lua_pop(L, 1);
  const bool plain = std::all_of(name.begin(), name.end(),
                                 [](unsigned char c) { return std::islower(c) != 0 || c == '_' || c == '/'; });
  bool found = plain && load_stdlib(L, name);
  if (!found) {
    lua_getfield(L, -2, "nouns");
    found = lua_getfield(L, -1, name.c_str()) != LUA_TNIL;
    lua_remove(L, -2);
  }
  if (!found) return false;
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, name.c_str());
  return true;
}

std::vector<std::string> member_names(lua_State* L) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEmbeddedCount; ++i) {
    const std::string_view file = kEmbedded[i].name;
    if (is_public_stdlib(file)) names.emplace_back(file.substr(7, file.size() - 11));
  }
  push_core(L);
  lua_getfield(L, -1, "nouns");
  lua_pushnil(L);
  for (; lua_next(L, -2) != 0; lua_pop(L, 1)) names.emplace_back(lua_tostring(L, -2));
  lua_pop(L, 2);
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

int index_reg(lua_State* L) {
  const std::string name = lua_type(L, 2) == LUA_TSTRING ? lua_tostring(L, 2) : luaL_typename(L, 2);
  if (!push_member(L, name))
    throw Error(ErrorKind::usage, "reg has no '" + name + "'" + did_you_mean(name, member_names(L)));
  return 1;
}

int newindex_reg(lua_State* L) {
  throw Error(ErrorKind::usage,
              std::string("reg is not for writing: keep '") + luaL_tolstring(L, 2, nullptr) + "' in a local");
}

int pairs_reg(lua_State* L) {
  lua_getglobal(L, "next");
  lua_createtable(L, 0, 0);
  for (const std::string& name : member_names(L)) {
    if (push_member(L, name)) lua_setfield(L, 3, name.c_str());
    lua_settop(L, 3);
  }
  lua_pushnil(L);
  return 3;
}

int require_stdlib(lua_State* L) {
  const std::string name = check_string(L, 1, "the file's name");
  if (!push_member(L, name)) throw Error(ErrorKind::internal, "the stdlib has no file " + name + ".lua");
  return 1;
}

// --- core.* --------------------------------------------------------------------------------------------------------
int registered(lua_State* L) {
  push_registered(L);
  return 1;
}

int name_of_registered(lua_State* L) {
  push(L, registered_name(L, 1));
  return 1;
}

int embedded(lua_State* L) {
  const std::string_view text = find_embedded(check_string(L, 1, "the file's name"));
  if (text.empty()) return 0;
  push(L, text);
  return 1;
}

int embedded_names(lua_State* L) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEmbeddedCount; ++i) names.emplace_back(kEmbedded[i].name);
  push(L, names);
  return 1;
}

int settings(lua_State* L) {
  const Settings& s = Vm::of(L).settings();
  lua_createtable(L, 0, 10);
  set(L, "script", s.script_name);
  set(L, "title", s.script_title.empty() ? s.script_name : s.script_title);
  set(L, "text", s.script_text);
  set(L, "args", s.script_args);
  set(L, "reported", s.reported_args);
  push_list(L, s.required, [](lua_State* state, const std::pair<std::string, std::string>& module) {
    lua_createtable(state, 0, 2);
    set(state, "name", module.first);
    set(state, "text", module.second);
  });
  lua_setfield(L, -2, "required");
  lua_createtable(L, 0, static_cast<int>(s.files.size()));
  for (const auto& [name, line] : s.files) set(L, name.c_str(), static_cast<std::int64_t>(line));
  lua_setfield(L, -2, "files");
  set(L, "seed", s.seed);
  set(L, "quiet", s.quiet);
  set(L, "dry_run", s.dry_run);
  set(L, "workspace", s.workspace);
  return 1;
}

int words_for_shell(lua_State* L) {
  std::vector<std::string> words;
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, 1));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, 1, i);
    words.push_back(check_string(L, -1, "a word"));
    lua_pop(L, 1);
  }
  push(L, shell_words(words));
  return 1;
}

// Who runs this: the names that must not leave the machine.
int person(lua_State* L) {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  std::string user = variable("USER");
  if (user.empty()) user = variable("LOGNAME");
  lua_createtable(L, 0, 3);
  set(L, "home", variable("HOME"));
  set(L, "user", user);
  set(L, "host", host_name());
  return 1;
}

// core.set_script(title, text): what runs from now on, for what records it: at the prompt each line is another script.
int set_script(lua_State* L) {
  Settings& settings = Vm::of(L).settings();
  settings.script_title = check_string(L, 1, "the title");
  settings.script_text = check_string(L, 2, "the text");
  return 0;
}

int start_dry_run(lua_State* L) {
  Vm::of(L).settings().dry_run = true;
  Vm::of(L).guard().start_dry_run();
  return 0;
}

int start_quiet(lua_State* L) {
  Vm::of(L).settings().quiet = true;
  return 0;
}

int recorded(lua_State* L) {
  push_list(L, Vm::of(L).guard().recorded(), [](lua_State* state, const Effect& effect) {
    lua_createtable(state, 0, 2);
    set(state, "kind", to_string(effect.kind));
    set(state, "what", effect.what);
  });
  return 1;
}

// core.fail(kind, message, hint): raises an error of the engine's kind at the script's line.
int fail(lua_State* L) {
  const std::string kind = check_string(L, 1, "the kind");
  const std::string message = check_string(L, 2, "the message");
  const std::string hint = lua_isnoneornil(L, 3) ? "" : check_string(L, 3, "the hint");
  for (int k = 0; k <= static_cast<int>(ErrorKind::internal); ++k)
    if (kind == to_string(static_cast<ErrorKind>(k))) throw Error(static_cast<ErrorKind>(k), message, hint);
  throw Error(ErrorKind::internal, "core.fail: no kind '" + kind + "'");
}

int nearest(lua_State* L) {
  std::vector<std::string> candidates;
  const auto count = static_cast<lua_Integer>(lua_rawlen(L, 2));
  for (lua_Integer i = 1; i <= count; ++i) {
    lua_rawgeti(L, 2, i);
    candidates.push_back(check_string(L, -1, "a candidate"));
    lua_pop(L, 1);
  }
  push(L, did_you_mean(check_string(L, 1, "the word"), candidates));
  return 1;
}

int engine_version(lua_State* L) {
  push(L, version());
  return 1;
}

// Seconds on a clock that nobody sets.
int seconds(lua_State* L) {
  push(L, std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count());
  return 1;
}

int found_by_regex(lua_State* L) {
  push(L, regex_found(check_string(L, 1, "the expression"), check_string(L, 2, "the text")));
  return 1;
}

int hash(lua_State* L) {
  push(L, sha256(check_string(L, 1, "the text")));
  return 1;
}

int file_hash(lua_State* L) {
  const std::string path = check_string(L, 1, "the path");
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  push(L, sha256(read_file(path)));
  return 1;
}

// core.join_script(file, text): what the stdlib loads for the script is part of it.
int join_text(lua_State* L) {
  join_script(Vm::of(L).guard().policy(), check_string(L, 1, "the file"), check_string(L, 2, "the text"));
  return 0;
}

// core.shortest(x): the shortest text that reads as the same number, as "1.5e+00".
int shortest(lua_State* L) {
  std::array<char, 32> text{};
  const double number = check_number(L, 1, "the number");
  const auto end = std::to_chars(text.data(), text.data() + text.size(), number, std::chars_format::scientific);
  push(L, std::string_view(text.data(), static_cast<std::size_t>(end.ptr - text.data())));
  return 1;
}

// core.exit(code): ends the script. pcall would catch it, so only the stdlib has it, and only for --help.
int exit_script(lua_State* L) {
  const std::int64_t code = check_integer(L, 1, "the exit code");
  lua_createtable(L, 0, 1);
  set(L, "exit_code", code);
  return lua_error(L);
}

// Values that stand for themselves in an options table: reg.required, reg.optional, reg.several.
void add_mark(lua_State* L, const char* name) {
  lua_createtable(L, 0, 0);
  lua_createtable(L, 0, 1);
  set(L, "__name", std::string("reg.") + name);
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, name);
}

void add_noun(lua_State* L, const char* name, void (*bind)(lua_State*)) {
  lua_createtable(L, 0, 8);
  bind(L);
  lua_setfield(L, -2, name);
}

}  // namespace

void open_reg(lua_State* L) {
  lua_createtable(L, 0, 16);  // core
  register_functions(L, "core",
                     {{"registered", registered},
                      {"embedded", embedded},
                      {"embedded_names", embedded_names},
                      {"registered_name", name_of_registered},
                      {"settings", settings},
                      {"set_script", set_script},
                      {"person", person},
                      {"shell_words", words_for_shell},
                      {"start_dry_run", start_dry_run},
                      {"start_quiet", start_quiet},
                      {"recorded", recorded},
                      {"fail", fail},
                      {"did_you_mean", nearest},
                      {"regex_found", found_by_regex},
                      {"version", engine_version},
                      {"seconds", seconds},
                      {"sha256", hash},
                      {"file_hash", file_hash},
                      {"join_script", join_text},
                      {"shortest", shortest},
                      {"local_images", local_images},
                      {"exit", exit_script}});
  lua_createtable(L, 0, 16);
  add_noun(L, "container", bind_container);
  add_noun(L, "cuda", bind_cuda);
  add_noun(L, "fs", bind_fs);
  add_noun(L, "git", bind_git);
  add_noun(L, "gpu", bind_gpu);
  add_noun(L, "json", bind_json);
  add_noun(L, "time", bind_time);
  add_noun(L, "nvtx", bind_nvtx);
  add_noun(L, "trace", bind_trace);
  add_noun(L, "nsys", bind_nsys);
  add_noun(L, "process", bind_process);
  add_noun(L, "quiet", bind_quiet);
  add_noun(L, "report", bind_report);
  add_noun(L, "results", bind_results);
  add_noun(L, "search", bind_search);
  add_noun(L, "store", bind_store);
  add_noun(L, "verify", bind_verify);
  bind_input(L);
  bind_log(L);
  bind_permissions(L);
  bind_task(L);
  for (const char* mark : {"required", "optional", "several"}) add_mark(L, mark);
  lua_setfield(L, -2, "nouns");
  lua_createtable(L, 0, 16);
  lua_pushvalue(L, -1);
  lua_setfield(L, -3, "loaded");
  lua_insert(L, -2);  // below core, for reg

  lua_createtable(L, 0, 3);  // environment of the stdlib's files: core and its own require, else the script's globals
  lua_pushvalue(L, -2);
  lua_setfield(L, -2, "core");
  register_functions(L, "stdlib", {{"require", require_stdlib}});
  lua_createtable(L, 0, 1);
  lua_pushglobaltable(L);
  lua_setfield(L, -2, "__index");
  lua_setmetatable(L, -2);
  lua_setfield(L, -2, "environment");
  lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key);

  // What is loaded is found without a call; `loaded` asks index_reg for the rest.
  lua_createtable(L, 0, 1);
  register_functions(L, "reg", {{"__index", index_reg}});
  lua_setmetatable(L, -2);
  lua_createtable(L, 0, 0);  // reg
  lua_createtable(L, 0, 4);
  register_functions(L, "reg", {{"__newindex", newindex_reg}, {"__pairs", pairs_reg}});
  lua_pushvalue(L, -3);
  lua_setfield(L, -2, "__index");
  set(L, "__metatable", "reg");
  lua_setmetatable(L, -2);
  lua_setglobal(L, "reg");
  lua_pop(L, 1);
}

}  // namespace reg::lua
