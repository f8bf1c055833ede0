#include "engine/cuda/needs.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace reg::cuda {
namespace {

// Options whose value is no file.
constexpr std::array<std::string_view, 14> kPlain{"arch",          "gpu-architecture",
                                                  "std",           "maxrregcount",
                                                  "fmad",          "ftz",
                                                  "prec-div",      "prec-sqrt",
                                                  "dopt",          "jump-table-density",
                                                  "opt-info",      "optimization-info",
                                                  "split-compile", "builtin-initializer-list"};

}  // namespace

std::vector<Need> needs_to_compile(const std::vector<std::string>& options) {
  std::vector<Need> needs{{EffectKind::gpu, {"run"}}};
  for (const std::string& option : options) {
    const auto begin = option.find_first_not_of('-');
    if (begin == std::string::npos || option.starts_with("-D") || option.starts_with("-U")) continue;
    const auto at = option.find('=');
    const std::string name = option.substr(begin, at == std::string::npos ? at : at - begin);
    if (begin == 0)  // the value of the option before it
      needs.push_back(writes(option));
    else if (option.starts_with("-I") && option.size() > 2)
      needs.push_back(reads(option.substr(2)));
    else if (at != std::string::npos && std::find(kPlain.begin(), kPlain.end(), name) == kPlain.end())
      needs.push_back(writes(option.substr(at + 1)));
  }
  return needs;
}

}  // namespace reg::cuda
