#include "engine/search/first_look.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

constexpr int kUsual = 5;
constexpr int kUntold = 7;
constexpr int kTriesAtEnds = 12;  // with doubling steps: past a broken month
constexpr int kTriesBetween = 4;
constexpr int kRange = 3;  // failures alike: what lies around is as broken

int wanted(const Question& question, int units) {
  int count = question.first_look;
  if (question.kind == Kind::noisy && question.ends) return std::min(units, 2);
  if (count == 0 && question.kind == Kind::exact) count = 2;
  if (count == 0) count = question.kind == Kind::noisy && question.min_effect == 0 ? kUntold : kUsual;
  // Spaced no wider than the dip that must be seen.
  if (question.first_look == 0 && question.min_width > 0) count = std::max(count, (units - 2) / question.min_width + 2);
  return std::clamp(count, std::min(units, 2), units);
}

}  // namespace

FirstLook::FirstLook(const Question& question, const Line& line) {
  const int count = wanted(question, line.units());
  for (int k = 0; k < count; ++k) {
    const double part = count > 1 ? static_cast<double>(k) / (count - 1) : 0;
    Target target;
    target.unit = static_cast<int>(std::lround(part * (line.units() - 1)));
    targets_.push_back(target);
  }
  // Far apart at first, then between those: load that lasts for a few runs is not taken for a change.
  std::size_t stride = 1;
  while (stride < targets_.size()) stride *= 2;
  order_.push_back(0);
  for (; stride > 0; stride /= 2)
    for (std::size_t k = stride; k < targets_.size(); k += 2 * stride) order_.push_back(k);
}

int FirstLook::replacement(const Line& line, const Target& target) const {
  const bool first = &target == &targets_.front();
  const bool last = &target == &targets_.back();
  if (target.tries >= (first || last ? kTriesAtEnds : kTriesBetween)) return -1;
  int unit = target.unit;
  if (first || last) {
    const int inward = (1 << target.tries) - 1;
    unit += first ? inward : -inward;
  } else {
    // 2 before, 2 after, 5 before, ...: what breaks a build often breaks its neighbours
    const int away = target.tries <= 2 ? 2 : 5;
    if (target.tries > 0) unit += target.tries % 2 == 1 ? away : -away;
  }
  return unit >= 0 && unit < line.units() ? unit : -1;
}

// What was run since is done; what failed is at its next replacement.
void FirstLook::settle(const Line& line) {
  for (Target& target : targets_) {
    while (!target.done) {
      const int unit = replacement(line, target);
      const bool between = &target != &targets_.front() && &target != &targets_.back();
      if (unit < 0 || line.was_run(unit) || (between && line.failed_alike(target.unit) >= kRange))
        target.done = true;
      else if (line.failed(unit) || line.assumed_broken(unit))
        ++target.tries;
      else
        break;
    }
  }
}

std::vector<Request> FirstLook::next(const Line& line, int count) {
  settle(line);
  // Where a unit replaces another target already, this one waits for what comes of it.
  Round round(line, count);
  const auto ask = [&](const Target& target) {
    if (target.done) return;
    const int unit = replacement(line, target);
    round.add({unit, Reason::first_look, unit, unit, 0});
  };
  for (const Target* end : {&targets_.front(), &targets_.back()})
    if (end->tries == 0) ask(*end);
  // One at a time, nothing else runs before both ends did.
  if (!round.empty() && count == 1) return round.requests();
  for (const bool replaced : {false, true})
    for (const std::size_t k : order_)
      if ((targets_[k].tries > 0) == replaced) ask(targets_[k]);
  return round.requests();
}

}  // namespace reg::search
