#include "engine/search/breakage.h"

#include <algorithm>

namespace reg::search {
namespace {

constexpr double kCause = 0.5;   // prior of one that breaks subsets, once some are broken
constexpr double kSingle = 0.5;  // of those, of an item alone
constexpr double kSure = 0.98;   // that a cause breaks a subset

}  // namespace

bool Breakage::Cause::breaks(const Subset& on) const {
  return on[static_cast<std::size_t>(item)] != 0 && (item == without || on[static_cast<std::size_t>(without)] == 0);
}

Breakage::Breakage(int n) {
  by_chance_ = 1 - kCause;
  for (int item = 0; item < n; ++item) {
    for (int without = 0; without < n; ++without) {
      const double each = item == without ? kSingle / n : (1 - kSingle) / (n * (n - 1.0));
      causes_.push_back({item, without, kCause * each});
    }
  }
}

void Breakage::add(const Subset& on, bool broken) {
  ++runs_;
  if (broken) ++broken_;
  const double rate = (broken_ + 0.5) / (runs_ + 4.0);
  const double likely = broken ? rate : 1 - rate;
  by_chance_ *= likely;
  double sum = by_chance_;
  double most = 0;
  for (Cause& cause : causes_) {
    if (cause.breaks(on)) {
      cause.weight *= broken ? kSure : 1 - kSure;
    } else {
      // What else breaks subsets is rarer where there is such a cause.
      cause.weight *= broken ? rate / 3 : 1 - rate / 3;
    }
    sum += cause.weight;
    most = std::max(most, cause.weight);
  }
  by_chance_ /= sum;
  for (Cause& cause : causes_) cause.weight /= sum;
  std::erase_if(causes_, [most, sum](const Cause& cause) { return cause.weight < 1e-6 * most / sum; });
}

double Breakage::chance(const Subset& on) const {
  if (broken_ == 0) return 0;
  const double rate = (broken_ + 0.5) / (runs_ + 4.0);
  double chance = by_chance_ * rate;
  for (const Cause& cause : causes_) chance += cause.weight * (cause.breaks(on) ? kSure : rate / 3);
  return chance;
}

}  // namespace reg::search
