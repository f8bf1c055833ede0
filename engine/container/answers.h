#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/error.h"
#include "engine/container/runtime.h"

// What the container engines and registries print, understood. Pure: text in, values out.

namespace reg::container {

/// A container as `inspect` tells it.
struct State {
  bool started = false;  ///< its command was really begun
  bool running = false;
  bool oom = false;
  int code = 0;
  int pid = 0;  ///< of its first process, on the host
};
std::optional<State> parse_state(std::string_view json);

/// From `image inspect`; nullopt when it is not that.
std::optional<ImageFacts> parse_image_facts(std::string_view json);

/// From Dialect::list_images, without the images that have no name.
std::vector<std::string> parse_image_list(std::string_view printed);

/// Whether a registry's manifest offers the image for this machine's processor: a night may lack one architecture.
bool serves_this_machine(std::string_view manifest_json);

/// The package -> checkout list of an image's /opt/manifest.d/git-clone.yaml: a map of maps of scalars, no more of
/// YAML.
std::map<std::string, Checkout> parse_clone_manifest(std::string_view yaml);

/// Whether the message of a failed command says that the thing is not there, as against that it could not be asked.
bool says_missing(std::string_view message);

/// The error for a failed command of a container engine: what was tried, its own last words, and what to do.
[[nodiscard]] Error failure(const std::string& program, const std::string& doing, std::string_view message);

}  // namespace reg::container
