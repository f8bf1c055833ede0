#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/container/cli.h"
#include "engine/container/runtime.h"

// Mounts that cannot be swapped. docker and podman look up the source of a mount by its path, after the last check that
// is possible outside: whoever renames folders in that moment could put a link to another folder there. So the
// container starts with a program of the engine (regengine-usage --mounts), which sees what was really mounted,
// compares it with what was checked, and only then runs a program of the image. A restart looks the path up again, and
// so does the program; a command that is run in a kept container begins with it, too.

namespace reg::container {

/// 139 -> 11: the exit code that docker, podman and shells use for a signal; 0 for other codes.
int signal_of(int code);

/// Clears the CPU times and memory peak: they are those of the client, not of the command.
void clear_client_usage(Result& result);

/// A container of docker or podman that idles while `exec` runs commands in it.
class CliContainer : public Container, public std::enable_shared_from_this<CliContainer> {
 public:
  /// `identity`: of what it was started with (guard/effect.h).
  CliContainer(std::shared_ptr<Cli> cli, std::string name, std::string image, std::string identity)
      : cli_(std::move(cli)), image_(std::move(image)), identity_(std::move(identity)) {
    kept_->name = std::move(name);
  }
  ~CliContainer() override { close(); }

  const std::string& id() const override { return kept_->id; }
  const std::string& name() const override { return kept_->name; }
  Op<Result> exec(Exec command) override;
  Op<Nothing> restart() override;
  void close() override;

  /// `usage`: with Spec::usage, where the program is that measures.
  void begin(std::shared_ptr<Cli::Kept> kept, std::string image_digest, std::optional<Mount> usage);
  void pretend() { dry_ = true; }

 private:
  std::shared_ptr<Cli> cli_;
  std::shared_ptr<Cli::Kept> kept_ = std::make_shared<Cli::Kept>();
  std::string image_;
  std::string identity_;
  std::string image_digest_;
  std::optional<Mount> usage_;
  bool dry_ = false;
  bool there_ = false;
};

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
