#pragma once

#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/container/runtime.h"

// What a command used in a container: the client of docker or podman does not tell. The command runs through
// regengine-usage (inject/usage), a static program in a folder that is mounted into the container.

namespace reg::container {

/// A folder below the current one, with the program in it. What dead engines left there is removed.
Mount usage_mount();

/// A program of the engine in front of a command.
class Front {
 public:
  std::vector<std::string> words(const std::vector<std::string>& argv) const;
  /// For a new container: the program takes the place of the entrypoint, which becomes part of its command. An image
  /// without any command is left as it is.
  Spec applied_to(Spec spec, const ImageFacts& image) const;

 protected:
  Mount mount_;  // that it is in
  std::vector<std::string> words_;
};

/// The measurement of one command.
class Usage : public Front {
 public:
  /// `mount`: usage_mount(). Makes a file that every user in the container may write.
  explicit Usage(const Mount& mount);
  Usage(const Usage&) = delete;
  Usage& operator=(const Usage&) = delete;
  ~Usage();

  /// Sets `measured` and what it says, unless the program was killed with the command.
  void read_into(Result& result) const;

 private:
  std::string file_;
};

/// Mounts that cannot be swapped. docker and podman look up the source of a mount by its path, after the last check
/// outside, and again at a restart: whoever renames folders in that moment could put a link to another folder there. So
/// the container and each command in a kept one start with regengine-usage --mounts, which compares what was really
/// mounted with what was checked, and only then runs a program of the image.
class Pins : public Front {
 public:
  /// Throws Error(permission) where a permitted path has become a link.
  explicit Pins(const std::vector<Mount>& mounts);

  /// Throws Error(permission) if the program refused to run the command.
  static void check(const Result& result);

 private:
  std::vector<Fd> held_;  // while it is open, no other file gets this number
};

}  // namespace reg::container
