#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"
#include "engine/artifact/content.h"
#include "engine/base/ids.h"
#include "engine/process/build_id.h"

namespace reg::lua {
namespace {

// For stdlib/artifact.lua: artifact.facts(path): what identifies a file, whatever its name.
int facts(lua_State* L) {
  const std::string path = check_string(L, 1, "the path");
  admit(L, {EffectKind::files, "read " + path, {reads(path)}, false});
  const std::string build_id = process::build_id_of(path);
  std::string content = artifact::hash_of_program(path);
  if (content.empty()) content = artifact::hash_of_archive(path);
  lua_createtable(L, 0, 3);
  set(L, "sha256", sha256_of_file(path));
  if (!build_id.empty()) set(L, "build_id", build_id);
  if (!content.empty()) set(L, "content", content);
  return 1;
}

}  // namespace

void bind_artifact(lua_State* L) { register_functions(L, "artifact", {{"facts", facts}}); }

}  // namespace reg::lua
