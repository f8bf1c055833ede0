#pragma once

#include <optional>

#include "engine/search/policy.h"

namespace reg::search {

/// The run that an answer still needs before it is given, though the mathematics has enough: what the model leaves out
/// - outliers that agree, a machine with two speeds, a crash that will not come again - is guarded against here.
std::optional<Request> confirmation(const Evidence& evidence);

/// How far the levels on both sides of the change in gap k are apart, with its sign.
double size_of(const Evidence& evidence, std::size_t k);

/// Of the units run once, the one where a change is likeliest: its second run tells the noise of runs from that of
/// builds.
std::optional<Request> second_run(const Evidence& evidence);

}  // namespace reg::search
