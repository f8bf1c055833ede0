#include "engine/search/emission.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kRoot2Pi = 2.50662827463100050;

// --- A metric's logarithm: normal around the level, with outliers, and with a scatter from build to build.

constexpr double kOutliers = 0.03;     // part of the runs that are no measurement at all
constexpr double kOutlierDensity = 2;  // of those, per unit of the logarithm
constexpr double kCellsPerSigma = 1 / 0.6;
constexpr double kWindow = 4.0;  // standard deviations around an observation that are worth a cell
constexpr int kMostCells = 3000;
constexpr double kTauOverSigma = 2;
constexpr double kTauPrior = 0.05;
constexpr double kQuietest = 3e-4;
constexpr double kNoisiest = 0.04;
constexpr double kJumpSpan = 0.1;  // a jump is at least that uncertain, either way

class MetricEmission : public Emission {
 public:
  MetricEmission(double sigma, double tau, double min_effect) : sigma_(sigma), tau_(tau), min_effect_(min_effect) {}

  double run_noise() const override { return sigma_; }
  double build_noise() const override { return tau_; }

  Lattice lattice(const Samples& samples) const override {
    std::vector<double> all;
    for (const auto& [unit, ys] : samples) all.insert(all.end(), ys.begin(), ys.end());
    std::sort(all.begin(), all.end());
    const double spread = std::hypot(sigma_, tau_);
    Lattice lattice;
    lattice.step = sigma_ / kCellsPerSigma;
    lattice.origin = all.front();
    const double half = kWindow * spread / lattice.step;
    int next = -static_cast<int>(half) - 1;
    for (const double y : all) {
      const double centre = (y - lattice.origin) / lattice.step;
      const int begin = std::max(next, static_cast<int>(std::floor(centre - half)));
      const int end = static_cast<int>(std::ceil(centre + half));
      for (int c = begin; c <= end && lattice.cells.size() < kMostCells; ++c) lattice.cells.push_back(c);
      next = std::max(next, end + 1);
    }
    return lattice;
  }

  int reach(const Lattice& lattice) const override {
    return std::max(1, static_cast<int>(std::ceil(min_effect_ / lattice.step)));
  }

  double density(const Lattice& lattice) const override {
    const double range = lattice.step * (lattice.cells.back() - lattice.cells.front());
    return lattice.step / std::max(range, kJumpSpan);
  }

  Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const override {
    Row row(lattice.size(), 1.0);
    // The scatter of a single run and of its build are one normal distribution; of repeats the build's comes
    // afterwards.
    const bool once = ys.size() == 1;
    const double width = once ? std::hypot(sigma_, tau_) : sigma_;
    for (const double y : ys) {
      for (std::size_t g = 0; g < row.size(); ++g) row[g] *= density_at(y - lattice.level(g), width);
      normalize(row, log_scale);
    }
    if (tau_ > 0 && !once) {
      row = blurred(lattice, row);
      normalize(row, log_scale);
    }
    return row;
  }

  std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level) const override {
    // Six points of the predictive distribution: quantiles of the level, with noise put on them in an order without
    // trend.
    static constexpr double kQuantiles[] = {0.08, 0.25, 0.42, 0.58, 0.75, 0.92};
    static constexpr double kNoise[] = {0.6, -0.9, 0.2, -0.2, 0.9, -0.6};
    std::vector<Outcome> outcomes;
    double below = 0;
    std::size_t g = 0;
    for (std::size_t k = 0; k < std::size(kQuantiles); ++k) {
      while (g + 1 < level.size() && below + level[g] < kQuantiles[k]) below += level[g++];
      outcomes.push_back({lattice.level(g) + kNoise[k] * std::hypot(sigma_, tau_), 1.0 / std::size(kQuantiles)});
    }
    return outcomes;
  }

 private:
  static double density_at(double distance, double width) {
    const double z = distance / width;
    return (z * z < 80 ? (1 - kOutliers) / (width * kRoot2Pi) * std::exp(-0.5 * z * z) : 0) +
           kOutliers * kOutlierDensity;
  }

  static void normalize(Row& row, double& log_scale) {
    const double most = *std::max_element(row.begin(), row.end());
    for (double& v : row) v /= most;
    log_scale += std::log(most);
  }

  Row blurred(const Lattice& lattice, const Row& in) const {
    const int half = static_cast<int>(std::ceil(2.5 * tau_ / lattice.step));
    Row kernel(static_cast<std::size_t>(half) + 1);
    double sum = 0;
    for (int k = 0; k <= half; ++k) {
      kernel[static_cast<std::size_t>(k)] = std::exp(-0.5 * std::pow(k * lattice.step / tau_, 2));
      sum += (k > 0 ? 2 : 1) * kernel[static_cast<std::size_t>(k)];
    }
    Row out(in.size(), 1e-14);
    std::size_t begin = 0;
    for (std::size_t g = 0; g < in.size(); ++g) {
      while (lattice.cells[g] - lattice.cells[begin] > half) ++begin;
      double total = 0;
      for (std::size_t k = begin; k < in.size() && lattice.cells[k] - lattice.cells[g] <= half; ++k)
        total += in[k] * kernel[static_cast<std::size_t>(std::abs(lattice.cells[k] - lattice.cells[g]))];
      out[g] += total / sum;
    }
    return out;
  }

  double sigma_, tau_, min_effect_;
};

// --- A test that fails at some rate.

constexpr int kRates = 60;

class RateEmission : public Emission {
 public:
  explicit RateEmission(double min_effect) : min_effect_(min_effect) {}

  Lattice lattice(const Samples&) const override {
    Lattice lattice;
    lattice.step = 1.0 / kRates;
    lattice.origin = lattice.step / 2;
    for (int c = 0; c < kRates; ++c) lattice.cells.push_back(c);
    return lattice;
  }

  int reach(const Lattice& lattice) const override {
    return std::max(1, static_cast<int>(std::lround(min_effect_ / lattice.step)));
  }

  double density(const Lattice& lattice) const override { return lattice.step; }

  Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const override {
    double fails = 0;
    for (const double y : ys) fails += y;
    const double passes = static_cast<double>(ys.size()) - fails;
    Row row(lattice.size());
    double most = -1e300;
    for (std::size_t g = 0; g < row.size(); ++g) {
      row[g] = fails * std::log(lattice.level(g)) + passes * std::log(1 - lattice.level(g));
      most = std::max(most, row[g]);
    }
    for (double& v : row) v = std::exp(v - most);
    log_scale += most;
    return row;
  }

  std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level) const override {
    double fails = 0;
    for (std::size_t g = 0; g < level.size(); ++g) fails += level[g] * lattice.level(g);
    return {{0, 1 - fails}, {1, fails}};
  }

 private:
  double min_effect_;
};

}  // namespace

std::vector<Hypothesis> hypotheses(const Question& question) {
  std::vector<Hypothesis> all;
  if (question.kind == Kind::flaky) {
    all.push_back({1, std::make_unique<RateEmission>(question.min_effect)});
    return all;
  }
  const double effect = std::log1p(question.min_effect);
  double quietest = kQuietest;
  while (quietest > effect / 4) quietest /= 2;
  int steps = 1;
  while (quietest * (1 << (steps - 1)) < std::max(kNoisiest, 4 * effect) / 1.5) ++steps;
  for (int k = 0; k < steps; ++k) {
    const double sigma = quietest * (1 << k);
    all.push_back({(1 - kTauPrior) / steps, std::make_unique<MetricEmission>(sigma, 0, effect)});
    all.push_back({kTauPrior / steps, std::make_unique<MetricEmission>(sigma, kTauOverSigma * sigma, effect)});
  }
  return all;
}

}  // namespace reg::search
