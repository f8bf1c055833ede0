#include <filesystem>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/artifact/compiled.h"
#include "engine/base/ids.h"
#include "engine/process/build_id.h"

// For stdlib/artifact.lua.

namespace reg::lua {
namespace {

std::string readable_path(lua_State* L) {
  std::string path = check_string(L, 1, "the path");
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  return path;
}

// artifact.facts(path): what identifies a file, whatever its name.
int facts(lua_State* L) {
  const std::string path = readable_path(L);
  const std::string build_id = process::build_id_of(path);
  std::string content = artifact::hash_of_program(path);
  if (content.empty()) content = artifact::hash_of_archive(path);
  lua_createtable(L, 0, 3);
  set(L, "sha256", sha256_of_file(path));
  if (!build_id.empty()) set(L, "build_id", build_id);
  if (!content.empty()) set(L, "content", content);
  return 1;
}

// artifact.find(path): the compiled files below a folder; nil for a file.
int find(lua_State* L) {
  const std::string path = readable_path(L);
  std::error_code ignored;
  if (!std::filesystem::is_directory(path, ignored)) return 0;
  push(L, artifact::compiled_files(path));
  return 1;
}

}  // namespace

void bind_artifact(lua_State* L) { register_functions(L, "artifact", {{"facts", facts}, {"find", find}}); }

}  // namespace reg::lua
