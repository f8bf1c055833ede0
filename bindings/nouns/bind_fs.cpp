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

fs::path path_argument(lua_State* L) {
  const std::string given = check_string(L, 1, "the path");
  return real_path((fs::path(Vm::of(L).settings().workspace) / given).string());
}

bool may(lua_State* L, const char* verb, const fs::path& path, bool changes) {
  return admit(L, {EffectKind::files,
                   std::string(verb) + " " + path.string(),
                   {changes ? writes(path.string()) : reads(path.string())},
                   changes});
}

int read(lua_State* L) {
  const auto path = path_argument(L);
  may(L, "read", path, false);
  std::error_code no_size;
  const std::uintmax_t bytes = fs::file_size(path, no_size), most = Vm::of(L).memory().limit();
  if (!no_size && bytes > most)
    throw Error(ErrorKind::usage, fmt::format("{} has {} bytes, more than the script may hold", path.string(), bytes),
                "Allow more with --memory SIZE.");
  const std::string text = read_file(path);
  if (Vm::of(L).guard().rehearsing()) Vm::of(L).guard().note(sha256(text));
  return push(L, text);
}

int write(lua_State* L) {
  const auto path = path_argument(L);
  const std::string text = check_string(L, 2, "the text");
  if (may(L, "write", path, true) && !Vm::of(L).guard().policy().writes(path, text)) write_file(path, text);
  return 0;
}

int append(lua_State* L) {
  const auto path = path_argument(L);
  const std::string text = check_string(L, 2, "the text");
  if (may(L, "append to", path, true)) append_file(path, text);
  return 0;
}

int exists(lua_State* L) {
  const auto path = path_argument(L);
  may(L, "look for", path, false);
  std::error_code unseen;  // a file in an unreadable folder counts as missing
  return push(L, fs::exists(path, unseen));
}

int list(lua_State* L) {
  const auto path = path_argument(L);
  may(L, "list", path, false);
  std::error_code error;
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(path, error)) names.push_back(entry.path().filename());
  if (error) throw system_error(path, error.value());
  std::sort(names.begin(), names.end());
  return push(L, names);
}

int mkdir(lua_State* L) {
  const auto path = path_argument(L);
  if (may(L, "create the folder", path, true)) make_folders(path);
  return 0;
}

int remove(lua_State* L) {
  const auto path = path_argument(L);
  const std::string& workspace = Vm::of(L).settings().workspace;
  if (lies_in(workspace, path.string()))
    throw misuse(L, "cannot remove " + workspace + ", where regengine was started, or a folder above it");
  std::error_code error;
  if (may(L, "remove", path, true)) fs::remove_all(path, error);
  if (error) throw system_error(path, error.value());
  return 0;
}

int absolute(lua_State* L) {
  const auto path = path_argument(L);
  may(L, "look for", path, false);
  return push(L, path.string());
}

}  // namespace

void bind_fs(lua_State* L) {
  register_functions(L, "fs",
                     {{"read", read},
                      {"write", write},
                      {"append", append},
                      {"exists", exists},
                      {"list", list},
                      {"mkdir", mkdir},
                      {"remove", remove},
                      {"absolute", absolute}});
}

}  // namespace reg::lua
