#include "engine/search/scale.h"

#include <algorithm>
#include <cmath>

namespace reg::search {

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
  std::nth_element(sizes.begin(), sizes.begin() + static_cast<long>(sizes.size() / 2), sizes.end());
  if (sizes[sizes.size() / 2] > 0) usual_ = sizes[sizes.size() / 2];
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

}  // namespace reg::search
