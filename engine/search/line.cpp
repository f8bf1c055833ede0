#include "engine/search/line.h"

#include <algorithm>
#include <cmath>

namespace reg::search {
namespace {

// What breaks a build often breaks its neighbours: measured on nightly images and on histories of compiled projects, a
// neighbour of a broken build is broken in about half the cases, and further away less and less so.
constexpr double kFailsAnywhere = 0.03;
constexpr double kFailsBesideFailed = 0.55;
constexpr double kFailsFade = 0.6;
constexpr int kFailsReach = 8;

constexpr int kFirstLook = 5;
constexpr int kFirstLookUntold = 7;
constexpr int kTriesAtEnds = 12;  // with doubling steps: past a broken month
constexpr int kTriesBetween = 4;
constexpr int kRange = 3;  // failures alike: what lies around is as broken

constexpr std::size_t kEnough = 5;  // failures that make a range: fewer may be single ones, where many fail

int size_of_first_look(const Question& question, int units) {
  int count = question.first_look;
  if (question.kind == Kind::noisy && question.ends) return std::min(units, 2);
  if (count == 0 && question.kind == Kind::exact) count = 2;
  if (count == 0) count = question.kind == Kind::noisy && question.min_effect == 0 ? kFirstLookUntold : kFirstLook;
  // Spaced no wider than the dip that must be seen.
  if (question.first_look == 0 && question.min_width > 0) count = std::max(count, (units - 2) / question.min_width + 2);
  return std::clamp(count, std::min(units, 2), units);
}

}  // namespace

double binary_entropy(double p) {
  return p <= 1e-12 || p >= 1 - 1e-12 ? 0 : -(p * std::log2(p) + (1 - p) * std::log2(1 - p));
}

std::vector<BrokenRange> broken_ranges(const std::map<int, std::string>& causes) {
  std::vector<BrokenRange> found;
  std::map<std::string, std::vector<int>> open;  // by cause, since the last unit that ran
  const auto close = [&] {
    for (const auto& [cause, failed] : open) {
      if (failed.size() < 2) continue;
      found.push_back({failed, {}});
      for (std::size_t k = 1; k < failed.size() && failed.size() >= kEnough; ++k)
        if (failed[k] - failed[k - 1] > 1) found.back().assumed.emplace_back(failed[k - 1] + 1, failed[k] - 1);
    }
    open.clear();
  };
  for (const auto& [unit, cause] : causes) {
    if (cause.empty())
      close();
    else
      open[cause].push_back(unit);
  }
  close();
  return found;
}

Line::Line(const Question& question) {
  const auto n = static_cast<std::size_t>(question.n);
  unit_of_.resize(n);
  for (std::size_t i = 0; i < n; ++i) {
    const bool same = i > 0 && !question.builds.empty() && question.builds[i] == question.builds[i - 1];
    if (!same) {
      first_place_.push_back(static_cast<int>(i));
      units_.emplace_back();
    }
    unit_of_[i] = static_cast<int>(units_.size()) - 1;
  }
  note_ranges();
}

int Line::last_place(int unit) const {
  return unit + 1 < units() ? first_place(unit + 1) - 1 : static_cast<int>(unit_of_.size()) - 1;
}

void Line::mark_run(int unit) {
  if (at(unit).run) return;
  at(unit).run = true;
  causes_[unit].clear();
  if (!failed_.empty()) note_ranges();
}

void Line::mark_failed(int unit, Failure failure, const std::string& cause) {
  Unit& u = at(unit);
  if (u.run) {
    ++u.failed_repeats;  // the number that it gave stays
    return;
  }
  u.failures += failure == Failure::broken ? 2 : 1;
  if (failure == Failure::broken && !cause.empty()) causes_[unit] = cause;
  const auto where = std::lower_bound(failed_.begin(), failed_.end(), unit);
  if (where == failed_.end() || *where != unit) failed_.insert(where, unit);
  note_ranges();
}

void Line::note_ranges() {
  for (Unit& unit : units_) unit.assumed = false, unit.alike = unit.extent = 0;
  for (const BrokenRange& range : broken_ranges(causes_)) {
    const auto note = [&](int unit) {
      at(unit).alike = static_cast<int>(range.failed.size());
      at(unit).extent = range.failed.back() - range.failed.front() + 1;
    };
    for (const int unit : range.failed) note(unit);
    for (const auto& [first, last] : range.assumed)
      for (int unit = first; unit <= last; ++unit) note(unit), at(unit).assumed = true;
  }
  closed_.assign(1, 0);
  for (int unit = 0; unit < units(); ++unit) closed_.push_back(closed_.back() + (failed(unit) || assumed_broken(unit)));
}

std::vector<Range> Line::assumed_places() const {
  std::vector<Range> ranges;
  for (int unit = 0; unit < units(); ++unit) {
    if (!assumed_broken(unit)) continue;
    if (unit > 0 && assumed_broken(unit - 1))
      ranges.back().last = last_place(unit);
    else
      ranges.push_back({first_place(unit), last_place(unit)});
  }
  return ranges;
}

int Line::untested(int a, int b) const {
  return b - a - 1 - (closed_[static_cast<std::size_t>(b)] - closed_[static_cast<std::size_t>(a) + 1]);
}

double Line::bits(int a, int b) const { return std::log2(untested(a, b) + 1.0); }

double Line::chance_of_failure(int unit) const {
  if (was_run(unit)) return 0;
  const auto next = std::upper_bound(failed_.begin(), failed_.end(), unit);
  double works = 1 - kFailsAnywhere;
  const auto near = [&](int other) {
    const int distance = std::abs(other - unit);
    if (at(other).alike > 1)  // a range goes on for about as long as it is
      works *= static_cast<double>(distance) / (distance + at(other).extent);
    else if (distance <= kFailsReach)
      works *= 1 - kFailsBesideFailed * std::pow(kFailsFade, distance - 1);
  };
  if (next != failed_.end()) near(*next);
  if (next != failed_.begin()) near(*(next - 1));
  return 1 - works;
}

int Line::between(int a, int b, double share) const {
  int best = -1;
  double best_value = -1;
  // Beyond the middle half a unit cannot be the best unless all of the middle failed.
  for (const double margin : {0.25, 0.0}) {
    for (int x = a + 1; x < b; ++x) {
      if (was_run(x) || failed(x) || assumed_broken(x)) continue;
      const double left = static_cast<double>(x - a) / (b - a);
      if (left < share * 2 * margin || 1 - left < (1 - share) * 2 * margin) continue;
      // The entropy of where the change lies, as seen from a share other than the half: slid over to it.
      const double seen = left < share ? left / share / 2 : 0.5 + (left - share) / (1 - share) / 2;
      const double value = (1 - chance_of_failure(x)) * (binary_entropy(seen) + 1e-9);
      if (value > best_value) best_value = value, best = x;
    }
    if (best >= 0) return best;
  }
  return best;
}

int Line::crash_between(int a, int b) const {
  for (auto it = std::upper_bound(failed_.begin(), failed_.end(), a); it != failed_.end() && *it < b; ++it)
    if (crashed_once(*it)) return *it;
  return -1;
}

bool Round::has(int unit) const {
  return std::any_of(requests_.begin(), requests_.end(), [&](const Request& other) { return other.place == unit; });
}

void Round::add(const Request& request) {
  if (!full() && !has(request.place) && !line_.given_up(request.place)) requests_.push_back(request);
}

FirstLook::FirstLook(const Question& question, const Line& line) {
  const int count = size_of_first_look(question, line.units());
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
