#include "engine/search/minimize.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "engine/base/error.h"
#include "engine/search/next_subset.h"
#include "engine/search/numbers.h"

namespace reg::search {
namespace {

constexpr int kBudget = 200;
constexpr double kCertainty = 0.91;
constexpr double kFound = 0.9;     // from this probability on it is said
constexpr double kLikely = 0.5;    // and from this on the suspects are run alone, and all without them
constexpr double kNoEffect = 0.3;  // while "no effect" is likelier than this, the ends are repeated
constexpr int kMostEnds = 6;
constexpr double kNotable = 0.2;      // of the whole difference: smaller effects do not count, nor do those against it
constexpr double kFloor = 0.03;       // of the whole difference: noise, or small effects of many items
constexpr double kLeastBits = 0.002;  // of a run that is worth it
constexpr double kNotTold = 1000;     // parts of the noise: no run tells this effect from another one

struct Tried {
  Subset on;
  std::optional<double> value;
};

int count_of(const Subset& on) { return static_cast<int>(std::count(on.begin(), on.end(), 1)); }

// With the first `count` items of the cause switched.
Subset switched(Subset on, const Cause& cause, std::size_t count, std::uint8_t to) {
  for (std::size_t k = 0; k < count; ++k) on[static_cast<std::size_t>(cause.items[k])] = to;
  return on;
}

}  // namespace

struct Minimize::State {
  explicit State(const Puzzle& asked) : puzzle(asked) {}

  std::size_t size() const { return static_cast<std::size_t>(puzzle.n); }
  bool noisy() const { return !puzzle.exact && !puzzle.pass_fail; }

  int runs(const Subset& on, bool good) const {
    const auto counts = [&](const Tried& told) { return told.value.has_value() == good && told.on == on; };
    return static_cast<int>(std::count_if(log.begin(), log.end(), counts));
  }
  int good_runs(const Subset& on) const { return runs(on, true); }
  int failures(const Subset& on) const { return runs(on, false); }
  double level(const Subset& on) const {
    double sum = 0;
    for (const Seen& run : seen)
      if (run.on == on) sum += run.y;
    return sum / good_runs(on);
  }

  // The causes that count, the largest first.
  std::vector<Cause> notable(const Weighed& one) const {
    const double whole = one.level(all) - one.level(none);
    std::vector<std::size_t> order;
    for (std::size_t k = 0; k < one.explanation.size; ++k)
      if (one.effects[k + 1] / whole >= kNotable) order.push_back(k);
    std::ranges::stable_sort(order, std::greater{}, [&](std::size_t k) { return std::fabs(one.effects[k + 1]); });
    std::vector<Cause> causes;
    for (const std::size_t k : order) causes.push_back(one.explanation.causes[k]);
    return causes;
  }

  double probability(const std::vector<Cause>& causes) const {
    std::vector<Cause> sorted = causes;
    std::sort(sorted.begin(), sorted.end());
    double p = 0;
    for (const Weighed& one : culprits.best()) {
      std::vector<Cause> other = notable(one);
      std::sort(other.begin(), other.end());
      if (other == sorted) p += one.p;
    }
    return p;
  }

  Subset alone(const Cause& cause) const { return switched(none, cause, cause.any ? 1 : cause.size, 1); }
  Subset without(const Cause& cause) const { return switched(all, cause, cause.size, 0); }

  void learn() {
    Samples told;
    for (const Tried& run : log)
      if (run.value) told[0].push_back(*run.value);
    scale = Scale(puzzle.pass_fail ? Kind::flaky : Kind::noisy, told);
    seen.clear();
    for (const Tried& run : log)
      if (run.value) seen.push_back({run.on, scale.inward(*run.value)});
    culprits.update(seen, level(none), level(all));
  }

  std::optional<SubsetRequest> end(const char* reason) {
    why = reason;
    return std::nullopt;
  }

  // Both ends: with nothing on, and with all.
  std::optional<SubsetRequest> next_end() {
    const int wanted = noisy() ? 2 : 1;
    const int of_none = good_runs(none);
    const int of_all = good_runs(all);
    if (of_none == 0) return SubsetRequest{none, "none"};
    if (of_all < wanted) return SubsetRequest{all, "all"};
    if (of_none < wanted) return SubsetRequest{none, "none"};
    if (!noisy()) {
      no_effect = level(none) == level(all);
      return std::nullopt;
    }
    const std::vector<Weighed>& best = culprits.best();
    const auto nothing =
        std::find_if(best.begin(), best.end(), [](const Weighed& w) { return w.explanation.size == 0; });
    const double p = nothing == best.end() ? 0 : nothing->p;
    const bool certain = seen.size() == log.size() && std::all_of(seen.begin(), seen.end(), [&](const Seen& run) {
                           return run.y == seen.front().y;
                         });
    no_effect = certain || (p > 0.5 && of_all >= kMostEnds);
    if (no_effect || p < kNoEffect || of_all >= kMostEnds) return std::nullopt;
    return of_all > of_none ? SubsetRequest{none, "none"} : SubsetRequest{all, "all"};
  }

  // All items together cannot be run: adds group after group to those that can, and halves the groups that break it.
  std::optional<SubsetRequest> next_runnable() {
    while (!unclear.empty()) {
      const std::vector<int> group = unclear.back();
      Subset on = all;
      for (const int item : group) on[static_cast<std::size_t>(item)] = 1;
      if (failures(on) == 0 && good_runs(on) == 0) return SubsetRequest{on, "runnable"};
      unclear.pop_back();
      if (good_runs(on) > 0) {
        all = on;
      } else if (group.size() == 1) {
        excluded.push_back(group.front());
      } else {
        const auto middle = group.begin() + static_cast<long>(group.size() / 2);
        unclear.emplace_back(middle, group.end());
        unclear.emplace_back(group.begin(), middle);
      }
    }
    sorting_out = false;
    std::sort(excluded.begin(), excluded.end());
    return all == none ? end("none of the items can be run") : std::nullopt;
  }

  // What the suspects do alone, and all others without them.
  std::optional<SubsetRequest> next_check() {
    for (const Cause& cause : reported()) {
      const Subset with = alone(cause);
      if (tried.count(with) == 0) return SubsetRequest{with, "alone"};
      const Subset others = without(cause);
      if (tried.count(others) == 0) return SubsetRequest{others, "without"};
    }
    return std::nullopt;
  }

  std::optional<SubsetRequest> next_split() {
    std::vector<Subset> checks;
    if (puzzle.pass_fail)
      for (const Cause& cause : reported()) checks.insert(checks.end(), {without(cause), alone(cause)});
    const auto best = [&](const std::set<Subset>& out) {
      return next_subset({all, culprits.best(), culprits.noise(), breakage, out, checks});
    };
    SubsetChoice choice = best(tried);
    if (choice.bits < kLeastBits && noisy()) {
      // Few items: a subset that was run, once more.
      std::set<Subset> failed;
      for (const Tried& run : log)
        if (!run.value) failed.insert(run.on);
      choice = best(failed);
    }
    if (choice.bits < kLeastBits) return end("no further subset tells more");
    return SubsetRequest{choice.on, "split"};
  }

  std::optional<SubsetRequest> next() {
    why.clear();
    const int allowed = noisy() ? 2 : 1;
    const int budget = puzzle.budget > 0 ? puzzle.budget : kBudget;
    if (static_cast<int>(log.size()) >= budget) return end("the budget is spent");
    if (good_runs(none) == 0 && failures(none) >= allowed) return end("cannot be run with none of the items");
    if (sorting_out)
      if (auto request = next_runnable()) return request;
    if (!why.empty()) return std::nullopt;
    if (auto request = next_end()) return request;
    if (no_effect) return std::nullopt;

    const std::vector<Cause> causes = reported();
    const double p = probability(causes);
    if (p >= kLikely && !causes.empty())
      if (auto request = next_check()) return request;
    if (p >= kCertainty && !causes.empty()) return std::nullopt;
    return next_split();
  }

  // The regression on the causes and on what part of the other items was on: levels, effects, and the others together.
  void measure_causes(Minimal& answer) const {
    const std::vector<Cause> causes = no_effect ? std::vector<Cause>{} : reported();
    const int columns = static_cast<int>(causes.size()) + 2;
    Subset others = all;
    for (const Cause& cause : causes) others = switched(std::move(others), cause, cause.size, 0);
    const double other_count = std::max(1, count_of(others));
    Gram gram = {};
    Columns effects = {};
    const auto row_of = [&](const Subset& on) {
      Columns row = {1};
      for (std::size_t k = 0; k < causes.size(); ++k) row[k + 1] = causes[k].active(on) ? 1 : 0;
      int part = 0;
      for (std::size_t k = 0; k < on.size(); ++k) part += on[k] & others[k];
      row[causes.size() + 1] = part / other_count;
      return row;
    };
    const auto last = static_cast<std::size_t>(columns - 1);
    for (const Seen& run : seen) {
      const Columns row = row_of(run.on);
      for (std::size_t i = 0; i <= last; ++i) {
        effects[i] += row[i] * run.y;
        for (std::size_t j = 0; j <= i; ++j) gram[i][j] += row[i] * row[j];
      }
    }
    gram[last][last] += 1e-12;  // where it cannot be told from a cause
    solve(gram, effects, columns);
    const double noise = noisy() ? culprits.noise() : 0;
    const auto estimate = [&](const Columns& contrast) {
      double value = 0;
      for (std::size_t i = 0; i <= last; ++i) value += contrast[i] * effects[i];
      const double spread = std::sqrt(quadratic(gram, contrast, columns));
      if (noise > 0 && spread > kNotTold) return Estimate{value, std::nan(""), std::nan("")};
      return around(value, kNormal95 * noise * spread);
    };
    const auto unit = [](std::size_t k) {
      Columns contrast = {};
      contrast[k] = 1;
      return contrast;
    };
    const bool direct = noise == 0 && good_runs(none) > 0 && good_runs(all) > 0;
    const Estimate base = direct ? around(level(none), 0) : estimate(unit(0));
    const Columns full = row_of(all);
    Columns difference = full;
    difference[0] = 0;
    const Estimate whole = direct ? around(level(all) - level(none), 0) : estimate(difference);
    answer.none = scale.outward(base);
    answer.all = scale.outward(direct ? around(level(all), 0) : estimate(full));
    answer.effect = scale.effect(whole, base.value);
    const bool alone_known = direct && good_runs(others) > 0;
    if (count_of(others) > 0)
      answer.rest =
          scale.effect(alone_known ? around(level(others) - level(none), 0) : estimate(unit(last)), base.value);
    answer.noise = noise;
    const auto share = [&](const Subset& on, bool gone) -> std::optional<Estimate> {
      const int runs = good_runs(on);
      if (runs == 0) return std::nullopt;
      if (whole.value == 0) return Estimate{};
      const double from = gone ? base.value + whole.value : base.value;
      const double part = (gone ? from - level(on) : level(on) - from) / whole.value;
      const double own = noise / std::fabs(whole.value) / std::sqrt(runs);
      const double of_whole = (whole.high - whole.low) / 2 / kNormal95 / std::fabs(whole.value);
      return around(part, kNormal95 * std::hypot(own, part * of_whole));
    };
    for (std::size_t k = 0; k < causes.size(); ++k) {
      Culprit culprit;
      culprit.items.assign(causes[k].items.begin(), causes[k].items.begin() + causes[k].size);
      culprit.any = causes[k].any;
      culprit.effect = scale.effect(estimate(unit(k + 1)), base.value);
      culprit.alone = share(alone(causes[k]), false);
      culprit.without = share(without(causes[k]), true);
      answer.culprits.push_back(std::move(culprit));
    }
  }

  std::vector<Cause> reported() const { return notable(culprits.best().front()); }

  Puzzle puzzle;
  Subset none = Subset(size(), 0), all = Subset(size(), 1);  // without what cannot be run
  std::vector<Tried> log;
  std::set<Subset> tried;
  Breakage breakage{puzzle.n};
  std::vector<int> excluded;
  std::vector<std::vector<int>> unclear;  // groups of items with one that cannot be run, or not known yet
  bool sorting_out = false;
  std::string why;
  bool no_effect = false;

  Scale scale;
  std::vector<Seen> seen;
  Culprits culprits{puzzle.n, puzzle.pass_fail ? Combination::any : Combination::sums, kFloor};
};

Minimize::Minimize(const Puzzle& puzzle) {
  if (puzzle.n < 1 || puzzle.n > 1000)
    throw Error(ErrorKind::usage, "minimize: takes 1 to 1000 items, not " + std::to_string(puzzle.n));
  state_ = std::make_unique<State>(puzzle);
}

Minimize::~Minimize() = default;

int Minimize::n() const { return state_->puzzle.n; }

std::optional<SubsetRequest> Minimize::ask() { return state_->next(); }

void Minimize::tell(const Subset& on, double value) {
  State& s = *state_;
  s.log.push_back({on, value});
  s.tried.insert(on);
  s.breakage.add(on, false);
  if (s.good_runs(s.none) > 0 && s.good_runs(s.all) > 0) s.learn();
}

void Minimize::tell_failed(const Subset& on, Failure failure) {
  State& s = *state_;
  s.log.push_back({on, std::nullopt});
  s.tried.insert(on);
  if (on != s.none && on != s.all) s.breakage.add(on, true);
  const bool again = failure == Failure::crashed && s.noisy() && s.failures(on) < 2;
  if (on == s.all && s.all != s.none && s.good_runs(s.all) == 0 && !again && !s.sorting_out) {
    s.sorting_out = true;
    s.unclear.emplace_back(on.size());
    std::iota(s.unclear.back().begin(), s.unclear.back().end(), 0);
    s.all = s.none;
  }
}

Minimal Minimize::answer() const {
  const State& s = *state_;
  Minimal answer;
  answer.runs = static_cast<int>(s.log.size());
  answer.failed =
      static_cast<int>(std::count_if(s.log.begin(), s.log.end(), [](const Tried& told) { return !told.value; }));
  answer.excluded = s.excluded;
  answer.why = s.why;
  if (s.seen.empty()) {
    if (answer.why.empty()) answer.why = "the ends were not measured";
    return answer;
  }
  s.measure_causes(answer);
  if (s.no_effect) {
    answer.verdict = "no_effect";
    return answer;
  }
  answer.p = s.probability(s.reported());
  if (!answer.culprits.empty() && answer.p >= kFound) answer.verdict = "found";
  if (answer.verdict == "found") answer.why.clear();
  return answer;
}

}  // namespace reg::search
