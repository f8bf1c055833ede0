#pragma once

#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/container/runtime.h"

// Mounts that cannot be swapped. docker and podman look up the source of a mount by its path, after the last check that
// is possible outside: whoever renames folders in that moment could put a link to another folder there. So the
// container starts with a program of the engine (regengine-usage --mounts), which sees what was really mounted,
// compares it with what was checked, and only then runs a program of the image. A restart looks the path up again, and
// so does the program; a command that is run in a kept container begins with it, too.

namespace reg::container {

class Pins {
 public:
  /// Of mounts that were permitted under exactly these paths. Throws Error(permission) where a link has come in
  /// between.
  explicit Pins(const std::vector<Mount>& mounts);

  /// The command, run by the program.
  std::vector<std::string> words(const std::vector<std::string>& argv) const;
  /// A new container, with the program in front of its entrypoint. An image without any command is left as it is: the
  /// container engine refuses that.
  Spec applied_to(Spec spec, const ImageFacts& image) const;
  /// The same for a container that idles.
  Spec applied_to_idle(Spec spec) const;

  /// Throws Error(permission) if the program refused to run the command.
  static void check(const Result& result);

 private:
  Spec in_front(Spec spec, const std::vector<std::string>& command) const;

  std::vector<Fd> held_;           // while it is open, no other file gets this number
  std::vector<std::string> seen_;  // "DEVICE:INODE:PATH" of each
  Mount program_;
};

}  // namespace reg::container
