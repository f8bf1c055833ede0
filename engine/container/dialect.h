#pragma once

#include <string>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// The command lines of docker and podman, with their differences. Pure: it starts nothing.
class Dialect {
 public:
  static Dialect docker() { return Dialect("docker"); }
  static Dialect podman() { return Dialect("podman"); }

  static Dialect of(const std::string& program) { return Dialect(program); }  ///< docker or podman

  const std::string& program() const { return program_; }
  bool is_podman() const { return program_ == "podman"; }

  std::vector<std::string> version() const;

  /// `docker run` of the spec, with the labels by which a later engine finds what a dead one left. Without `--rm`,
  /// since a removed container cannot be asked whether it ran out of memory.
  std::vector<std::string> run(const Spec& spec, const std::string& name) const;

  /// The same, but detached and idle until it is removed.
  std::vector<std::string> start(const Spec& spec, const std::string& name) const;

  /// Sets `mark` in the command's environment, so that end_marked finds its processes.
  std::vector<std::string> exec(const Exec& command, const std::string& name, const std::string& mark) const;

  /// Ends every process inside the container with `mark` in its environment: TERM, two seconds later KILL.
  std::vector<std::string> end_marked(const std::string& name, const std::string& mark) const;

  /// Ends all processes inside and keeps the files.
  std::vector<std::string> restart(const std::string& name) const;
  /// The commands that end and remove it; the first one may fail if nothing runs inside.
  std::vector<std::vector<std::string>> remove(const std::string& name) const;

  std::vector<std::string> pull(const std::string& image) const;
  std::vector<std::string> inspect_image(const std::string& image) const;
  /// Prints "<id> <size in bytes>".
  std::vector<std::string> size_of_image(const std::string& image) const;
  std::vector<std::string> remove_image(const std::string& image) const;
  /// Prints the folder that the images are in.
  std::vector<std::string> image_folder() const;
  std::vector<std::string> inspect_state(const std::string& name) const;
  /// Prints "A <path>" for each file and folder that the container added to its image, also once it has ended.
  std::vector<std::string> diff(const std::string& name) const;

  /// Prints the registry's manifest of the image. Only skopeo distinguishes a missing image from one without access; it
  /// may not be installed.
  std::vector<std::string> manifest(const std::string& image, bool with_skopeo) const;

  /// Prints the tags of a repository, and the configuration of an image in its registry, as JSON.
  static std::vector<std::string> tags(const std::string& repository);
  static std::vector<std::string> config(const std::string& image);

  /// Prints "<id> <engine>" for each container that an engine on this host made. Not by `inspect`: it prints nothing at
  /// all where one of several containers is just being removed.
  std::vector<std::string> list_ours() const;

 private:
  explicit Dialect(std::string program) : program_(std::move(program)) {}
  std::vector<std::string> create(const Spec& spec, const std::string& name) const;

  std::string program_;
};

}  // namespace reg::container
