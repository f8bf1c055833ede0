#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/source.h"
#include "bindings/runtime/vm.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/base/time.h"
#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"
#include "engine/results/run.h"

// `core`: functions for the standard library only; scripts cannot reach it.

namespace reg::lua {
namespace {

using results::python_number;

int name_of_registered(lua_State* L) { return push(L, registered_name(L, 1)); }

// The text of a file in the binary; nil for none of that name.
std::optional<std::string_view> embedded(const std::string& name) {
  const std::string_view text = find_embedded(name);
  return text.empty() ? std::nullopt : std::optional(text);
}

std::vector<std::string> embedded_names() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < kEmbeddedCount; ++i) names.emplace_back(kEmbedded[i].name);
  return names;
}

int settings(lua_State* L) {
  const Settings& s = Vm::of(L).settings();
  lua_createtable(L, 0, 10);
  REG_SET(L, s, script, args, quiet, dry_run, workspace, title);
  REG_SET(L, s.source, text, reported, seed, files);
  set(L, "required", s.required, [](lua_State* state, const std::pair<std::string, std::string>& module) {
    lua_createtable(state, 0, 2);
    set(state, "name", module.first);
    set(state, "text", module.second);
  });
  return 1;
}

// Raises unavailable where instructions cannot be counted.
void check_instructions() { process::check_counter(process::kInstructions); }

// core.at_terminal(): whether a person is there to answer a question: stdin and stderr are this job's terminal, and it
// is not CI, which may lend a terminal at which nobody sits.
bool at_terminal() {
  const std::string ci = variable("CI");
  const bool in_ci = !ci.empty() && ci != "false";
  return !in_ci && ::isatty(STDIN_FILENO) != 0 && ::isatty(STDERR_FILENO) != 0 &&
         ::tcgetpgrp(STDIN_FILENO) == ::getpgrp();
}

// core.ask(question): the answer that a person types at the terminal, one line; "" for none, and after Ctrl-C.
std::string ask(const std::string& question) {
  const Fd terminal(::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY));
  std::string line;
  if (!terminal) return line;
  write_all(terminal.get(), question, "the terminal");
  pollfd input{terminal.get(), POLLIN, 0};
  char key = 0;
  while (::poll(&input, 1, -1) > 0 && ::read(terminal.get(), &key, 1) == 1 && key != '\n') line += key;
  return line;
}

// The user and the host: names to redact in what leaves the machine.
int person(lua_State* L) {
  std::string user = variable("USER");
  if (user.empty()) user = variable("LOGNAME");
  lua_createtable(L, 0, 3);
  set(L, "home", variable("HOME"));
  set(L, "user", user);
  set(L, "host", host_name());
  return 1;
}

// core.set_script { script =, title =, text =, args =, reported =, quiet =, dry_run = }, as core.settings() returns
// them: what runs and is recorded from now on. At the prompt each line is another script.
void set_script(lua_State* L, const Options& options) {
  Vm& vm = Vm::of(L);
  Settings& settings = vm.settings();
  REG_GET(options, settings, script, args, quiet, dry_run);
  REG_GET(options, settings.source, title, text, reported);
  if (!settings.dry_run) vm.guard().end_dry_run();
}

void start_dry_run(lua_State* L) {
  Vm::of(L).settings().dry_run = true;
  Vm::of(L).guard().start_dry_run();
}

void start_quiet(lua_State* L) { Vm::of(L).settings().quiet = true; }

// core.untrusted(): whether code that the user neither wrote nor trusts may have made what is called now.
bool untrusted(lua_State* L) { return !Vm::of(L).guard().policy().untrusted_script().empty(); }

// core.recorded(): what a dry run would have done so far, a list of strings.
int recorded(lua_State* L) {
  return push_list(L, Vm::of(L).guard().recorded(),
                   [](lua_State* state, const Effect& effect) { push(state, effect.what); });
}

// core.fail(kind, message, hint): raises an Error at the script's line.
void fail(const std::string& kind, const std::string& message, const std::optional<std::string>& hint) {
  const auto known = error_kind(kind);
  if (!known) throw Error(ErrorKind::usage, "core.fail: not a valid kind: '" + kind + "'");
  throw Error(*known, message, hint.value_or(""));
}

// core.check_keys(function, options, keys): the options. Raises usage for one that the function does not have.
int check_keys_of(lua_State* L) {
  check_keys(L, 2, check_string(L, 1, "the function's name"), join(check_list(L, 3, "the keys"), " "));
  lua_settop(L, 2);
  return 1;
}

// core.shortage_in(output): the line that says that the machine ran out of something; nil if none does.
std::optional<std::string> shortage(const std::string& output) {
  const std::string line = shortage_in(output);
  return line.empty() ? std::nullopt : std::optional(line);
}

// core.read_time(text, strftime_format): nil for text in another format.
std::optional<UnixTime> read_time(const std::string& text, const std::string& format) {
  return parse_time(text, format);
}

// core.stdin(): all of standard input.
std::string read_stdin() { return {std::istreambuf_iterator<char>(std::cin), {}}; }

std::string file_hash(lua_State* L, const std::string& path) {
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  return sha256_of_file(path);
}

// core.is_regular_file(path): false for what a read may wait for, such as a pipe.
bool is_regular_file(lua_State* L, const std::string& given) {
  const std::string path = real_path((std::filesystem::path(Vm::of(L).settings().workspace) / given).string());
  admit(L, {EffectKind::files, "look for " + path, {reads(path)}, false});
  std::error_code unseen;
  return std::filesystem::is_regular_file(path, unseen);
}

// core.join_script(file, text): makes a file that the stdlib loads part of the script.
void join_text(lua_State* L, const std::string& file, const std::string& text) {
  join_script(Vm::of(L).guard().policy(), file, text);
}

// core.trust_saved(file, text): lets the script, which the user typed, do everything as long as it has this text.
void trust_saved(const std::string& file, const std::string& text) {
  user_trust_store().save(Decision{real_path(file), sha256(text), "", {}, {}, {}, true});
}

// core.hand_over(text): gives it to the process outside that waits for it. False where there is none.
bool hand_over(lua_State* L, const std::string& text) { return Vm::of(L).guard().policy().writes("", text); }

// core.handed(): what the same command, run in the box before, handed over; nil for nothing.
auto handed(lua_State* L) { return Vm::of(L).settings().handed; }

// core.exit(code): ends the script. pcall catches it, so only the stdlib uses it, for --help.
int exit_script(lua_State* L) {
  lua_createtable(L, 0, 1);
  set(L, "exit_code", check_integer(L, 1, "the exit code"));
  return lua_error(L);
}

// --- the files of the library, which see `core`
char core_key;

std::string stdlib_text(Vm& vm, const std::string& name) {
  const std::string& folder = vm.settings().stdlib_folder;
  if (!folder.empty()) return read_file_if_there(folder + "/" + name + ".lua").value_or("");
  return std::string(find_embedded("stdlib/" + name + ".lua"));
}

// Compiles stdlib/<name>.lua and leaves the function on the stack; false without such a file. The file sees the
// script's globals, `core`, and its own `require` for other files of the standard library.
bool compile_stdlib(lua_State* L, const std::string& name) {
  const std::string text = stdlib_text(Vm::of(L), name);
  if (text.empty()) return false;
  if (luaL_loadbufferx(L, text.data(), text.size(), ("=stdlib/" + name + ".lua").c_str(), "t") != LUA_OK)
    throw Error(ErrorKind::internal, lua_tostring(L, -1));
  lua_rawgetp(L, LUA_REGISTRYINDEX, &core_key);
  lua_getfield(L, -1, "environment");
  lua_setupvalue(L, -3, 1);
  lua_pop(L, 1);
  return true;
}

// core.compile(name): nil if the file does not exist.
int compile(lua_State* L) { return compile_stdlib(L, check_string(L, 1, "the file's name")) ? 1 : 0; }

}  // namespace

std::vector<Function> bind_core(lua_State*) {
  return {REG_FUNCTIONS(embedded, embedded_names, settings, set_script, person, at_terminal, ask, engine_id,
                        check_instructions, shell_words, start_dry_run, start_quiet, untrusted, stops, recorded, fail,
                        did_you_mean, version, sha256, read_time, file_hash, is_regular_file, trust_saved,
                        python_number, hand_over, handed, compile),
          {"registered", push_registered},
          {"registered_name", name_of_registered},
          {"retry_for", call<retry_network_for>},
          {"check_keys", call<check_keys_of>},
          {"regex_found", call<results::regex_found>},
          {"seconds", call<seconds_now>},
          {"stdin", call<read_stdin>},
          {"shortage_in", call<shortage>},
          {"join_script", call<join_text>},
          {"exit", exit_script}};
}

void open_reg(lua_State* L) {
  lua_createtable(L, 0, 64);  // core
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &core_key);
  for (const auto bind : {bind_core, bind_rehearsal, bind_container_options, bind_open_worktrees, bind_outputs})
    register_functions(L, "core", bind(L));

  luaL_getsubtable(L, LUA_REGISTRYINDEX, kClasses);  // the library adds methods to them
  lua_setfield(L, -2, "classes");

  lua_createtable(L, 0, 32);  // nouns
#define REG_BIND(a, b, noun)                    \
  lua_createtable(L, 0, 8);                     \
  register_functions(L, #noun, bind_##noun(L)); \
  lua_setfield(L, -2, #noun);
  REG_FOR(REG_BIND, REG_NOUNS)
  for (const auto bind : {bind_log, bind_permissions, bind_task}) register_functions(L, "", bind(L));
  lua_setfield(L, -2, "nouns");

  // What the stdlib sees: core, its own require, and the script's globals.
  load_chunk(L, "local core = ... core.environment = setmetatable({ core = core }, { __index = _G })", "=stdlib");
  lua_insert(L, -2);
  lua_call(L, 1, 0);

  push_program(L, "boot");
  lua_call(L, 0, 0);
}

void push_program(lua_State* L, const std::string& name) {
  if (!compile_stdlib(L, "lib/program/" + name))
    throw Error(ErrorKind::internal, "the standard library has no program " + name);
}

}  // namespace reg::lua
