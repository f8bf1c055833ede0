#include "engine/store/place.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <filesystem>

namespace reg::store {
namespace {

// Where an open file is now; "" if it was deleted.
std::string path_of(const Fd& file) {
  struct stat facts {};
  if (::fstat(file.get(), &facts) != 0 || facts.st_nlink == 0) return {};
  std::error_code error;
  const std::string path = std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", file.get()), error);
  return path.ends_with(" (deleted)") ? std::string() : path;
}

}  // namespace

void Place::watch(const std::string& path) {
  Fd file(::open(path.c_str(), O_PATH | O_CLOEXEC));
  if (file) files_.push_back({path, std::move(file)});
}

Place::Lost Place::lost() const {
  for (const File& one : files_) {
    struct stat opened {
    }, now{};
    const bool there = ::stat(one.path.c_str(), &now) == 0;
    if (::fstat(one.file.get(), &opened) != 0) continue;
    if (there && opened.st_ino == now.st_ino && opened.st_dev == now.st_dev) continue;
    return {one.path, path_of(one.file), there};
  }
  return {};
}

}  // namespace reg::store
