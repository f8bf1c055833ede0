#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

// When enough samples were taken. Pure: they see times, and neither clocks nor GPUs.

namespace reg::cuda {

/// What many times of one thing say. Quantiles by linear interpolation between the sorted values.
struct Summary {
  int n = 0;
  double min = 0, q1 = 0, median = 0, q3 = 0, max = 0;
  double mean = 0;
  double stdev_rel = 0;  ///< standard deviation (n - 1) by mean; 0 for one value
  double iqr_rel = 0;    ///< (q3 - q1) by median
};

Summary summarize(std::vector<double> values);

/// The value below which the part `p` of the sorted, non-empty `values` lies.
double quantile(const std::vector<double>& sorted, double p);

/// Mean and standard deviation of values that come one by one.
class Running {
 public:
  void add(double value);
  int count() const { return count_; }
  double mean() const { return mean_; }
  double stdev_rel() const;  ///< n - 1; 0 for fewer than two

 private:
  int count_ = 0;
  double mean_ = 0, squares_ = 0;
};

/// Until the relative standard deviation of all samples is below `max_noise` ("noise"), or does not move any more, so
/// that more samples would not lower it ("settled"); and not before their times add up to `min_time_s`.
class NoiseStopping {
 public:
  NoiseStopping(double max_noise, double min_time_s) : max_noise_(max_noise), min_time_s_(min_time_s) {}
  void add(double seconds);
  /// Why no more are needed, in one word; "" while more are.
  std::string reason() const;

  static constexpr std::size_t kRemembered = 512;  ///< noises after each sample, the latest
  static constexpr std::size_t kLeast = 64;        ///< of which more than this are looked at
  static constexpr double kStill = 0.05;           ///< and lie so close together, relative to the latest

 private:
  double max_noise_, min_time_s_;
  double total_s_ = 0;
  Running samples_;
  std::deque<double> noises_;
};

/// One measurement: the time of one call, and the SM clock it ran at where that could be told.
struct Sample {
  double seconds = 0;
  std::optional<double> sm_mhz;
};

struct SamplingOptions {
  int count = 0;  ///< stop after so many; 0: by NoiseStopping with these two
  double max_noise = 0, min_time_s = 0;
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

  explicit Sampling(const SamplingOptions& options)
      : options_(options), noise_(options.max_noise, options.min_time_s) {}

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
  NoiseStopping noise_;
  std::vector<double> seconds_, clocks_, slow_clocks_;
  int discarded_ = 0, in_a_row_ = 0;
};

}  // namespace reg::cuda
