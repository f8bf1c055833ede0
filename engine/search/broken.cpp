#include "engine/search/broken.h"

namespace reg::search {
namespace {

constexpr std::size_t kEnough = 5;  // failures that make a range: fewer may be single ones, where many fail

BrokenRanges::Range range_of(std::vector<int> failed) {
  BrokenRanges::Range range;
  for (std::size_t k = 1; k < failed.size() && failed.size() >= kEnough; ++k)
    if (failed[k] - failed[k - 1] > 1) range.assumed.emplace_back(failed[k - 1] + 1, failed[k] - 1);
  range.failed = std::move(failed);
  return range;
}

}  // namespace

void BrokenRanges::mark_failed(int unit, const std::string& cause) {
  if (!cause.empty()) known_[unit] = cause;
}

std::vector<BrokenRanges::Range> BrokenRanges::ranges() const {
  std::vector<Range> found;
  std::map<std::string, std::vector<int>> open;  // by cause, since the last unit that ran
  const auto close = [&] {
    for (auto& [cause, failed] : open)
      if (failed.size() > 1) found.push_back(range_of(std::move(failed)));
    open.clear();
  };
  for (const auto& [unit, cause] : known_) {
    if (cause.empty())
      close();
    else
      open[cause].push_back(unit);
  }
  close();
  return found;
}

}  // namespace reg::search
