#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// What a container has and may use, one row per setting: from it come the option of strategies, its check, the words
/// for docker and podman, the option of reg.container.run, and its documentation.
struct Setting {
  const char* name;    ///< of Lua's option: "ulimits"
  const char* option;  ///< on the command line, also of docker and podman: "ulimit"
  const char* value;   ///< the word for its value in --help
  const char* what;    ///< what it is, in --help and in the reference
  std::variant<std::string Spec::*, std::vector<std::string> Spec::*, std::optional<std::string> Spec::*> field;
  void (*check)(const std::string&);
  bool on_host = false;        ///< the host takes it too
  bool grants = false;         ///< rights over this machine: a script from elsewhere gets them only from what is typed
  const char* type = nullptr;  ///< in stubs, if it is neither "string" nor "string[]"

  bool is_list() const { return std::holds_alternative<std::vector<std::string> Spec::*>(field); }
  std::vector<std::string> of(const Spec& spec) const;  ///< its values; none if it was not given
  void set(Spec& spec, std::vector<std::string> values) const;
};

const std::vector<Setting>& settings();

/// Throws usage for a value that docker and podman would refuse, but only once the image is pulled, and for one that
/// could be mistaken for an option. `name`: a setting's; `value`: the setting's, or one of its list.
void check_setting(std::string_view name, const std::string& value);

/// The same for all settings of a spec, for a container or for the bare host: there also for those that need a
/// container.
void check_settings(const Spec& spec, bool on_host);

/// What a container gets unless its spec says otherwise. docker's own defaults break programs for machine learning: in
/// 64 MB of shared memory NCCL and data loaders fail. NVIDIA's containers ask at their start for `--ipc=host` (or a
/// larger `--shm-size`) and `--ulimit memlock=-1 --ulimit stack=67108864`. Shared memory of the container's own does as
/// well and keeps it apart from the host. It takes memory only as it is used.
class Defaults {
 public:
  Spec applied_to(Spec spec) const;

  /// Whether the message of a container that did not start says that one of these is refused, which is not set from
  /// then on: rootless engines cannot raise memlock above the user's hard limit, and a podman configured to share the
  /// host's IPC takes no size of shared memory.
  bool refused(std::string_view message);

 private:
  bool shared_memory_ = true;
  std::vector<std::string> ulimits_{"memlock=-1", "stack=67108864"};
};

}  // namespace reg::container
