#include "engine/cuda/statistics.h"

#include <algorithm>
#include <cmath>

namespace reg::cuda {

double quantile(const std::vector<double>& sorted, double p) {
  const double place = p * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  if (below + 1 >= sorted.size()) return sorted.back();
  const double part = place - static_cast<double>(below);
  return sorted[below] + part * (sorted[below + 1] - sorted[below]);
}

Summary summarize(std::vector<double> values) {
  Summary s;
  if (values.empty()) return s;
  Running running;
  for (const double value : values) running.add(value);
  std::sort(values.begin(), values.end());
  s.n = running.count();
  s.min = values.front();
  s.q1 = quantile(values, 0.25);
  s.median = quantile(values, 0.5);
  s.q3 = quantile(values, 0.75);
  s.max = values.back();
  s.mean = running.mean();
  s.stdev_rel = running.stdev_rel();
  s.iqr_rel = s.median > 0 ? (s.q3 - s.q1) / s.median : 0;
  return s;
}

void Running::add(double value) {
  ++count_;
  const double step = value - mean_;
  mean_ += step / count_;
  squares_ += step * (value - mean_);
}

double Running::stdev_rel() const {
  if (count_ < 2 || mean_ <= 0) return 0;
  return std::sqrt(squares_ / (count_ - 1)) / mean_;
}

void NoiseStopping::add(double seconds) {
  total_s_ += seconds;
  samples_.add(seconds);
  if (samples_.count() < 2) return;
  noises_.push_back(samples_.stdev_rel());
  if (noises_.size() > kRemembered) noises_.pop_front();
}

std::string NoiseStopping::reason() const {
  if (total_s_ < min_time_s_ || noises_.empty()) return "";
  const double latest = noises_.back();
  if (latest < max_noise_) return "noise";
  if (noises_.size() <= kLeast) return "";
  double squares = 0;
  for (const double noise : noises_) squares += (noise - latest) * (noise - latest);
  const double spread = std::sqrt(squares / static_cast<double>(noises_.size()));
  return spread < kStill * latest ? "settled" : "";
}

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
  noise_.add(sample.seconds);
  return 0;
}

std::string Sampling::reason(double passed_s) const {
  const auto n = static_cast<int>(seconds_.size());
  if (n >= options_.min_samples) {
    const std::string reason = options_.count == 0 ? noise_.reason() : n >= options_.count ? "count" : "";
    if (!reason.empty()) return reason;
  }
  return passed_s >= options_.timeout_s ? "timeout" : "";
}

std::optional<double> Sampling::sm_mhz() const {
  const auto& clocks = clocks_.empty() ? slow_clocks_ : clocks_;
  if (clocks.empty()) return std::nullopt;
  return summarize(clocks).median;
}

}  // namespace reg::cuda
