#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/cuda/stopping.h"

namespace reg::cuda {

/// One measurement: the time of one call, and the SM clock it ran at where that could be told.
struct Sample {
  double seconds = 0;
  std::optional<double> sm_mhz;
};

struct SamplingOptions {
  std::unique_ptr<Stopping> stopping;
  int min_samples = 10;
  double timeout_s = 15;
  double clock_mhz = 0;  ///< what the SM clock should be; samples below kSlowClock of it are discarded. 0: none is
};

/// Keeps the samples worth keeping and says when there are enough. Pure: the time that has passed is told to it.
class Sampling {
 public:
  static constexpr double kSlowClock = 0.75;
  static constexpr double kPause_s = 0.05,
                          kLongestPause_s = 0.5;  ///< after a sample at a slow clock, for the GPU to recover
  static constexpr int kPatience = 2;             ///< so many in a row before the pauses grow

  explicit Sampling(SamplingOptions options) : options_(std::move(options)) {}

  /// Takes a sample; returns how long to pause before the next one.
  double add(const Sample& sample);

  /// Why there are enough: the criterion's word, or "timeout"; "" while there are not.
  std::string reason(double passed_s) const;

  const std::vector<double>& seconds() const { return seconds_; }
  int discarded() const { return discarded_; }
  /// The middle one of the clocks of the samples kept, or of those discarded where none was kept.
  std::optional<double> sm_mhz() const;

 private:
  SamplingOptions options_;
  std::vector<double> seconds_, clocks_, slow_clocks_;
  int discarded_ = 0, in_a_row_ = 0;
};

}  // namespace reg::cuda
