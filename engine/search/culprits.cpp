#include "engine/search/culprits.h"

#include <algorithm>
#include <cmath>

#include "engine/search/numbers.h"

namespace reg::search {
namespace {

constexpr double kPriorRuns = 1;    // that the noise counts for that is expected before there are any
constexpr double kEvidence = 1e-6;  // explanations less likely than this, compared with the best, do not matter
constexpr double kLeastTrust = 0.02;
constexpr std::size_t kMostPairs = 60000;  // extensions of single items that are tried
constexpr std::size_t kWide = 30;          // explanations that are extended by a third item
constexpr std::size_t kNarrow = 10;        // and by further ones
constexpr double kWorthMore = 7;           // explanations that are less likely by this factor's logarithm are left
constexpr std::size_t kKept = 1500;
constexpr double kOther = 0.4;  // a trust that differs by this much changes the evidence

// How likely a cause consists of so many items, all of which must be on, or any.
constexpr std::array<double, 5> kAllOf = {0, 0.78, 0.14, 0.04, 0.015};
constexpr std::array<double, 5> kAnyOf = {0, 0, 0.02, 0.004, 0.001};
constexpr std::array<double, 5> kAnyOfPassFail = {0, 0, 0.1, 0.04, 0.02};
// How likely there are so many causes.
constexpr std::array<double, 6> kCauses = {0.02, 0.83, 0.09, 0.04, 0.015, 0.005};

double log_choose(int n, int k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// With one more item: in a cause of its own, or in one of those there are.
void add_extensions(const Explanation& from, int item, Combination combination, std::vector<Explanation>& into) {
  const auto insert = [&into](Explanation extended) {
    std::partial_sort(extended.causes.begin(), extended.causes.begin() + extended.size,
                      extended.causes.begin() + extended.size);
    into.push_back(extended);
  };
  if (from.size < (combination == Combination::sums ? Explanation::kMost : 1) && !from.mentions(item)) {
    Explanation extended = from;
    extended.causes[extended.size++].add(item);
    insert(extended);
  }
  for (std::size_t k = 0; k < from.size; ++k) {
    const Cause& cause = from.causes[k];
    if (cause.size == Cause::kMost || cause.mentions(item)) continue;
    for (const bool any : {false, true}) {
      if (cause.size > 1 && cause.any != any) continue;
      Explanation extended = from;
      extended.causes[k].any = any;
      extended.causes[k].add(item);
      insert(extended);
    }
  }
}

void forward(const Gram& factor, Columns& b, int size) {
  for (int i = 0; i < size; ++i) {
    for (int k = 0; k < i; ++k) b[i] -= factor[i][k] * b[k];
    b[i] /= factor[i][i];
  }
}

}  // namespace

double solve(Gram& a, Columns& b, int size) {
  double log_determinant = 0;
  for (int j = 0; j < size; ++j) {
    for (int k = 0; k < j; ++k) a[j][j] -= a[j][k] * a[j][k];
    log_determinant += std::log(a[j][j]);
    a[j][j] = std::sqrt(a[j][j]);
    for (int i = j + 1; i < size; ++i) {
      for (int k = 0; k < j; ++k) a[i][j] -= a[i][k] * a[j][k];
      a[i][j] /= a[j][j];
    }
  }
  forward(a, b, size);
  for (int i = size - 1; i >= 0; --i) {
    for (int k = i + 1; k < size; ++k) b[i] -= a[k][i] * b[k];
    b[i] /= a[i][i];
  }
  return log_determinant;
}

double quadratic(const Gram& factor, Columns c, int size) {
  forward(factor, c, size);
  double sum = 0;
  for (int i = 0; i < size; ++i) sum += c[i] * c[i];
  return sum;
}

bool Cause::active(const Subset& on) const {
  for (std::size_t k = 0; k < size; ++k)
    if ((on[static_cast<std::size_t>(items[k])] != 0) == any) return any;
  return !any;
}

void Cause::add(int item) {
  items[size++] = static_cast<std::int16_t>(item);
  std::partial_sort(items.begin(), items.begin() + size, items.begin() + size);
}

bool Cause::mentions(int item) const {
  return std::find(items.begin(), items.begin() + size, item) != items.begin() + size;
}

bool Explanation::mentions(int item) const {
  return std::any_of(causes.begin(), causes.begin() + size,
                     [item](const Cause& cause) { return cause.mentions(item); });
}

double Weighed::level(const Subset& on) const {
  double level = effects[0];
  for (std::size_t k = 0; k < explanation.size; ++k)
    if (explanation.causes[k].active(on)) level += effects[k + 1];
  return level;
}

Culprits::Culprits(int n, Combination combination, double relative_floor)
    : n_(n), combination_(combination), relative_floor_(relative_floor) {
  const std::array<double, 5>& any_of = combination == Combination::any ? kAnyOfPassFail : kAnyOf;
  for (int size = 1; size <= std::min(n, Cause::kMost); ++size) {
    const auto k = static_cast<std::size_t>(size);
    log_all_of_[k] = std::log(kAllOf[k]) - log_choose(n, size);
    log_any_of_[k] = std::log(any_of[k]) - log_choose(n, size);
  }
}

double Culprits::log_prior(const Explanation& explanation) const {
  double log_prior = std::log(kCauses[explanation.size]) + std::lgamma(explanation.size + 1.0);
  for (std::size_t k = 0; k < explanation.size; ++k) {
    const Cause& cause = explanation.causes[k];
    log_prior += (cause.any ? log_any_of_ : log_all_of_)[cause.size];
  }
  return log_prior;
}

void Culprits::note(const std::vector<Seen>& seen) {
  const std::size_t runs = seen.size();
  trust_.resize(runs, 1);
  active_.resize(runs);
  pattern_.resize(runs);
  ys_.clear();
  for (const Seen& run : seen) ys_.push_back(run.y - centre_);
  on_.resize(static_cast<std::size_t>(n_) * runs);
  for (std::size_t item = 0; item < static_cast<std::size_t>(n_); ++item)
    for (std::size_t r = 0; r < runs; ++r) on_[item * runs + r] = seen[r].on[item];
}

// Normal effects around 0 with a size of size_, normal noise whose variance has an inverse gamma prior: the evidence of
// conjugate linear regression. Source: Bishop, "Pattern Recognition and Machine Learning", 3.5 and exercise 3.23.
Weighed Culprits::fit(const Explanation& explanation) {
  const std::size_t runs = ys_.size();
  const auto columns = static_cast<std::size_t>(explanation.size) + 1;
  std::fill(pattern_.begin(), pattern_.end(), std::uint8_t{0});
  for (std::size_t k = 0; k < explanation.size; ++k) {
    const Cause& cause = explanation.causes[k];
    const auto row_of = [&](std::size_t i) { return on_.data() + static_cast<std::size_t>(cause.items[i]) * runs; };
    std::copy_n(row_of(0), runs, active_.begin());
    for (std::size_t i = 1; i < cause.size; ++i) {
      const std::uint8_t* row = row_of(i);
      if (cause.any)
        for (std::size_t r = 0; r < runs; ++r) active_[r] |= row[r];
      else
        for (std::size_t r = 0; r < runs; ++r) active_[r] &= row[r];
    }
    for (std::size_t r = 0; r < runs; ++r) pattern_[r] |= static_cast<std::uint8_t>(active_[r] << k);
  }
  double squares = 0;
  double trusted = 0;
  Gram gram = {};
  Columns moments = {};
  for (std::size_t r = 0; r < runs; ++r) {
    const double part = trust_[r] * ys_[r];
    squares += part * ys_[r];
    trusted += trust_[r];
    const int active = pattern_[r] << 1 | 1;  // the level is in all
    for (std::size_t i = 0; i < columns; ++i) {
      if ((active >> i & 1) == 0) continue;
      moments[i] += part;
      for (std::size_t j = 0; j <= i; ++j)
        if ((active >> j & 1) != 0) gram[i][j] += trust_[r];
    }
  }
  const double precision = (noise_ / size_) * (noise_ / size_);
  double log_prior_determinant = 0;
  for (std::size_t i = 0; i < columns; ++i) {
    const double own = i == 0 ? precision / 100 : precision;
    gram[i][i] += own;
    log_prior_determinant += std::log(own);
  }
  Columns effects = moments;
  const double log_determinant = solve(gram, effects, static_cast<int>(columns));
  double explained = 0;
  for (std::size_t i = 0; i < columns; ++i) explained += effects[i] * moments[i];
  const double scatter = (kPriorRuns + trusted) * floor_ * floor_ + std::max(0.0, squares - explained);
  const double log_evidence = (log_prior_determinant - log_determinant) / 2 -
                              (kPriorRuns + trusted) / 2 * std::log(scatter / (floor_ * floor_));
  Weighed found{explanation, log_evidence + log_prior(explanation), std::sqrt(scatter / (kPriorRuns + trusted)), {}};
  std::copy_n(effects.begin(), columns, found.effects.begin());
  found.effects[0] += centre_;
  return found;
}

std::vector<Explanation> Culprits::extended(const std::vector<Weighed>& from, std::size_t most) const {
  std::vector<Explanation> all;
  for (std::size_t k = 0; k < std::min(most, from.size()); ++k)
    for (int item = 0; item < n_; ++item) add_extensions(from[k].explanation, item, combination_, all);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

std::vector<Weighed> Culprits::search() {
  std::vector<Weighed> all;
  double best = -1e300;
  const auto weigh = [&](const std::vector<Explanation>& explanations) {
    std::vector<Weighed> weighed;
    for (const Explanation& explanation : explanations) weighed.push_back(fit(explanation));
    const auto likelier = [](const Weighed& a, const Weighed& b) { return a.p > b.p; };
    const std::size_t kept = std::min(weighed.size(), kKept);
    std::partial_sort(weighed.begin(), weighed.begin() + static_cast<long>(kept), weighed.end(), likelier);
    weighed.resize(kept);
    if (!weighed.empty()) best = std::max(best, weighed.front().p);
    for (const Weighed& one : weighed)
      if (one.p > best + std::log(kEvidence)) all.push_back(one);
    return weighed;
  };
  const std::vector<Weighed> nothing = weigh({Explanation{}});
  std::vector<Weighed> layer = weigh(extended(nothing, 1));
  layer = weigh(extended(layer, std::max<std::size_t>(kWide, kMostPairs / static_cast<std::size_t>(n_))));
  layer = weigh(extended(layer, kWide));
  for (int items = 4; items <= 6 && !layer.empty() && layer.front().p > best - kWorthMore; ++items)
    layer = weigh(extended(layer, kNarrow));

  std::sort(all.begin(), all.end(), [](const Weighed& a, const Weighed& b) { return a.p > b.p; });
  const auto end =
      std::find_if(all.begin(), all.end(), [best](const Weighed& w) { return w.p < best + std::log(kEvidence); });
  all.erase(std::min(end, all.begin() + static_cast<long>(std::min(all.size(), kKept))), all.end());
  double sum = 0;
  for (Weighed& w : all) sum += w.p = std::exp(w.p - best);
  for (Weighed& w : all) w.p /= sum;
  return all;
}

// The noise, and which runs are outliers, by what the explanations expect. Whether that differs from before.
bool Culprits::reweigh(const std::vector<Seen>& seen) {
  std::vector<double> distances;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    double square = 0;
    for (const Weighed& w : best_) square += w.p * std::pow(seen[r].y - w.level(seen[r].on), 2);
    distances.push_back(std::sqrt(square));
  }
  double variance = 0;
  for (const Weighed& w : best_) variance += w.p * w.sigma * w.sigma;
  noise_ = std::max(floor_, std::sqrt(variance));
  std::vector<double> sorted = distances;
  std::sort(sorted.begin(), sorted.end());
  // Of few runs the median says nothing: each fits by a level of its own.
  const double robust = seen.size() >= 8 ? std::max(floor_, 1.6 * sorted[sorted.size() / 2]) : noise_;
  const double sigma = std::min(noise_, robust);
  bool differs = false;
  for (std::size_t r = 0; r < seen.size(); ++r) {
    const double z = distances[r] / sigma;
    const double normal = (1 - kOutliers) * std::exp(-z * z / 2) / (sigma * std::sqrt(2 * M_PI));
    const double trust = std::max(kLeastTrust, normal / (normal + kOutliers * kOutlierDensity));
    differs = differs || std::fabs(trust - trust_[r]) > kOther;
    trust_[r] = trust;
  }
  return differs;
}

void Culprits::update(const std::vector<Seen>& seen, double none, double all) {
  const double whole = std::fabs(all - none);
  size_ = std::max({whole, 2 * noise_, 1e-9 * (1 + std::fabs(none))});
  centre_ = none;
  floor_ = relative_floor_ * size_;
  noise_ = std::max(noise_, floor_);
  note(seen);
  best_ = search();
  if (!reweigh(seen)) return;
  best_ = search();
  reweigh(seen);
}

}  // namespace reg::search
