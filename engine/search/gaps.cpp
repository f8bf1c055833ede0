#include "engine/search/gaps.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

// What a change too small to be said counts against one that is said: next to nothing, so that nobody measures which of
// the two it is, but enough where it is certain.
constexpr double kTiny = 0.05;

}  // namespace

double binary_entropy(double p) {
  return p <= 1e-12 || p >= 1 - 1e-12 ? 0 : -(p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

std::vector<Gap> gaps_of(const Line& line, const std::vector<int>& units, const Shifts& change) {
  std::vector<Gap> gaps;
  for (std::size_t k = 0; k < change.any.size(); ++k) {
    const int untested = line.untested(units[k], units[k + 1]);
    gaps.push_back(
        {units[k], units[k + 1], probability(change, k, untested == 0), untested, line.bits(units[k], units[k + 1])});
  }
  return gaps;
}

double probability(const Shifts& change, std::size_t gap, bool resolved) {
  if (!resolved) return change.large[gap];
  const double notable = change.notable[gap];
  const double rest = 1 - change.any[gap] + kTiny * (change.any[gap] - notable);
  return notable > 0 ? notable / (notable + rest) : 0;
}

double expected_error(const std::vector<Gap>& gaps) {
  double error = 0;
  for (const Gap& gap : gaps) error += gap.resolved() && gap.p > 0.5 ? 1 - gap.p : gap.p;
  return error;
}

bool any_open(const std::vector<Gap>& gaps) {
  return std::any_of(gaps.begin(), gaps.end(), [](const Gap& gap) { return gap.p > 0.5 && !gap.resolved(); });
}

}  // namespace reg::search
