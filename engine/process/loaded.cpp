#include "engine/process/loaded.h"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"

namespace reg::process {
namespace {

// The file of a line of /proc/PID/maps that is mapped to be executed; "" for any other line:
// "7f2c00-7f2d00 r-xp 00001000 08:01 1234    /path/of/lib.so"
std::string_view executed_file(std::string_view line) {
  const auto permissions = line.find(' ');
  const auto path = line.find('/');
  if (permissions == std::string_view::npos || path == std::string_view::npos) return {};
  if (line.substr(permissions + 1, 4).find('x') == std::string_view::npos) return {};
  return line.substr(path);
}

// The same as long as nobody writes the file.
using State = std::array<std::int64_t, 5>;

State state_of(const struct stat& file) {
  return {static_cast<std::int64_t>(file.st_dev), static_cast<std::int64_t>(file.st_ino), file.st_size,
          file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec,
          file.st_ctim.tv_sec * 1'000'000'000 + file.st_ctim.tv_nsec};
}

// "" if the file is gone.
std::string known_id_of(const std::string& path) {
  static std::mutex access;
  static std::map<State, std::string> known;
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0 || !S_ISREG(file.st_mode)) return {};
  const State state = state_of(file);
  {
    const std::scoped_lock hold(access);
    if (const auto found = known.find(state); found != known.end()) return found->second;
  }
  try {
    std::string id = "sha256:" + sha256_of_file(path);
    const std::scoped_lock hold(access);
    return known.emplace(state, std::move(id)).first->second;
  } catch (const Error&) {
    return {};  // it went away just now
  }
}

// Where the file lies that a command with these mounts sees at `path`.
std::string behind_mounts(const std::map<std::string, std::string>& folders, const std::string& path) {
  for (const auto& [inside, folder] : folders)
    if (path.starts_with(inside) && (path.size() == inside.size() || path[inside.size()] == '/'))
      return folder + path.substr(inside.size());
  return path;
}

}  // namespace

Loaded::Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts) {
  for (const auto& [inside, folder] : mounts) mounts_.emplace(real_path(inside), folder);
  for (const std::string& folder : folders) {
    const std::string path = real_path(folder);
    folders_.push_back(path == "/" ? path : path + "/");
  }
}

void Loaded::look_at(pid_t pid) {
  const auto maps = read_file_if_there(fmt::format("/proc/{}/maps", pid));
  if (!maps) return;
  for (const auto line : lines(*maps)) {
    const auto file = executed_file(line);
    const bool below = std::any_of(folders_.begin(), folders_.end(),
                                   [&](const std::string& folder) { return file.starts_with(folder); });
    if (below) files_.emplace(file);
  }
}

std::map<std::string, std::string> Loaded::ids() const {
  std::map<std::string, std::string> ids;
  for (const std::string& file : files_)
    if (std::string id = known_id_of(behind_mounts(mounts_, file)); !id.empty()) ids.emplace(file, std::move(id));
  return ids;
}

}  // namespace reg::process
