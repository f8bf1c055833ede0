#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg::container {

/// The name of an image, taken apart as docker does: "ghcr.io/nvidia/jax:jax-2024-03-01" or "busybox@sha256:...".
/// Pure text: it asks no registry and fills in no default but docker's own ("docker.io/library/", "latest").
struct ImageName {
  std::string registry;    ///< "ghcr.io", "127.0.0.1:5000", "docker.io"
  std::string repository;  ///< "nvidia/jax"
  std::string tag;         ///< "" when a digest was given alone
  std::string digest;      ///< "sha256:..." or ""

  /// A registry on this machine: spoken to without TLS, as docker does.
  bool on_this_machine() const;
};

/// nullopt when it is not the name of an image.
std::optional<ImageName> parse_image(std::string_view text);

/// The same, but throws usage: what is wrong with the name. Nothing that passes can be taken for an option.
ImageName check_image(std::string_view text);

/// The names to try for a night, the likeliest first: `name` with {date} filled in and, for a name such as
/// HOST/nvidia/jax:FLAVOR-{date}, the form JAX-Toolbox used until February 2024: HOST/nvidia/FLAVOR:nightly-{date}.
/// Throws usage when {date} does not occur.
std::vector<std::string> names_of_night(std::string_view name, std::string_view date);

/// Throws usage when `text` has control characters (NUL among them), is empty or begins with '-'. `what` is its role.
void check_word(std::string_view text, std::string_view what);

}  // namespace reg::container
