#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// The arguments for `sh` that make it print the commits of an image's repositories. `root` is put before each path: ""
/// inside a container, the folder that stands for the image otherwise. `paths`: see Runtime::commits.
std::vector<std::string> checkout_arguments(const std::string& root, const std::vector<std::string>& paths);

/// What that printed. The manifest file wins over a checkout of the same name: it is what was really cloned.
std::map<std::string, Checkout> parse_checkouts(std::string_view printed);

}  // namespace reg::container
