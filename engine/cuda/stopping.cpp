#include "engine/cuda/stopping.h"

#include <cmath>
#include <numbers>

namespace reg::cuda {

// --- noise -----------------------------------------------------------------------------------------------------------
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

// --- entropy ---------------------------------------------------------------------------------------------------------
namespace {

double weighted(int count) { return count > 0 ? count * std::log2(count) : 0; }

}  // namespace

void EntropyStopping::add(double seconds) {
  int& times = seen_[seconds];
  sum_ += weighted(times + 1) - weighted(times);
  ++times;
  ++count_;
  history_.push_back(entropy());
  if (history_.size() > window_) history_.pop_front();
}

double EntropyStopping::entropy() const { return count_ > 0 ? std::log2(count_) - sum_ / count_ : 0; }

std::string EntropyStopping::reason() const {
  if (history_.size() < 2) return "";
  const Line line = fit_line({history_.begin(), history_.end()});
  const double angle = std::atan(std::fabs(line.slope)) * 180 / std::numbers::pi;
  return angle <= max_angle_ && line.r2 >= min_r2_ ? "entropy" : "";
}

}  // namespace reg::cuda
