#include "engine/process/command.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::process {
namespace {

namespace fs = std::filesystem;

// FAST= is a variable wherever a permission names it.
void check_name(const std::string& program) {
  if (program.ends_with('='))
    throw Error(ErrorKind::usage, "cannot run '" + program + "': a program's name must not end with '='");
}

std::vector<std::string> names_of_program(const Command& command) {
  check_name(command.argv.front());
  const std::string found = find_program(command);
  if (found.empty()) return {command.argv.front()};  // there is none, and spawn will say so
  const fs::path path = fs::absolute(found).lexically_normal();
  const std::string name = path.filename();
  // "." in somebody's PATH is no reason to take the workspace's "make" for the machine's.
  const std::string in_path = find_in_absolute_folders(own_path(), name);
  std::error_code ignored;
  if (!in_path.empty() && (in_path == path || fs::equivalent(in_path, path, ignored))) return {name, path};
  return {path};
}

// What the engine itself sets for commands: for its library, for an image that is a folder, with `gpus`, and for the
// times of imports, which Python prints.
bool is_own(std::string_view name) {
  return name == "REGENGINE_TRACE_DIR" || name == "REGENGINE_IMAGE" || name == visible_devices() ||
         name == "PYTHONPROFILEIMPORTTIME";
}

Need need_of_variable(const std::string& name, const std::string& value) {
  Need need{EffectKind::process, {name + "="}};
  need.to_the_letter = makes_programs_load(name);
  if (name == "CUDA_INJECTION64_PATH" || name == "NVTX_INJECTION64_PATH")
    need.names.push_back(value);  // it may be the engine's own library
  return need;
}

std::string identity_of(const Command& command, const std::string& words) {
  std::string text = words;
  for (const auto& [name, value] : command.env) text.append("\nenv ").append(name).append("=").append(value);
  for (const std::string& name : command.unset) text.append("\nunset ").append(name);
  if (command.leased) text.append("\nleased GPUs ").append(std::to_string(command.leased->uuids.size()));
  if (!command.cwd.empty()) text.append("\nin ").append(command.cwd);
  for (const auto& [inside, folder] : command.mounts) text.append("\n").append(folder).append(" at ").append(inside);
  if (!command.input.empty()) text.append("\nstdin ").append(sha256(command.input));
  return text;
}

}  // namespace

Effect effect_of(const Command& command) {
  Effect effect{EffectKind::process, shell_words(command.argv), {}};
  effect.identity = identity_of(command, effect.what);
  if (!command.argv.empty() && !command.argv.front().empty())
    effect.needs.push_back({EffectKind::process, names_of_program(command)});
  for (const auto& [name, value] : command.env)
    if (!is_own(name)) effect.needs.push_back(need_of_variable(name, value));
  // What it does there it could do without the mount.
  for (const auto& [inside, folder] : command.mounts) {
    effect.needs.push_back(uses(folder));
    effect.needs.push_back(uses(inside));
  }
  for (const std::string& file : {command.out_file, command.err_file})
    if (!file.empty()) effect.needs.push_back(writes(file));
  return effect;
}

namespace {

std::string find_in(const std::string& path, const std::string& name, bool relative_too) {
  for (const auto folder : split(path, ':')) {
    if (!relative_too && !folder.starts_with('/')) continue;
    std::string candidate = (folder.empty() ? "." : std::string(folder)) + "/" + name;
    if (::access(candidate.c_str(), X_OK) == 0 && !std::filesystem::is_directory(candidate))
      return std::filesystem::absolute(candidate);  // the command may start in another folder
  }
  return {};
}

}  // namespace

std::string own_path() {
  const char* inherited = std::getenv("PATH");
  return inherited != nullptr ? inherited : "/usr/bin:/bin";
}

std::string path_of(const Command& command) {
  const auto own = command.env.find("PATH");
  return own != command.env.end() ? own->second : own_path();
}

std::string find_program(const Command& command) {
  const std::string& word = command.argv.at(0);
  // A relative folder in the engine's own PATH would let the workspace stand in for docker or git.
  if (word.find('/') == std::string::npos) return find_in(path_of(command), word, command.env.contains("PATH"));
  if (word.front() == '/' || command.cwd.empty()) return word;
  return std::filesystem::absolute(std::filesystem::path(command.cwd) / word);
}

std::string find_in_absolute_folders(const std::string& path, const std::string& name) {
  return find_in(path, name, false);
}

}  // namespace reg::process
