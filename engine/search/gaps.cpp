#include "engine/search/gaps.h"

#include <algorithm>
#include <cmath>

namespace reg::search {

double binary_entropy(double p) {
  return p <= 1e-12 || p >= 1 - 1e-12 ? 0 : -(p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

std::vector<Gap> gaps_of(const Line& line, const std::vector<int>& units, const std::vector<double>& change) {
  std::vector<Gap> gaps;
  for (std::size_t k = 0; k < change.size(); ++k)
    gaps.push_back(
        {units[k], units[k + 1], change[k], line.untested(units[k], units[k + 1]), line.bits(units[k], units[k + 1])});
  return gaps;
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
