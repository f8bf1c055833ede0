#include "engine/search/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace reg::search {
namespace {

constexpr double kShamos = 1.0483;    // makes the median distance of normal pairs the standard deviation
constexpr double kEfficiency = 0.86;  // of that estimator beside the sample's standard deviation
constexpr double kHuber = 1.5;        // sigma from where on a run pulls no harder
constexpr double kTails = 1.1;        // a level of runs with tails is less certain than one of normal ones
constexpr double kLeastSigma = 1e-6;  // of the logarithm: clocks and printed digits are no finer

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<long>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace

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

double bulk_of(const std::vector<double>& ys, double sigma) {
  double level = median(ys);
  for (int k = 0; k < 10; ++k) {
    double pull = 0;
    for (const double y : ys) pull += std::clamp(y - level, -kHuber * sigma, kHuber * sigma);
    level += pull / static_cast<double>(ys.size());
  }
  return level;
}

double level_error(std::size_t runs, const Scatter& scatter) {
  return kTails * scatter.sigma / std::sqrt(static_cast<double>(runs));
}

double student_95(double freedom) {
  const double n = std::max(freedom, 2.0);
  const double z = 1.96;
  return z + (std::pow(z, 3) + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * std::pow(z, 3) + 3 * z) / (96 * n * n);
}

double Comparison::sigmas() const {
  if (freedom <= 0 || error <= 0) return 0;
  const double t = difference / error;
  const double z = (8 * freedom + 1) / (8 * freedom + 3) * std::sqrt(freedom * std::log1p(t * t / freedom));
  return t < 0 ? -z : z;
}

double Comparison::half() const { return student_95(freedom) * error; }

Comparison compare(const std::vector<double>& a, const std::vector<double>& b, const Scatter& scatter) {
  const double error = std::hypot(level_error(a.size(), scatter), level_error(b.size(), scatter));
  return {bulk_of(b, scatter.sigma) - bulk_of(a, scatter.sigma), error, scatter.freedom};
}

}  // namespace reg::search
