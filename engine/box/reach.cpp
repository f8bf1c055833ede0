#include "engine/box/reach.h"

#include <filesystem>

namespace reg::box {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDevices = "/dev";

// A folder is public if all in it is; of another one, `found` gets the parts that are. Passwords and private keys lie
// between files that every program needs: root would read them all.
bool is_public(const fs::path& path, std::vector<std::string>& found) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  const bool folder = fs::is_directory(status);
  const fs::perms needed = folder ? fs::perms::others_read | fs::perms::others_exec : fs::perms::others_read;
  if (failed || (status.permissions() & needed) != needed) return false;
  if (!folder || fs::is_symlink(path, failed)) return true;
  std::vector<std::string> parts;
  bool all = true;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (is_public(entry->path(), parts))
      parts.push_back(entry->path());
    else
      all = all && fs::is_symlink(fs::symlink_status(entry->path(), failed));
  }
  if (!all) found.insert(found.end(), parts.begin(), parts.end());
  return all;
}

std::vector<std::string> gpus() {
  std::vector<std::string> found{"/dev/dri", "/dev/kfd", "/dev/dxg"};
  std::error_code failed;
  for (fs::directory_iterator entry(kDevices, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().filename().string().starts_with("nvidia")) found.push_back(entry->path());
  return found;
}

Reach look_around() {
  Reach reach;
  reach.read = {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix/store", "/sys", "/proc"};
  if (is_public("/etc", reach.read)) reach.read.emplace_back("/etc");
  reach.write = {"/dev/shm"};
  reach.devices = gpus();
  for (const char* device : {"null", "zero", "full", "random", "urandom", "tty"})
    reach.devices.push_back(std::string(kDevices) + "/" + device);
  return reach;
}

}  // namespace

const Reach& reach_of_programs() {
  static const Reach reach = look_around();
  return reach;
}

}  // namespace reg::box
