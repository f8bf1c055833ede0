#pragma once

#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/container/runtime.h"

// What a command used in a container: the client of docker or podman does not tell. The command runs through
// regengine-usage (inject/usage), a static program that measures it as process::run does on the host. Program and files
// are in a folder of this engine in the current folder, which the container engine sees wherever it sees the mounts of
// the tests, and which is mounted into the container.

namespace reg::container {

/// Throws Error(unavailable) where the engine lacks the program.
void check_usage_program();

/// The folder, removed with this object. Those that dead engines left are removed at the first use.
class UsageFolder {
 public:
  UsageFolder() = default;
  UsageFolder(const UsageFolder&) = delete;
  UsageFolder& operator=(const UsageFolder&) = delete;
  ~UsageFolder();

  /// Makes it with the program in it, unless it is there.
  Mount mount();

 private:
  std::string path_;  // "" until mount() is called
};

/// A program of the engine in front of a command.
class Front {
 public:
  /// The command, run through the program.
  std::vector<std::string> words(const std::vector<std::string>& argv) const;
  /// The same for a new container: the program takes the place of the entrypoint, which becomes part of its command.
  /// An image without any command is left as it is: the container engine says what it thinks of that.
  Spec applied_to(Spec spec, const ImageFacts& image) const;

 protected:
  Mount mount_;  // that it is in
  std::vector<std::string> words_;
};

/// The measurement of one command.
class Usage : public Front {
 public:
  /// Of a container with this mount of UsageFolder. Makes a file that every user in the container may write.
  explicit Usage(const Mount& mount);
  Usage(const Usage&) = delete;
  Usage& operator=(const Usage&) = delete;
  ~Usage();

  /// Sets user_s, sys_s, peak_bytes, page faults, context switches and `measured`, unless the program was killed with
  /// the command.
  void read_into(Result& result) const;

 private:
  std::string file_;
};

/// Mounts that cannot be swapped. docker and podman look up the source of a mount by its path, after the last check
/// that is possible outside: whoever renames folders in that moment could put a link to another folder there. So the
/// container starts with a program of the engine (regengine-usage --mounts), which sees what was really mounted,
/// compares it with what was checked, and only then runs a program of the image. A restart looks the path up again, and
/// so does the program; a command that is run in a kept container begins with it, too.
class Pins : public Front {
 public:
  /// Of mounts that were permitted under exactly these paths. Throws Error(permission) where a link has come in
  /// between.
  explicit Pins(const std::vector<Mount>& mounts);

  /// Throws Error(permission) if the program refused to run the command.
  static void check(const Result& result);

 private:
  std::vector<Fd> held_;  // while it is open, no other file gets this number
};

}  // namespace reg::container
