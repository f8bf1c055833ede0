#pragma once

#include <string>
#include <vector>

#include "engine/base/ids.h"
#include "engine/container/runtime.h"

namespace reg::container {

/// A container that idles until it is removed, in place of the image's own command.
Spec idling(Spec spec);

/// The command lines of docker and podman, with their differences. Pure: it starts nothing.
class Dialect {
 public:
  /// docker or podman
  explicit Dialect(std::string program) : program_(std::move(program)) {}

  const std::string& program() const { return program_; }
  bool is_podman() const { return program_ == "podman"; }

  /// The address of its engine that the environment names, which may be on another machine; "" for the usual one.
  std::string host() const { return variable(is_podman() ? "CONTAINER_HOST" : "DOCKER_HOST"); }

  /// With the labels by which a later engine finds what a dead one left. Without `--rm`: a removed container cannot be
  /// asked whether it ran out of memory.
  std::vector<std::string> run(const Spec& spec, const std::string& name, bool detached = false) const;

  std::vector<std::string> exec(const Exec& command, const std::string& name) const;

  /// Ends all processes inside and keeps the files.
  std::vector<std::string> restart(const std::string& name) const { return {program_, "restart", "--time", "0", name}; }
  /// The commands that end and remove it; the first one may fail if nothing runs inside.
  std::vector<std::vector<std::string>> remove(const std::string& name) const;

  std::vector<std::string> pull(const std::string& image) const;
  std::vector<std::string> remove_image(const std::string& image) const {
    return {program_, "image", "rm", "--", image};
  }

  /// Prints the registry's manifest. Only skopeo distinguishes a missing image from one without access.
  std::vector<std::string> manifest(const std::string& image, bool with_skopeo) const;

  /// Prints the tags of a repository, and the configuration of an image in its registry, as JSON.
  static std::vector<std::string> tags(const std::string& repository);
  static std::vector<std::string> config(const std::string& image);

 private:
  std::string program_;
};

}  // namespace reg::container
