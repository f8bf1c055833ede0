#include "engine/process/program.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "engine/base/text.h"

namespace reg::process {
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
