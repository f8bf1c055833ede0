#include "engine/cuda/sampling.h"

#include <algorithm>

namespace reg::cuda {

double Sampling::add(const Sample& sample) {
  if (sample.sm_mhz && *sample.sm_mhz < kSlowClock * options_.clock_mhz) {
    ++discarded_;
    slow_clocks_.push_back(*sample.sm_mhz);
    // The pauses grow by one kPause_s a sample, once it is clear that a short one does not help.
    const int more = std::max(0, ++in_a_row_ - kPatience);
    return std::min(kPause_s * (1 + more), kLongestPause_s);
  }
  in_a_row_ = 0;
  seconds_.push_back(sample.seconds);
  if (sample.sm_mhz) clocks_.push_back(*sample.sm_mhz);
  options_.stopping->add(sample.seconds);
  return 0;
}

std::string Sampling::reason(double passed_s) const {
  if (static_cast<int>(seconds_.size()) >= options_.min_samples) {
    if (std::string reason = options_.stopping->reason(); !reason.empty()) return reason;
  }
  return passed_s >= options_.timeout_s ? "timeout" : "";
}

std::optional<double> Sampling::sm_mhz() const {
  const auto& clocks = clocks_.empty() ? slow_clocks_ : clocks_;
  if (clocks.empty()) return std::nullopt;
  return summarize(clocks).median;
}

}  // namespace reg::cuda
