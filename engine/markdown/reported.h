#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace reg::markdown {

/// What `regengine share` writes behind a fence, after the language:
///   lua title=nightly.lua options=["--from","2024-03-01"] seed=7
///   lua module=quickstart_repo
struct Reported {
  std::string title;                 ///< the script's file
  std::string module;                ///< the name by which another block requires this one; "" = it is no module
  std::vector<std::string> options;  ///< the command line it was reported with
  std::optional<std::int64_t> seed;  ///< of its random numbers
};

/// Words that are none of these are left alone. Throws usage where `options` is no list of texts or `seed` no number.
Reported read_info(std::string_view info);

}  // namespace reg::markdown
