// minimize_score [--draws N] [--seed TEXT] [--rivals] [--check] [--only TEXT]: how many runs engine/search/minimize
// takes to find which of n items carry an effect, and how often it is right, on simulated items. --rivals: ddmin on the
// same draws, told the size of the effect. --check: only what has a goal for its runs; fails where a goal is missed by
// far.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <functional>
#include <future>

#include "tests/search/minimize/simulated.h"
#include "tests/search/options.h"

namespace {

using namespace reg;
using namespace reg::score;
using Causes = std::vector<std::vector<int>>;

std::vector<Items> cells() {
  std::vector<Items> all;
  const auto add = [&all](const std::string& name, double goal_runs, double goal_right, auto change) {
    Items items;
    items.name = name, items.goal_runs = goal_runs, items.goal_right = goal_right;
    change(items);
    all.push_back(items);
  };
  add("one culprit", 16, 0.97, [](Items&) {});
  add("a pair", 40, 0.97, [](Items& i) { i.causes = {2}; });
  add("three independent", 45, 0.97, [](Items& i) { i.causes = {1, 1, 1}; });
  add("one, 20 % of subsets broken", 24, 0.97, [](Items& i) { i.broken = 0.2; });
  add("a pair, 20 % broken", 60, 0.97, [](Items& i) { i.causes = {2}, i.broken = 0.2; });
  add("three, 20 % broken", 67, 0.95, [](Items& i) { i.causes = {1, 1, 1}, i.broken = 0.2; });
  add("one, an item needs another", 24, 0.97, [](Items& i) { i.needs = true; });
  add("one, 3 items never run", 0, 0.97, [](Items& i) { i.breakers = 3; });
  add("one, 3 % outliers", 0, 0.95, [](Items& i) { i.outliers = 0.03; });
  add("one, others up to 0.1 %", 0, 0.95, [](Items& i) { i.small = 0.001; });
  add("one, 12 % effect", 0, 0.97, [](Items& i) { i.effect = 0.12; });
  add("a pair and one", 0, 0.95, [](Items& i) { i.causes = {2, 1}; });
  add("three together", 0, 0.9, [](Items& i) { i.causes = {3}; });
  add("one, exact", 0, 0.99, [](Items& i) { i.noise = 0; });
  add("one, pass and fail", 0, 0.99, [](Items& i) { i.pass_fail = true; });
  add("a pair, pass and fail", 0, 0.99, [](Items& i) { i.pass_fail = true, i.causes = {2}; });
  add("three together, pass and fail", 0, 0.97, [](Items& i) { i.pass_fail = true, i.causes = {3}; });
  add("one of 200", 0, 0.97, [](Items& i) { i.n = 200; });
  return all;
}

// The mean of three runs with these items as a logarithm; none where they cannot be run.
std::optional<double> measured(Simulated& simulated, const std::vector<int>& some) {
  const Items& items = simulated.items();
  search::Subset on(static_cast<std::size_t>(items.n));
  for (const int item : some) on[item] = 1;
  double sum = 0;
  const int repeats = items.pass_fail || items.noise == 0 ? 1 : 3;
  for (int k = 0; k < repeats; ++k) {
    const auto value = simulated.run(on);
    if (!value) return std::nullopt;
    sum += items.pass_fail ? *value : std::log(*value);
  }
  return sum / repeats;
}

std::vector<int> without(const std::vector<int>& all, const std::vector<int>& part) {
  std::vector<int> rest;
  std::set_difference(all.begin(), all.end(), part.begin(), part.end(), std::back_inserter(rest));
  return rest;
}

// Zeller and Hildebrandt, "Simplifying and isolating failure-inducing input", 2002. A set fails where it carries all of
// the effect but at most half of a single cause's. What cannot be run is unresolved.
Causes by_ddmin(Simulated& simulated) {
  std::vector<int> items;
  for (int k = 0; k < simulated.items().n; ++k) items.push_back(k);
  measured(simulated, {});
  const auto all = measured(simulated, items);
  const double half_effect = simulated.items().pass_fail ? 0.5 : std::log1p(simulated.items().effect) / 2;
  std::size_t parts = 2;
  while (all && items.size() >= 2) {
    std::vector<int> smaller;
    bool complement = false;
    for (const bool of_complements : {false, true}) {
      for (std::size_t k = 0; k < parts && smaller.empty(); ++k) {
        const auto at = [&](std::size_t part) {
          return items.begin() + static_cast<long>(items.size() * part / parts);
        };
        const std::vector<int> part(at(k), at(k + 1));
        if (of_complements && parts == 2) continue;  // each is the other one's
        const std::vector<int> tried = of_complements ? without(items, part) : part;
        const auto level = measured(simulated, tried);
        if (level && *level > *all - half_effect) smaller = tried;
        complement = of_complements;
      }
    }
    if (!smaller.empty()) {
      items = smaller;
      parts = std::min(complement ? std::max<std::size_t>(parts - 1, 2) : 2, items.size());
    } else if (parts < items.size()) {
      parts = std::min(2 * parts, items.size());
    } else {
      break;
    }
  }
  // Which of them belong together it does not say.
  std::vector<int> wanted;
  for (const auto& cause : simulated.causes()) wanted.insert(wanted.end(), cause.begin(), cause.end());
  std::sort(wanted.begin(), wanted.end());
  return wanted == items ? simulated.causes() : Causes{items};
}

struct Summary {
  double runs = 0, runs_error = 0;  // the mean, and its standard error
  double right = 0;
  int runs_95 = 0;
};

Summary play(const Items& items, const std::string& seed, int draws, const std::function<Causes(Simulated&)>& player) {
  std::vector<int> runs(static_cast<std::size_t>(draws));
  std::atomic<int> next = 0;
  std::atomic<int> right = 0;
  const auto work = [&] {
    for (int draw = next++; draw < draws; draw = next++) {
      std::uint64_t number = draw;
      for (const char c : seed + "/" + items.name) number = mix(number ^ static_cast<unsigned char>(c));
      Simulated simulated(items, number);
      if (player(simulated) == simulated.causes()) ++right;
      runs[draw] = simulated.runs();
    }
  };
  auto other = std::async(std::launch::async, work);
  work();
  other.get();
  std::sort(runs.begin(), runs.end());
  double sum = 0, squares = 0;
  for (const int one : runs) sum += one;
  const double mean = sum / draws;
  for (const int one : runs) squares += (one - mean) * (one - mean);
  return {mean, std::sqrt(squares / std::max(draws - 1, 1) / draws), static_cast<double>(right) / draws,
          runs[0.95 * draws]};
}

// Whether the goals are met, as far as `errors` standard errors go.
bool within(const Items& items, const Summary& own, int draws, double errors) {
  const double right_error = std::sqrt((1 - items.goal_right) * items.goal_right / draws);
  return own.right >= items.goal_right - errors * right_error &&
         (items.goal_runs == 0 || own.runs - errors * own.runs_error <= items.goal_runs);
}

void print_row(const std::string& name, const Summary& summary) {
  fmt::print("{:<32}{:>8.1f}{:>6}{:>8.3f}\n", name, summary.runs, summary.runs_95, summary.right);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int draws = 200;
  std::string seed = "dev-1", only;
  bool rivals = false, check = false;
  try {
    parse_options(
        argc, argv,
        {{"--draws", &draws}, {"--seed", &seed}, {"--only", &only}, {"--rivals", &rivals}, {"--check", &check}});
  } catch (const Error& error) {
    fmt::print(stderr, "minimize_score: {}; see the head of main.cpp\n", error.what());
    return 2;
  }
  draws = std::max(1, draws);
  bool kept = true;
  fmt::print("{:<32}{:>8}{:>6}{:>8}\n", "", "runs", "95 %", "right");
  for (const Items& items : cells()) {
    if (items.name.find(only) == std::string::npos || (check && items.goal_runs == 0)) continue;
    const Summary own = play(items, seed, draws, by_minimize);
    print_row(items.name, own);
    if (!within(items, own, draws, 0)) fmt::print("  goal: {} runs, {:.2f} right\n", items.goal_runs, items.goal_right);
    const bool good = within(items, own, draws, 3);
    if (check && !good) fmt::print("  FAILED: missed by far\n");
    kept = kept && good;
    if (rivals) print_row("  ddmin, 3 repeats", play(items, seed, draws, by_ddmin));
  }
  return check && !kept ? 1 : 0;
}
