#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// The words in which docker and podman differ, and the command lines both understand. Pure: it starts nothing.
class Dialect {
 public:
  static Dialect docker() { return Dialect("docker"); }
  static Dialect podman() { return Dialect("podman"); }

  const std::string& program() const { return program_; }
  bool is_podman() const { return program_ == "podman"; }

  std::vector<std::string> version() const;

  /// `docker run` of the spec, with the labels by which a later start finds what a dead engine left. Without `--rm`: a
  /// container that removed itself could not say whether it ran out of memory.
  std::vector<std::string> run(const Spec& spec, const std::string& name) const;

  /// The same, but detached, and doing nothing until it is removed.
  std::vector<std::string> start(const Spec& spec, const std::string& name) const;

  /// `mark` is set in the command's environment, so that end_marked finds its processes.
  std::vector<std::string> exec(const Exec& command, const std::string& name, const std::string& mark) const;

  /// Ends, inside the container, every process with `mark` in its environment: TERM, two seconds later KILL.
  std::vector<std::string> end_marked(const std::string& name, const std::string& mark) const;

  /// Ends all that runs inside, and keeps its files.
  std::vector<std::string> restart(const std::string& name) const;
  /// The commands that remove it with what runs in it; the first may fail when nothing does.
  std::vector<std::vector<std::string>> remove(const std::string& name) const;

  std::vector<std::string> pull(const std::string& image) const;
  /// Prints "<repository>:<tag>" for each image of the engine at `host`; "" = the default one.
  std::vector<std::string> list_images(const std::string& host) const;
  std::vector<std::string> inspect_image(const std::string& image) const;
  std::vector<std::string> inspect_state(const std::string& name) const;

  /// Prints the registry's manifest of the image. With skopeo where that is installed: it alone tells a missing image
  /// from one that may not be seen.
  std::vector<std::string> manifest(const std::string& image, bool with_skopeo) const;

  /// The ids of all containers that engines on this host made.
  std::vector<std::string> list_ours() const;
  /// Prints "<id> <engine>" for each.
  std::vector<std::string> engines_of(const std::vector<std::string>& ids) const;

 private:
  explicit Dialect(std::string program) : program_(std::move(program)) {}
  std::vector<std::string> create(const Spec& spec, const std::string& name) const;

  std::string program_;
};

}  // namespace reg::container
