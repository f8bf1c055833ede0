#include "engine/search/emission.h"

#include <algorithm>
#include <cmath>

#include "engine/search/evidence.h"

namespace reg::search {
namespace {

constexpr double kRoot2Pi = 2.50662827463100050;

// --- A metric's logarithm: normal around the level, with outliers, and with a scatter from build to build.

constexpr double kCellsPerSigma = 1 / 0.6;
constexpr double kWindow = 4.0;  // standard deviations around an observation that are worth a cell
constexpr int kMostCells = 3000;
constexpr double kBuildPrior = 0.04;
constexpr std::size_t kScatter = 8;       // fewer units that differ are changes: nothing tells that builds scatter
constexpr double kSpeedsPrior = 0.05;     // that runs have two speeds
constexpr std::size_t kFewestSpeeds = 6;  // runs
constexpr double kSpeedsApart = 8;        // parts of what most runs of one speed differ by
constexpr double kQuietest = 3e-4;
constexpr double kUntoldQuietest = 3e-5;
constexpr double kNoisiest = 0.5;

// A change may have any size: as many in each factor of kRing, from half the noise up to kUsuallyLargest, or to the
// distance of the numbers that were seen.
constexpr double kRing = 4;
const double kUsuallyLargest = std::log(8.0);

// How far apart two speeds are between which runs change by chance: the distance of half of the runs from the one
// before. 0 where the other half does not lie close together.
double distance_of_speeds(const Samples& samples) {
  std::vector<double> distances;
  const double* before = nullptr;
  for (const auto& [unit, ys] : samples)
    for (const double& y : ys) {
      if (before != nullptr) distances.push_back(std::fabs(y - *before));
      before = &y;
    }
  if (distances.size() < kFewestSpeeds) return 0;
  std::sort(distances.begin(), distances.end());
  const double near = distances[distances.size() / 4];
  const double far = distances[distances.size() * 3 / 4];
  return far > kSpeedsApart * near ? far : 0;
}

class MetricEmission : public Emission {
 public:
  /// `wanted`: the size of the changes that are looked for.
  MetricEmission(double sigma, double tau, double wanted, bool two_speeds = false)
      : sigma_(sigma), tau_(tau), wanted_(wanted), two_speeds_(two_speeds) {}

  Noise noise() const override { return {sigma_, tau_}; }
  bool applies(const Samples& samples) const override {
    if (two_speeds_) return distance_of_speeds(samples) > kSpeedsApart * sigma_;
    return tau_ == 0 || samples.size() >= kScatter;
  }

  Lattice lattice(const Samples& samples) const override {
    std::vector<double> all;
    for (const auto& [unit, ys] : samples) all.insert(all.end(), ys.begin(), ys.end());
    std::sort(all.begin(), all.end());
    const double spread = std::hypot(sigma_, tau_);
    Lattice lattice;
    lattice.step = sigma_ / kCellsPerSigma;
    lattice.origin = all.front();
    if (two_speeds_) lattice.slower = distance_of_speeds(samples);
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

  Jumps jumps(const Lattice& lattice) const override {
    Jumps jumps;
    const double largest = std::max(kUsuallyLargest, lattice.level(lattice.size() - 1) - lattice.level(0));
    double size = sigma_ / 2;
    while (size < largest) {
      size *= kRing;
      const double cells = std::max(std::min(size, largest) / lattice.step, jumps.reach + 1.0);
      jumps.rings.push_back({static_cast<int>(std::ceil(cells)), 1 / (2 * (cells - jumps.reach + 1))});
    }
    for (Jumps::Ring& ring : jumps.rings) ring.density /= static_cast<double>(jumps.rings.size());
    jumps.large = std::max(1, static_cast<int>(std::ceil(wanted_ / lattice.step)));
    jumps.notable = std::max(1, static_cast<int>(std::lround(wanted_ / 2 / lattice.step)));
    return jumps;
  }

  Row row(const Lattice& lattice, const std::vector<double>& ys, double& log_scale) const override {
    Row row(lattice.size(), 1.0);
    // The scatter of a single run and of its build are one normal distribution; of repeats the build's comes
    // afterwards.
    const bool once = ys.size() == 1;
    const double width = once ? std::hypot(sigma_, tau_) : sigma_;
    for (const double y : ys) {
      for (std::size_t g = 0; g < row.size(); ++g) row[g] *= density_at(y - lattice.level(g), width, lattice.slower);
      normalize(row, log_scale);
    }
    if (tau_ > 0 && !once) {
      row = blurred(lattice, row);
      normalize(row, log_scale);
    }
    return row;
  }

  std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level, const std::vector<double>& ys,
                                int count) const override {
    const Row centre = centre_of(lattice, level, ys);
    const double width = ys.empty() ? std::hypot(sigma_, tau_) : sigma_;
    // Quantiles of the centre, with noise put on them in an order without trend.
    static constexpr double kNoise[] = {0.6, -0.9, 0.2, -0.2, 0.9, -0.6};
    std::vector<Outcome> outcomes;
    double below = 0;
    std::size_t g = 0;
    for (int k = 0; k < count; ++k) {
      const double quantile = (k + 0.5) / count;
      while (g + 1 < centre.size() && below + centre[g] < quantile) below += centre[g++];
      const double slower = k % 2 == 1 ? lattice.slower : 0;
      outcomes.push_back({lattice.level(g) + slower + kNoise[k % 6] * width, 1.0 / count});
    }
    return outcomes;
  }

 private:
  static double density_at(double distance, double width, double slower) {
    const auto bell = [width](double from) {
      const double z = from / width;
      return z * z < 80 ? std::exp(-0.5 * z * z) / (width * kRoot2Pi) : 0;
    };
    const double usual = slower > 0 ? (bell(distance) + bell(distance - slower)) / 2 : bell(distance);
    return (1 - kOutliers) * usual + kOutliers * kOutlierDensity;
  }

  // What the next run of a unit scatters around: the unit's level, or that of its build.
  Row centre_of(const Lattice& lattice, const Row& level, const std::vector<double>& ys) const {
    if (ys.empty()) return level;
    double ignored = 0;
    Row centre = MetricEmission(sigma_, 0, wanted_, two_speeds_).row(lattice, ys, ignored);
    const Row prior = tau_ > 0 ? blurred(lattice, level) : level;
    double sum = 0;
    for (std::size_t g = 0; g < centre.size(); ++g) sum += centre[g] *= prior[g];
    for (double& v : centre) v /= sum;
    return centre;
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

  double sigma_, tau_, wanted_;
  bool two_speeds_;
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

  Jumps jumps(const Lattice& lattice) const override {
    Jumps jumps;
    jumps.reach = std::max(1, static_cast<int>(std::lround(min_effect_ / lattice.step)));
    jumps.large = jumps.reach;
    jumps.notable = jumps.reach;
    jumps.rings.push_back({kRates, 1.0 / kRates});
    return jumps;
  }

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

  std::vector<Outcome> outcomes(const Lattice& lattice, const Row& level, const std::vector<double>& ys,
                                int) const override {
    double ignored = 0;
    const Row row = this->row(lattice, ys, ignored);
    double fails = 0;
    double all = 0;
    for (std::size_t g = 0; g < level.size(); ++g) {
      fails += level[g] * row[g] * lattice.level(g);
      all += level[g] * row[g];
    }
    return {{0, 1 - fails / all}, {1, fails / all}};
  }

 private:
  double min_effect_;
};

// Standard deviations of a run: from far below the effect asked for to far above. Without one they are closer together,
// since what is worth finding is measured by them.
std::vector<double> noise_ladder(double effect) {
  const bool untold = effect == 0;
  const double most = std::max(kNoisiest, 4 * effect);
  const double factor = untold ? std::sqrt(2.0) : 2;
  double sigma = untold ? kUntoldQuietest : kQuietest;
  while (!untold && sigma > effect / 4) sigma /= 2;
  std::vector<double> ladder;
  for (; ladder.empty() || ladder.back() * std::sqrt(factor) < most; sigma *= factor) ladder.push_back(sigma);
  return ladder;
}

// One that a metric scatters so, from run to run and from build to build.
Hypothesis metric_hypothesis(double prior, const Question& question, double run, double build, bool two_speeds) {
  const double wanted = wanted_effect(question, Scale(Kind::noisy, {}), run, build).effect;
  return {prior, std::make_unique<MetricEmission>(run, build, wanted, two_speeds)};
}

}  // namespace

std::vector<Hypothesis> hypotheses(const Question& question) {
  std::vector<Hypothesis> all;
  if (question.kind == Kind::flaky) {
    all.push_back({1, std::make_unique<RateEmission>(question.min_effect)});
    return all;
  }
  const std::vector<double> sigmas = noise_ladder(std::log1p(question.min_effect));
  const double each = 1.0 / static_cast<double>(sigmas.size());
  for (const double sigma : sigmas) {
    all.push_back(metric_hypothesis((1 - kBuildPrior - kSpeedsPrior) * each, question, sigma, 0, false));
    all.push_back(metric_hypothesis(kSpeedsPrior * each, question, sigma, 0, true));
    std::vector<double> taus;
    for (const double over : {2.0, 5.0, 12.0})
      if (over * sigma <= sigmas.back()) taus.push_back(over * sigma);
    for (const double tau : taus)
      all.push_back(
          metric_hypothesis(kBuildPrior * each / static_cast<double>(taus.size()), question, sigma, tau, false));
  }
  return all;
}

}  // namespace reg::search
