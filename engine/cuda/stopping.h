#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>

#include "engine/cuda/statistics.h"

// When enough samples were taken. Pure: they see times, and neither clocks nor GPUs.

namespace reg::cuda {

class Stopping {
 public:
  virtual ~Stopping() = default;
  virtual void add(double seconds) = 0;
  /// Why no more are needed, in one word; "" while more are.
  virtual std::string reason() const = 0;
};

/// Until the relative standard deviation of all samples is below `max_noise` ("noise"), or does not move any more, so
/// that more samples would not lower it ("settled"); and not before their times add up to `min_time_s`.
class NoiseStopping : public Stopping {
 public:
  NoiseStopping(double max_noise, double min_time_s) : max_noise_(max_noise), min_time_s_(min_time_s) {}
  void add(double seconds) override;
  std::string reason() const override;

  static constexpr std::size_t kRemembered = 512;  ///< noises after each sample, the latest
  static constexpr std::size_t kLeast = 64;        ///< of which more than this are looked at
  static constexpr double kStill = 0.05;           ///< and lie so close together, relative to the latest

 private:
  double max_noise_, min_time_s_;
  double total_s_ = 0;
  Running samples_;
  std::deque<double> noises_;
};

/// Until the entropy of the times seen (each different time is one symbol) stops growing: a line through its latest
/// `window` values is flatter than `max_angle` degrees, and tells at least `min_r2` of their variation.
class EntropyStopping : public Stopping {
 public:
  EntropyStopping(double max_angle, double min_r2, std::size_t window)
      : max_angle_(max_angle), min_r2_(min_r2), window_(window) {}
  void add(double seconds) override;
  std::string reason() const override;
  double entropy() const;  ///< in bits

 private:
  double max_angle_, min_r2_;
  std::size_t window_;
  std::map<double, int> seen_;
  int count_ = 0;
  double sum_ = 0;  // of c log2 c over the counts c of the times seen
  std::deque<double> history_;
};

/// Until there are `n`.
class CountStopping : public Stopping {
 public:
  explicit CountStopping(int n) : n_(n) {}
  void add(double) override { ++count_; }
  std::string reason() const override { return count_ >= n_ ? "count" : ""; }

 private:
  int n_;
  int count_ = 0;
};

}  // namespace reg::cuda
