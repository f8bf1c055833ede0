#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/error.h"
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

// Parsers for what container engines and registries print. Pure: text in, values out.

/// A container as `inspect` describes it.
struct State {
  bool started = false;  ///< its command began
  bool running = false;
  bool oom = false;
  int code = 0;
  int pid = 0;  ///< of its first process, on the host
};
std::optional<State> parse_state(std::string_view json);

/// From `image inspect`; nullopt if it is not valid.
std::optional<ImageFacts> parse_image_facts(std::string_view json);

/// The Python packages that were added, name and version, by the folders of metadata that `diff` prints:
/// "A /usr/lib/python3/dist-packages/numpy-2.1.0.dist-info".
std::map<std::string, std::string> parse_installed(std::string_view printed);

/// From Dialect::tags.
std::vector<std::string> parse_tags(std::string_view json);

/// From Dialect::config: when the image was created; "" if it does not say.
std::string parse_created(std::string_view json);

/// Whether a registry's manifest has the image for this machine's architecture: a nightly may lack one.
bool serves_this_machine(std::string_view manifest_json);

/// Whether the message of a failed command says that the image or container does not exist, not that the query failed.
bool says_missing(std::string_view message);

/// Whether the message of a failed pull says that the registry lacks a part of the image that the manifest names, or
/// has another one in its place.
bool says_incomplete(std::string_view message);

/// What a client printed: its errors first.
inline std::string all_output(const process::Outcome& outcome) { return outcome.err + "\n" + outcome.out; }

/// The error for a failed command of a container engine: what it was to do, its last lines, and what to try.
[[nodiscard]] Error failure(const std::string& program, const std::string& doing, std::string_view message);

/// The same for a container that did not start: failed_trial where this image is the reason.
[[nodiscard]] Error start_failure(const std::string& program, const std::string& image, std::string_view message);

/// The error for a pull or a query of a registry. Of kind `network` where the same may work later: the registry was out
/// of reach, overloaded or broken. Not where it said no: no such image, access denied.
[[nodiscard]] Error registry_failure(const std::string& program, const std::string& doing,
                                     const process::Outcome& outcome);

}  // namespace reg::container
