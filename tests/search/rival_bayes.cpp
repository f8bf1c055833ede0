#include <algorithm>
#include <cmath>

#include "tests/search/rivals.h"

namespace reg::score {
namespace {

constexpr double kSure = 0.95;

struct Tally {
  int failed = 0, passed = 0;

  double next_fails() const { return (failed + 1.0) / (failed + passed + 2.0); }
};

// log n!, from a table: std::lgamma writes a global.
class LogFactorial {
 public:
  explicit LogFactorial(int most) {
    for (int k = 1; k <= most; ++k) log_.push_back(log_.back() + std::log(k));
  }
  double operator()(int n) const { return log_[static_cast<std::size_t>(n)]; }

 private:
  std::vector<double> log_{0};
};

// The change at c has places before c on its left, c and later ones on its right; c in 1..n-1, and c = 0 has weight 0.
class OneChange {
 public:
  OneChange(int n, int most_runs) : log_factorial_(most_runs + 1), runs_(static_cast<std::size_t>(n)) { update(); }

  void tell(int place, bool fails) {
    Tally& tally = runs_[static_cast<std::size_t>(place)];
    ++(fails ? tally.failed : tally.passed);
    update();
  }

  const std::vector<double>& posterior() const { return posterior_; }

  // The place after whose next run the least entropy is expected.
  int most_telling() const {
    const std::size_t n = runs_.size();
    std::vector<double> expected(n, 0);
    for (const bool fails : {true, false}) add_expected(fails, expected);
    return static_cast<int>(std::min_element(expected.begin(), expected.end()) - expected.begin());
  }

 private:
  void update() {
    const std::size_t n = runs_.size();
    left_.assign(n, {});
    right_.assign(n, {});
    for (std::size_t c = 1; c < n; ++c)
      left_[c] = {left_[c - 1].failed + runs_[c - 1].failed, left_[c - 1].passed + runs_[c - 1].passed};
    right_[n - 1] = runs_[n - 1];
    for (std::size_t c = n - 1; c-- > 0;)
      right_[c] = {right_[c + 1].failed + runs_[c].failed, right_[c + 1].passed + runs_[c].passed};
    posterior_.assign(n, -HUGE_VAL);
    for (std::size_t c = 1; c < n; ++c) posterior_[c] = log_evidence(left_[c]) + log_evidence(right_[c]);
    const double most = *std::max_element(posterior_.begin(), posterior_.end());
    double sum = 0;
    for (double& p : posterior_) sum += p = std::exp(p - most);
    for (double& p : posterior_) p /= sum;
  }

  // Of passes and failures whose rate is uniform in 0..1.
  double log_evidence(const Tally& t) const {
    return log_factorial_(t.failed) + log_factorial_(t.passed) - log_factorial_(t.failed + t.passed + 1);
  }

  // Adds, for a run of each place that ends so: its probability times the entropy that is left then. Changes at or
  // before the place see it on their right, the others on their left, hence two running sums.
  void add_expected(bool fails, std::vector<double>& expected) const {
    const std::size_t n = runs_.size();
    const auto weight = [&](std::size_t c, const std::vector<Tally>& side) {
      const double p = side[c].next_fails();
      return posterior_[c] * (fails ? p : 1 - p);
    };
    const auto spread = [](double w) { return w > 0 ? w * std::log(w) : 0; };
    double sum = 0;
    double spreads = 0;
    for (std::size_t c = 0; c < n; ++c) {
      const double w = weight(c, left_);
      sum += w;
      spreads += spread(w);
    }
    for (std::size_t place = 0; place < n; ++place) {
      const double as_left = weight(place, left_);
      const double as_right = weight(place, right_);
      sum += as_right - as_left;
      spreads += spread(as_right) - spread(as_left);
      expected[place] += sum * std::log(sum) - spreads;
    }
  }

  LogFactorial log_factorial_;
  std::vector<Tally> runs_, left_, right_;
  std::vector<double> posterior_;
};

}  // namespace

Played play_bayes(History& history) {
  OneChange change(history.question().n, search::default_budget(search::Kind::flaky));
  Played played;
  while (history.runs() < search::default_budget(search::Kind::flaky)) {
    const int place = change.most_telling();
    change.tell(place, history.run(place).value > 0);
    const auto best = std::max_element(change.posterior().begin(), change.posterior().end());
    if (*best < kSure) continue;
    const int at = static_cast<int>(best - change.posterior().begin());
    played.said.push_back({at - 1, at, *best});
    return played;
  }
  played.unresolved = true;
  return played;
}

}  // namespace reg::score
