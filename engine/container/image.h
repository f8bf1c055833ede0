#pragma once

#include <string>
#include <string_view>
#include <utility>

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

/// Throws usage if it is not a valid image name. A valid one cannot be taken for an option.
ImageName check_image(const std::string& text);

/// "ghcr.io/nvidia/jax:jax-*" as its two sides.
std::pair<std::string, std::string> split_tags(const std::string& pattern);

/// Throws usage if `text` contains control characters such as NUL, is empty or begins with '-'. `what` names it.
void check_word(std::string_view text, std::string_view what);

}  // namespace reg::container
