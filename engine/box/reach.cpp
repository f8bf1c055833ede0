#include "engine/box/reach.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace reg::box {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDevices = "/dev";

bool is_readable(const fs::file_status& status) {
  const fs::perms needed =
      fs::is_directory(status) ? fs::perms::others_read | fs::perms::others_exec : fs::perms::others_read;
  return fs::exists(status) && (status.permissions() & needed) == needed;
}

// A folder is public if all in it is; of another one, `found` gets the parts that are. Passwords and private keys lie
// between files that every program needs: root would read them all. Links count where they lead, so they are looked at
// only where they have to be named.
bool is_public(const fs::path& path, std::vector<std::string>& found) {
  std::error_code failed;
  const fs::file_status status = fs::status(path, failed);
  if (!is_readable(status)) return false;
  if (!fs::is_directory(status)) return true;
  std::vector<std::string> parts, links;
  bool all = true;
  for (fs::directory_iterator entry(path, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->is_symlink(failed))
      links.push_back(entry->path());
    else if (is_public(entry->path(), parts))
      parts.push_back(entry->path());
    else
      all = false;
  }
  if (all) return true;
  found.insert(found.end(), parts.begin(), parts.end());
  std::copy_if(links.begin(), links.end(), std::back_inserter(found),
               [&](const std::string& link) { return is_readable(fs::status(link, failed)); });
  return false;
}

Reach look_around() {
  Reach reach;
  reach.read = {"/usr", "/lib", "/lib32", "/lib64", "/libx32", "/bin", "/sbin", "/opt", "/nix/store", "/sys", "/proc"};
  if (is_public("/etc", reach.read)) reach.read.emplace_back("/etc");
  reach.write = {"/dev/shm"};
  reach.devices = gpu_devices();
  for (const char* device : {"null", "zero", "full", "random", "urandom", "tty"})
    reach.devices.push_back(std::string(kDevices) + "/" + device);
  return reach;
}

}  // namespace

std::vector<std::string> gpu_devices() {
  std::vector<std::string> found{"/dev/dri", "/dev/kfd", "/dev/dxg"};
  std::error_code failed;
  for (fs::directory_iterator entry(kDevices, failed), end; !failed && entry != end; entry.increment(failed))
    if (entry->path().filename().string().starts_with("nvidia")) found.push_back(entry->path());
  return found;
}

const Reach& reach_of_programs() {
  static const Reach reach = look_around();
  return reach;
}

}  // namespace reg::box
