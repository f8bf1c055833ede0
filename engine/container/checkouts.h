#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/container/runtime.h"

namespace reg::container {

/// The arguments with which `sh` prints the commits of an image's repositories. `root` is the prefix of each path: ""
/// inside a container, else the folder used as the image. `paths`: see Runtime::commits.
std::vector<std::string> checkout_arguments(const std::string& root, const std::vector<std::string>& paths);

/// Parses that output. The manifest file takes precedence over a checkout of the same name: it says what was cloned.
std::map<std::string, Checkout> parse_checkouts(std::string_view printed);

}  // namespace reg::container
