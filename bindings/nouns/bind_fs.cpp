#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/base/ids.h"

// Paths are relative to the workspace, the folder in which the engine was started. They are resolved before the policy
// is asked, so "..", symbolic links and absolute paths do not bypass it.

namespace reg::lua {
namespace {

namespace fs = std::filesystem;

// The path as it is asked for and used; whether it may be.
bool may(lua_State* L, const char* verb, std::string& path, bool changes) {
  path = real_path((fs::path(Vm::of(L).settings().workspace) / path).string());
  return admit(L, {EffectKind::files, verb + (" " + path), {changes ? writes(path) : reads(path)}, changes});
}

std::string read(lua_State* L, std::string path) {
  may(L, "read", path, false);
  std::error_code no_size;
  const std::uintmax_t bytes = fs::file_size(path, no_size), most = Vm::of(L).memory().limit();
  if (!no_size && bytes > most)
    throw Error(ErrorKind::usage, fmt::format("{} has {} bytes, more than the script may hold", path, bytes),
                "Allow more with --memory SIZE.");
  std::string text = read_file(path);
  if (Vm::of(L).guard().rehearsing()) Vm::of(L).guard().note(sha256(text));
  return text;
}

void write(lua_State* L, std::string path, const std::string& text) {
  if (may(L, "write", path, true) && !Vm::of(L).guard().policy().writes(path, text)) write_file(path, text);
}

void append(lua_State* L, std::string path, const std::string& text) {
  if (may(L, "append to", path, true)) append_file(path, text);
}

bool exists(lua_State* L, std::string path) {
  may(L, "look for", path, false);
  std::error_code unseen;  // a file in an unreadable folder counts as missing
  return fs::exists(path, unseen);
}

std::vector<std::string> list(lua_State* L, std::string path) {
  may(L, "list", path, false);
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path, error)) names.push_back(entry.path().filename());
  if (error) throw system_error(path, error.value());
  std::sort(names.begin(), names.end());
  return names;
}

void mkdir(lua_State* L, std::string path) {
  if (may(L, "create the folder", path, true)) make_folders(path);
}

void remove(lua_State* L, std::string path) {
  const std::string& workspace = Vm::of(L).settings().workspace;
  if (lies_in(workspace, real_path((fs::path(workspace) / path).string())))
    throw misuse(L, "cannot remove " + workspace + ", where regengine was started, or a folder above it");
  std::error_code error;
  if (may(L, "remove", path, true)) fs::remove_all(path, error);
  if (error) throw system_error(path, error.value());
}

std::string absolute(lua_State* L, std::string path) {
  may(L, "look for", path, false);
  return path;
}

}  // namespace

std::vector<Function> bind_fs(lua_State*) {
  return {REG_FUNCTIONS(read, write, append, exists, list, mkdir, remove, absolute)};
}

}  // namespace reg::lua
