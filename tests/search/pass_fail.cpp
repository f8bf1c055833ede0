#include "tests/search/pass_fail.h"

namespace reg::score {
namespace {

enum What { kChange, kFails };

bool by_chance(double rate) { return rate > 0 && rate < 1; }

}  // namespace

PassFail::PassFail(const Rates& rates, std::uint64_t seed)
    : rates_(rates), draws_(mix(seed)), repeats_(static_cast<std::size_t>(rates.n), 0) {
  change_ = 1 + static_cast<int>(draws_.uniform(kChange, 0, 0) * (rates.n - 1));
  question_.n = rates.n;
  question_.kind = by_chance(rates.before) || by_chance(rates.after) ? search::Kind::flaky : search::Kind::exact;
  question_.min_effect = 0.2;
  if (rates.untold)
    question_.kind = search::Kind::exact, question_.chance = question_.ends = true, question_.min_effect = 0;
  if (rates.before != rates.after) truth_.push_back({change_ - 1, change_});
}

History::Result PassFail::draw(int place) {
  const auto repeat = static_cast<std::uint64_t>(repeats_[static_cast<std::size_t>(place)]++);
  const double rate = place < change_ ? rates_.before : rates_.after;
  return {Result::ok, draws_.uniform(kFails, static_cast<std::uint64_t>(place), repeat) < rate ? 1.0 : 0.0};
}

}  // namespace reg::score
