#include "engine/search/next_subset.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>

namespace reg::search {
namespace {

constexpr int kParticles = 200;  // explanations that stand for all
constexpr int kStarts = 5;       // subsets of each density
constexpr int kClimbs = 3;       // of them, those that are made better
constexpr int kRounds = 2;
constexpr int kMostBins = 80;
constexpr double kBinsPerSigma = 2;
constexpr double kNearly = 0.9;  // of the most bits: a check that tells as much saves its own run later
constexpr double kBand = 3;      // standard deviations of the noise around a level

constexpr double kCause = 0.5;    // prior of one that breaks subsets, once some are broken
constexpr double kSingle = 0.5;   // of those, of an item alone
constexpr double kBreaks = 0.98;  // that a cause breaks a subset

// As many of each explanation as its probability asks for.
std::vector<const Weighed*> particles_of(const std::vector<Weighed>& explanations) {
  std::vector<const Weighed*> particles;
  double sum = 0;
  for (const Weighed& one : explanations) {
    sum += one.p;
    while (static_cast<int>(particles.size()) < kParticles &&
           (static_cast<double>(particles.size()) + 0.5) / kParticles < sum)
      particles.push_back(&one);
  }
  return particles;
}

class Chooser {
 public:
  explicit Chooser(const SubsetEvidence& evidence)
      : evidence_(evidence), particles_(particles_of(evidence.explanations)), levels_(particles_.size()) {}

  // The mutual information of the explanation and the number, in bits, where the subset can be run.
  double value(const Subset& on) {
    if (evidence_.tried.count(on) > 0) return 0;
    const double information = this->information(on);
    return information > 0 ? information * (1 - evidence_.breakage.chance(on)) : 0;
  }

 private:
  double information(const Subset& on) {
    double low = 1e300;
    double high = -1e300;
    for (std::size_t k = 0; k < particles_.size(); ++k) {
      levels_[k] = particles_[k]->level(on);
      low = std::min(low, levels_[k]);
      high = std::max(high, levels_[k]);
    }
    const double sigma = evidence_.noise;
    if (high - low < 1e-3 * sigma) return 0;
    const double width = std::max(sigma / kBinsPerSigma, (high - low) / kMostBins);
    const int margin = static_cast<int>(std::ceil(kBand * sigma / width));
    counts_.assign(static_cast<std::size_t>((high - low) / width) + 2 + 2 * static_cast<std::size_t>(margin), 0.0);
    for (const double level : levels_) {
      // Between two bins, so that levels that differ a little are not told apart.
      const double at = (level - low) / width + margin;
      const auto bin = static_cast<std::size_t>(at);
      counts_[bin] += 1 - (at - static_cast<double>(bin));
      counts_[bin + 1] += at - static_cast<double>(bin);
    }
    kernel_.assign(static_cast<std::size_t>(margin) + 1, 0.0);
    double sum = 0;
    for (int k = 0; k <= margin; ++k) {
      kernel_[static_cast<std::size_t>(k)] = std::exp(-0.5 * std::pow(k * width / sigma, 2));
      sum += (k > 0 ? 2 : 1) * kernel_[static_cast<std::size_t>(k)];
    }
    double noise_entropy = 0;
    for (int k = 0; k <= margin; ++k) {
      double& p = kernel_[static_cast<std::size_t>(k)];
      p /= sum;
      if (p > 0) noise_entropy -= (k > 0 ? 2 : 1) * p * std::log2(p);
    }
    double entropy = 0;
    const int bins = static_cast<int>(counts_.size());
    for (int b = 0; b < bins; ++b) {
      double p = 0;
      for (int k = std::max(0, b - margin); k <= std::min(bins - 1, b + margin); ++k)
        p += counts_[static_cast<std::size_t>(k)] * kernel_[static_cast<std::size_t>(std::abs(b - k))];
      p /= static_cast<double>(particles_.size());
      if (p > 1e-12) entropy -= p * std::log2(p);
    }
    return std::max(0.0, entropy - noise_entropy);
  }

  const SubsetEvidence& evidence_;
  std::vector<const Weighed*> particles_;
  std::vector<double> levels_, counts_, kernel_;
};

std::vector<Subset> starts(const Subset& all, std::uint64_t seed) {
  std::mt19937_64 random(seed);  // the same numbers on every machine, as those of a distribution are not
  const auto next = [&random] { return static_cast<double>(random() >> 11) * 0x1p-53; };
  std::vector<Subset> subsets;
  for (const double density : {0.5, 0.35, 0.65, 0.2, 0.8}) {
    for (int k = 0; k < kStarts; ++k) {
      Subset on = all;
      for (std::uint8_t& item : on) item &= next() < density ? 1 : 0;
      subsets.push_back(std::move(on));
    }
  }
  return subsets;
}

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
      cause.weight *= broken ? kBreaks : 1 - kBreaks;
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
  for (const Cause& cause : causes_) chance += cause.weight * (cause.breaks(on) ? kBreaks : rate / 3);
  return chance;
}

SubsetChoice next_subset(const SubsetEvidence& evidence) {
  Chooser chooser(evidence);
  std::vector<SubsetChoice> choices;
  for (Subset& on : starts(evidence.all, evidence.tried.size() * 1000 + evidence.all.size())) {
    const double bits = chooser.value(on);
    choices.push_back({std::move(on), bits});
  }
  std::stable_sort(choices.begin(), choices.end(),
                   [](const SubsetChoice& a, const SubsetChoice& b) { return a.bits > b.bits; });
  choices.resize(kClimbs);
  SubsetChoice best;
  for (SubsetChoice& choice : choices) {
    for (int round = 0; round < kRounds; ++round) {
      for (std::size_t k = 0; k < choice.on.size(); ++k) {
        std::uint8_t& item = choice.on[k];
        if (evidence.all[k] == 0) continue;
        item ^= 1;
        const double bits = chooser.value(choice.on);
        if (bits > choice.bits + 1e-9)
          choice.bits = bits;
        else
          item ^= 1;
      }
    }
    if (choice.bits > best.bits) best = choice;
  }
  for (const Subset& on : evidence.checks)
    if (const double bits = chooser.value(on); bits > 0 && bits >= kNearly * best.bits) return {on, bits};
  return best;
}

}  // namespace reg::search
