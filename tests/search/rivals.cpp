#include "tests/search/rivals.h"

#include <algorithm>
#include <cmath>

namespace reg::score {

std::vector<Unit> units_of(const search::Question& question) {
  std::vector<Unit> units;
  for (int i = 0; i < question.n; ++i) {
    const auto u = static_cast<std::size_t>(i);
    const bool shared = i > 0 && !question.builds.empty() && question.builds[u] == question.builds[u - 1];
    if (shared)
      units.back().last = i;
    else
      units.push_back({i, i});
  }
  return units;
}

double inward(const search::Question& question, double value) {
  return question.kind == search::Kind::noisy ? std::log(value) : value;
}

double inward_effect(const search::Question& question) {
  switch (question.kind) {
    case search::Kind::noisy:
      return std::log1p(question.min_effect);
    case search::Kind::flaky:
      return question.min_effect;
    case search::Kind::exact:
      break;
  }
  return 1e-12;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return (values[(n - 1) / 2] + values[n / 2]) / 2;
}

}  // namespace reg::score
