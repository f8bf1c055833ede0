#pragma once

#include <vector>

#include "engine/search/evidence.h"

namespace reg::search {

/// The units to run next, at most question.parallel of them; none where the answer is good enough. `place` of a request
/// is a unit here.
std::vector<Request> next_round(const Evidence& evidence);

/// The gaps that are likely to hold a change of the size that is sought, or of an eighth of the largest one found if
/// that is less.
std::vector<std::size_t> places_that_count(const Evidence& evidence);

/// Whether half of all runs have not moved one of these, and the resolution is what the noise allows: the other changes
/// cost more than those that were found did, and the answer has their price.
bool is_settled(const Evidence& evidence);

/// How far the levels on both sides of gap k are apart, with its sign.
double size_of(const Evidence& evidence, std::size_t k);

/// The runs that an answer still needs before it is given, though the mathematics has enough: what the model leaves out
/// - outliers that agree, a machine with two speeds, a crash that will not come again - is guarded against here.
std::vector<Request> confirmations(const Evidence& evidence);

constexpr std::size_t kRunsToBelieve = 2;  ///< of a level on which a statement rests

/// A change is believed once its two sides, run back to back on one machine, show it: load that lasts for some runs
/// makes two levels out of one, but not of two runs in a row. Where the first pair disagrees, two of three must show
/// it, or three of five.
enum class Believed { yes, no, not_yet };

/// Of the change that is likely in gap k.
Believed believed(const Evidence& evidence, std::size_t k);

/// What can be said now: everything of the answer but the counts of runs. Lines are in units' first and last places.
/// `goes_on`: whether the search asks for more.
Answer answer_from(const Evidence& evidence, bool goes_on);

}  // namespace reg::search
