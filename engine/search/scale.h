#pragma once

#include "engine/search/emission.h"
#include "engine/search/search.h"

namespace reg::search {

/// Between what was told and what the mathematics sees. Relative changes of a positive metric are differences of
/// logarithms; where a metric was zero or negative they are parts of its usual size. Other kinds are as they are.
class Scale {
 public:
  Scale() = default;
  Scale(Kind kind, const Samples& told);

  double inward(double told) const;
  Estimate outward(const Estimate& level) const;
  /// A difference of two levels as a part of the one before.
  Estimate effect(const Estimate& difference, double before) const;
  /// Of an effect as the question names it.
  double inward_effect(double effect) const;

 private:
  enum class Form { as_is, logarithm, of_usual };
  Form form_ = Form::as_is;
  double usual_ = 1;
};

}  // namespace reg::search
