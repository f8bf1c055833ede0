#include "engine/search/ends.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kMargin = 0.0488;  // the logarithm of 1.05
constexpr int kEnough = 40;         // runs of both ends; a difference that does not show by then is bounded
constexpr std::size_t kLeast = 3;   // runs of each end before they are called the same, or made together
// Looked at after each pair. Of ends that are alike one pair of ends in 100 is said to differ, and of ends that differ
// by 1.5 times the noise one in 1,000 is said to be alike (tests/search).
constexpr double kDiffer = 3.0;  // standard errors
constexpr double kAlike = 1.3;

}  // namespace

void Ends::update(const Samples& samples) {
  const auto& a = samples.begin()->second;
  const auto& b = samples.rbegin()->second;
  runs_ = static_cast<int>(a.size() + b.size());
  const Samples both{{0, a}, {1, b}};
  comparison_ = compare(a, b, scatter_of(both));
  if (state_ != State::open) return;
  const double sigmas = std::fabs(comparison_.sigmas());
  // A burst of load may last as long as the runs that are made together.
  if (std::min(a.size(), b.size()) < (together_ ? 2 * kLeast : 2)) return;
  if (sigmas >= kDiffer && std::fabs(comparison_.difference) >= margin_)
    state_ = State::differ;
  else if (runs_ >= static_cast<int>(2 * kLeast) && bound() <= (margin_ > 0 ? margin_ : kMargin) && sigmas < kDiffer)
    state_ = State::same;
  else if (margin_ == 0 && runs_ >= kEnough && sigmas < kAlike)
    state_ = State::same;
}

double Ends::bound() const { return std::fabs(comparison_.difference) + comparison_.half(); }

int Ends::runs_to_tell() const {
  if (margin_ == 0 && runs_ < kEnough) return kEnough - runs_;
  const double gap = std::max(std::fabs(comparison_.difference), margin_ > 0 ? margin_ : kMargin);
  return static_cast<int>(std::ceil(runs_ * (std::pow(kDiffer * comparison_.error / gap, 2)))) - runs_;
}

std::vector<int> Ends::next(const Samples& samples, int latest) const {
  const int first = samples.begin()->first;
  const int last = samples.rbegin()->first;
  const std::size_t before = samples.begin()->second.size();
  const std::size_t after = samples.rbegin()->second.size();
  if (together_ && (latest == first || latest == last)) {
    const std::size_t runs = latest == first ? before : after;
    if (before == after || runs % kLeast != 0) return {latest};
  }
  if (before != after) return {before < after ? first : last};
  return before % 2 == 0 ? std::vector{first, last} : std::vector{last, first};
}

}  // namespace reg::search
