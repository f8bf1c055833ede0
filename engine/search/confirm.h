#pragma once

#include <vector>

#include "engine/search/policy.h"

namespace reg::search {

constexpr std::size_t kRunsToBelieve = 2;  ///< of a level on which a statement rests

/// The runs that an answer still needs before it is given, though the mathematics has enough: what the model leaves out
/// - outliers that agree, a machine with two speeds, a crash that will not come again - is guarded against here. At
/// most question.parallel of them, each of another unit.
std::vector<Request> confirmations(const Evidence& evidence);

/// How far the levels on both sides of the change in gap k are apart, with its sign.
double size_of(const Evidence& evidence, std::size_t k);

}  // namespace reg::search
