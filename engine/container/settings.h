#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/container/runtime.h"
#include "engine/guard/policy.h"

namespace reg::container {

/// One row per setting: from it come the option of strategies and of reg.container.run, its check, the words for docker
/// and podman, and its documentation.
struct Setting {
  const char* name;    ///< of Lua's option: "ulimits"
  const char* option;  ///< on the command line, also of docker and podman: "ulimit"
  const char* value;   ///< the word for its value in --help
  const char* what;    ///< what it is, in --help and in the reference
  std::variant<std::string Spec::*, std::vector<std::string> Spec::*, std::optional<std::string> Spec::*> field;
  std::string form;                                  ///< a regular expression for all of a value
  std::string otherwise;                             ///< the hint where a value has another form
  void (*check_more)(const std::string&) = nullptr;  ///< throws usage or permission
  bool on_host = false;                              ///< the host takes it too
  bool grants = false;         ///< rights over this machine: a script from elsewhere gets them only from what is typed
  const char* type = nullptr;  ///< in stubs, if it is neither "string" nor "string[]"

  bool is_list() const { return std::holds_alternative<std::vector<std::string> Spec::*>(field); }
  std::vector<std::string> of(const Spec& spec) const;  ///< its values; none if it was not given
  void set(Spec& spec, std::vector<std::string> values) const;
  void check(const std::string& text) const;
};

const std::vector<Setting>& settings();

/// Throws usage for a value that docker and podman would refuse once the image is pulled, and for one that could be
/// mistaken for an option. `value`: the setting's, or one of its list.
void check_setting(std::string_view name, const std::string& value);

/// What a container gets unless its spec says otherwise. In docker's 64 MB of shared memory NCCL and data loaders fail;
/// NVIDIA's containers ask for `--ipc=host` (or a larger `--shm-size`) and for these ulimits.
class Defaults {
 public:
  Spec applied_to(Spec spec) const;

  /// Whether the message of a container that did not start says that one of these is refused, which is not set from
  /// then on: rootless engines cannot raise memlock, and a podman that shares the host's IPC takes no shm_size.
  bool refused(std::string_view message);

 private:
  bool shared_memory_ = true;
  std::vector<std::string> ulimits_{"memlock=-1", "stack=67108864"};
};

// What is checked before anything is pulled, and what it needs to be permitted (checks.cpp).

/// The name of an image, split as docker does: "ghcr.io/nvidia/jax:jax-2024-03-01" or "busybox@sha256:...". Asks no
/// registry and fills in only docker's defaults ("docker.io/library/", "latest").
struct ImageName {
  std::string registry;    ///< "ghcr.io", "127.0.0.1:5000", "docker.io"
  std::string repository;  ///< "nvidia/jax"
  std::string tag;         ///< "" if only a digest was given
  std::string digest;      ///< "sha256:..." or ""

  /// Whether the registry is on this machine: then without TLS, as in docker.
  bool on_this_machine() const;
};

/// Throws usage if it is not a valid image name. A valid one cannot be taken for an option.
ImageName check_image(const std::string& text);

/// "ghcr.io/nvidia/jax:jax-*" as its two sides.
std::pair<std::string, std::string> split_tags(const std::string& pattern);

/// Throws usage if `text` contains control characters such as NUL, is empty or begins with '-'. `what` names it.
void check_word(std::string_view text, std::string_view what);

/// A host path, made absolute, and "INSIDE" or "INSIDE:ro". Throws usage if it is not valid, not_found, and permission
/// for a path that gives access to the host: "/", a socket, or a folder with a container engine's socket.
Mount parse_mount(const std::string& host, const std::string& inside);

/// HOST[:INSIDE[:ro]], where INSIDE is HOST unless given. HOST keeps its links: a program inside looks for the path as
/// it was written. Throws as parse_mount.
Mount parse_mount_option(const std::string& text);

/// Throws usage for values that are not valid (settings.h), or that contradict each other, before anything is pulled.
void check_container(const Spec& spec);
/// The same for the bare host: throws usage for a setting that needs a container.
void check_host(const Spec& spec);
void check_exec(const Exec& command);

/// The image under each name that a pattern may match: as given, in full, and both without tag and digest.
Need need_of_image(const std::string& image);

/// The images of a repository whose tags match, "ghcr.io/nvidia/jax:jax-*": also permitted where all its images are.
Need need_of_tags(const std::string& pattern);

/// The image, the mounts, the host's network and IPC, devices, capabilities, and the files for the output.
std::vector<Need> needs_of(const Spec& spec);
std::vector<Need> needs_of(const Exec& command, const std::string& image);

}  // namespace reg::container
