#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg::container {

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

/// nullopt if it is not a valid image name.
std::optional<ImageName> parse_image(std::string_view text);

/// The same, but throws usage if it is not valid. A valid name cannot be taken for an option.
ImageName check_image(std::string_view text);

/// The names to try for a nightly, the likeliest first: `name` with {date} filled in and, for a name such as
/// HOST/nvidia/jax:FLAVOR-{date}, the form JAX-Toolbox used until February 2024: HOST/nvidia/FLAVOR:nightly-{date}.
/// Throws usage if there is no {date}.
std::vector<std::string> names_of_night(std::string_view name, std::string_view date);

/// Throws usage if `text` contains control characters such as NUL, is empty or begins with '-'. `what` names it.
void check_word(std::string_view text, std::string_view what);

}  // namespace reg::container
