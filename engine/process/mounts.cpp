#include "engine/process/mounts.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sched.h>
#include <sys/mount.h>
#include <unistd.h>

namespace reg::process {
namespace {

bool write_to(const char* path, std::string_view text) {
  const int file = ::open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  return ::close(file) == 0 && written;
}

}  // namespace

Mounts::Mounts(const std::map<std::string, std::string>& folders)
    : folders_(folders.begin(), folders.end()),
      users_(fmt::format("{0} {0} 1", ::geteuid())),
      groups_(fmt::format("{0} {0} 1", ::getegid())) {}

bool Mounts::enter() const {
  if (folders_.empty()) return true;
  if (::unshare(CLONE_NEWNS) != 0 && !enter_user_namespace()) return false;
  // Otherwise the rest of the machine would see the mounts.
  if (::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return false;
  for (const auto& [inside, folder] : folders_)
    if (::mount(folder.c_str(), inside.c_str(), nullptr, MS_BIND | MS_REC, nullptr) != 0) return false;
  return true;
}

bool Mounts::enter_user_namespace() const {
  return ::unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 && write_to("/proc/self/uid_map", users_) &&
         write_to("/proc/self/setgroups", "deny") && write_to("/proc/self/gid_map", groups_);
}

std::string behind_mounts(const std::map<std::string, std::string>& folders, const std::string& path) {
  for (const auto& [inside, folder] : folders)
    if (path.starts_with(inside) && (path.size() == inside.size() || path[inside.size()] == '/'))
      return folder + path.substr(inside.size());
  return path;
}

}  // namespace reg::process
