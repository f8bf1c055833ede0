#include "engine/search/numbers.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr double kShamos = 1.0483;    // makes the median distance of normal pairs the standard deviation
constexpr double kEfficiency = 0.86;  // of that estimator beside the sample's standard deviation
constexpr double kHuber = 1.5;        // sigma from where on a run pulls no harder
constexpr double kTails = 1.1;        // a level of runs with tails is less certain than one of normal ones
constexpr int kMostDecimals = 9;      // of a number that was rounded
constexpr double kOfAStep = 1e-6;     // what arithmetic on rounded numbers leaves
constexpr double kLeastSigma = 1e-6;  // of the logarithm: clocks and printed digits are not finer
constexpr double kNear = 0.69;        // a factor of two
constexpr std::size_t kApart = 2;     // runs: of one pair
constexpr std::size_t kPairs = 2;     // that say how machines compare: a single one may be one burst of load

std::size_t numbers_in(const Samples& units) {
  std::size_t sum = 0;
  for (const auto& [unit, ys] : units) sum += ys.size();
  return sum;
}

// Of both machines at each unit: a distance for each pair of numbers.
std::vector<double> differences(const Samples& of, const Samples& from) {
  std::vector<double> differences;
  for (const auto& [unit, ys] : of)
    if (const auto same = from.find(unit); same != from.end())
      differences.insert(differences.end(), std::min(ys.size(), same->second.size()),
                         median(ys) - median(same->second));
  return differences;
}

// A unit where the machine has more numbers than those it is compared with: its first, then its last, since two pairs
// far apart say more than two at one place.
int unit_to_link(const Samples& of, const Samples& from, const Line& line) {
  std::vector<int> lacking;
  for (const auto& [unit, ys] : of) {
    const auto same = from.find(unit);
    if (!line.given_up(unit) && (same == from.end() || same->second.size() < ys.size())) lacking.push_back(unit);
  }
  if (lacking.empty()) return -1;
  return differences(of, from).empty() ? lacking.front() : lacking.back();
}

}  // namespace

double rounding_of(const Samples& told) {
  const bool noisy = std::any_of(told.begin(), told.end(), [](const auto& of) {
    return std::any_of(of.second.begin(), of.second.end(), [&](double y) { return y != of.second.front(); });
  });
  if (!noisy) return 0;
  const auto all_at = [&](double step) {
    for (const auto& [unit, ys] : told)
      for (const double y : ys) {
        const double steps = std::round(y / step);
        if ((steps == 0 && y != 0) || std::fabs(y / step - steps) > kOfAStep) return false;
      }
    return true;
  };
  double largest = 0;
  for (const double unit : {1.0, 1e3, 1e6, 1e9, 0x1p10, 0x1p20, 0x1p30}) {  // of MB and MiB
    double step = unit;
    for (int k = 0; k <= kMostDecimals && step > largest; ++k, step /= 10)
      if (all_at(step)) largest = step;
  }
  return largest;
}

double cut_off(int unit, std::size_t k) {
  constexpr double kGolden = 0.6180339887498949, kPlastic = 0.7548776662466927;
  const double at = 0.5 + kGolden * static_cast<double>(k) + kPlastic * unit;
  return at - std::floor(at) - 0.5;
}

Scale::Scale(Kind kind, const Samples& told) {
  if (kind != Kind::noisy) return;
  std::vector<double> sizes;
  form_ = Form::logarithm;
  for (const auto& [unit, values] : told) {
    for (const double v : values) {
      sizes.push_back(std::fabs(v));
      if (v <= 0) form_ = Form::of_usual;
    }
  }
  if (form_ == Form::logarithm) return;
  if (const double usual = median(std::move(sizes)); usual > 0) usual_ = usual;
}

double Scale::inward(double told) const {
  return form_ == Form::as_is ? told : form_ == Form::logarithm ? std::log(told) : told / usual_;
}

Estimate Scale::outward(const Estimate& level) const {
  if (form_ == Form::logarithm) return {std::exp(level.value), std::exp(level.low), std::exp(level.high)};
  if (form_ == Form::of_usual) return {level.value * usual_, level.low * usual_, level.high * usual_};
  return level;
}

Estimate Scale::effect(const Estimate& difference, double before) const {
  if (form_ == Form::logarithm)
    return {std::expm1(difference.value), std::expm1(difference.low), std::expm1(difference.high)};
  if (form_ == Form::as_is || before == 0) return difference;
  const double size = std::fabs(before);
  return {difference.value / size, difference.low / size, difference.high / size};
}

double Scale::inward_effect(double effect) const { return form_ == Form::logarithm ? std::log1p(effect) : effect; }

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double student_95(double freedom) {
  const double n = std::max(freedom, 2.0);
  const double z = kNormal95;
  return z + (std::pow(z, 3) + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

double Scatter::error(std::size_t runs) const { return kTails * sigma / std::sqrt(static_cast<double>(runs)); }

Scatter scatter_of(const Samples& samples) {
  std::vector<double> distances;
  double freedom = 0;
  for (const auto& [unit, ys] : samples) {
    for (std::size_t a = 0; a < ys.size(); ++a)
      for (std::size_t b = a + 1; b < ys.size(); ++b) distances.push_back(std::fabs(ys[a] - ys[b]));
    freedom += static_cast<double>(ys.size()) - 1;
  }
  if (distances.empty()) return {kLeastSigma, 0};
  return {std::max(kLeastSigma, kShamos * median(std::move(distances))), std::max(1.0, kEfficiency * freedom)};
}

Louder louder_near(const Samples& samples, double a, double b) {
  Samples near;
  for (const auto& [unit, ys] : samples)
    if (const double level = median(ys); std::min(std::fabs(level - a), std::fabs(level - b)) < kNear) near[unit] = ys;
  const Scatter all = scatter_of(samples);
  const Scatter of = scatter_of(near);
  if (of.freedom <= 0) return {1, all.freedom};
  return {std::max(1.0, of.sigma / all.sigma), of.freedom};
}

double bulk_of(const std::vector<double>& ys, double sigma) {
  double level = median(ys);
  for (int k = 0; k < 10; ++k) {
    double pull = 0;
    for (const double y : ys) pull += std::clamp(y - level, -kHuber * sigma, kHuber * sigma);
    level += pull / static_cast<double>(ys.size());
  }
  return level;
}

double Comparison::sigmas() const {
  if (freedom <= 0 || error <= 0) return 0;
  const double t = difference / error;
  const double z = (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return t < 0 ? -z : z;
}

Estimate Comparison::estimate() const { return around(difference, student_95(freedom) * error); }

Comparison compare(const std::vector<double>& a, const std::vector<double>& b, const Scatter& scatter) {
  const double error = std::hypot(scatter.error(a.size()), scatter.error(b.size()));
  return {bulk_of(b, scatter.sigma) - bulk_of(a, scatter.sigma), error, scatter.freedom};
}

Pairs pairs_of(const std::vector<Run>& log, int lo, int hi) {
  Pairs pairs;
  const Run* single = nullptr;
  for (const Run& run : log) {
    if (single != nullptr && &run - single > static_cast<long>(kApart)) single = nullptr;
    if (!run.value || (run.unit != lo && run.unit != hi)) continue;
    if (single == nullptr || single->unit == run.unit || single->machine != run.machine) {
      single = &run;
      continue;
    }
    pairs.rises.push_back(run.unit == hi ? *run.value - *single->value : *single->value - *run.value);
    single = nullptr;
  }
  // The next run is one more.
  if (single != nullptr && &log.back() - single < static_cast<long>(kApart)) pairs.single = single->unit;
  return pairs;
}

Machines compare_machines(const std::vector<Samples>& of, int latest, const Line& line) {
  const std::size_t count = of.size();
  Machines compared{std::vector<std::optional<double>>(count), std::vector<int>(count, -1)};
  Samples known;
  const auto join = [&](std::size_t machine, double offset) {
    compared.offsets[machine] = offset;
    for (const auto& [unit, ys] : of[machine])
      for (const double y : ys) known[unit].push_back(y - offset);
  };
  join(static_cast<std::size_t>(latest), 0);
  for (bool found = true; found;) {
    found = false;
    for (std::size_t m = 0; m < count && !found; ++m) {
      if (compared.offsets[m]) continue;
      const std::vector<double> pairs = differences(of[m], known);
      found = !pairs.empty() && pairs.size() >= std::min(kPairs, numbers_in(of[m]));
      if (found) join(m, median(pairs));
    }
  }

  std::size_t most = static_cast<std::size_t>(latest);
  for (std::size_t m = 0; m < count; ++m) {
    if (!compared.offsets[m])
      compared.to_link[m] = unit_to_link(of[m], known, line);
    else if (numbers_in(of[m]) > numbers_in(of[most]))
      most = m;
  }
  const double level = *compared.offsets[most];
  for (std::optional<double>& offset : compared.offsets)
    if (offset) *offset -= level;
  return compared;
}

}  // namespace reg::search
