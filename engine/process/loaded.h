#pragma once

#include <sys/types.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace reg::process {

/// What processes load from below some folders: the programs and libraries that they map to execute. It sees what is
/// mapped at the moment of a look; who looks, and when, is the caller's matter.
class Loaded {
 public:
  /// `mounts`: folders by the path at which the processes see them (Command::mounts).
  explicit Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts = {});

  bool wanted() const { return !folders_.empty(); }
  bool any() const { return !files_.empty(); }

  /// Notes what the process maps now. One that has ended, or may not be read, adds nothing.
  void look_at(pid_t pid);

  /// Of each file that was seen, by path: its GNU build-id, or "sha256:..." of a file that has none. A file that is
  /// gone is not among them. It reads the files, but none again that has not changed since: for a worker thread.
  std::map<std::string, std::string> ids() const;

 private:
  std::vector<std::string> folders_;  // with a slash at the end
  std::map<std::string, std::string> mounts_;
  std::set<std::string> files_;
};

/// The GNU build-id that the linker put into a 64-bit ELF file, in hex; "" for a file without one, and for any other
/// file. It reads no more than the headers and the notes, and trusts none of them.
std::string build_id_of(const std::string& path);

}  // namespace reg::process
