// minimize_score [--draws N] [--seed TEXT] [--rivals] [--check] [--only TEXT]: how many runs engine/search/minimize
// takes to find which of n items carry an effect, and how often it is right, on simulated items. --rivals: ddmin and
// one by one on the same draws, told the size of the effect. --check: only what has a goal for its runs; fails where a
// goal is missed by far.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "tests/search/minimize/simulated.h"

namespace {

using namespace reg::score;

constexpr double kByFar = 3;  // standard errors

std::vector<Items> cells() {
  std::vector<Items> all;
  const auto add = [&all](const std::string& name, double goal_runs, double goal_right, auto change) {
    Items items;
    items.name = name;
    items.goal_runs = goal_runs;
    items.goal_right = goal_right;
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

struct Summary {
  double runs = 0, runs_error = 0;  // the mean, and its standard error
  double right = 0, seconds = 0;
  int runs_95 = 0;
};

std::uint64_t seed_of(const std::string& text, const std::string& cell, int draw) {
  std::uint64_t seed = static_cast<std::uint64_t>(draw);
  for (const char c : text + "/" + cell) seed = mix(seed ^ static_cast<unsigned char>(c));
  return seed;
}

template <class Player>
Summary play(const Items& items, const std::string& seed, int draws, const Player& player) {
  std::vector<int> runs(static_cast<std::size_t>(draws));
  std::atomic<int> next = 0;
  std::atomic<int> right = 0;
  const auto began = std::chrono::steady_clock::now();
  const auto work = [&] {
    for (int draw = next++; draw < draws; draw = next++) {
      Simulated simulated(items, seed_of(seed, items.name, draw));
      const Found found = player(simulated);
      runs[static_cast<std::size_t>(draw)] = found.runs;
      if (found.causes == simulated.causes()) ++right;
    }
  };
  auto other = std::async(std::launch::async, work);
  work();
  other.get();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
  std::sort(runs.begin(), runs.end());
  double sum = 0;
  double squares = 0;
  for (const int one : runs) sum += one;
  const double mean = sum / draws;
  for (const int one : runs) squares += (one - mean) * (one - mean);
  const double error = std::sqrt(squares / std::max(draws - 1, 1) / draws);
  return {mean, error, static_cast<double>(right) / draws, took.count() / draws,
          runs[static_cast<std::size_t>(0.95 * draws)]};
}

// Whether the goals are met, as far as `errors` standard errors go.
bool within(const Items& items, const Summary& own, int draws, double errors) {
  const double wrong = 1 - items.goal_right;
  const double right_error = std::sqrt(wrong * items.goal_right / draws);
  return own.right >= items.goal_right - errors * right_error &&
         (items.goal_runs == 0 || own.runs - errors * own.runs_error <= items.goal_runs);
}

}  // namespace

int main(int argc, char** argv) {
  int draws = 200;
  std::string seed = "dev-1";
  std::string only;
  bool rivals = false;
  bool check = false;
  for (int k = 1; k < argc; ++k) {
    const std::string word = argv[k];
    const std::string value = k + 1 < argc ? argv[k + 1] : "";
    if (word == "--rivals")
      rivals = true;
    else if (word == "--check")
      check = true;
    else if (word == "--draws")
      draws = std::max(1, std::atoi(value.c_str())), ++k;
    else if (word == "--seed")
      seed = value, ++k;
    else if (word == "--only")
      only = value, ++k;
    else {
      fmt::print(stderr, "minimize_score: unknown option '{}'; see the head of main.cpp\n", word);
      return 2;
    }
  }
  bool kept = true;
  fmt::print("{:<32}{:>8}{:>6}{:>8}{:>9}\n", "", "runs", "95 %", "right", "ms/draw");
  for (const Items& items : cells()) {
    if (items.name.find(only) == std::string::npos || (check && items.goal_runs == 0)) continue;
    const auto row = [&](const char* name, const Summary& summary) {
      fmt::print("{:<32}{:>8.1f}{:>6}{:>8.3f}{:>9.1f}\n", name, summary.runs, summary.runs_95, summary.right,
                 1000 * summary.seconds);
      std::fflush(stdout);
    };
    const Summary own = play(items, seed, draws, by_minimize);
    row(items.name.c_str(), own);
    if (!within(items, own, draws, 0)) fmt::print("  goal: {} runs, {:.2f} right\n", items.goal_runs, items.goal_right);
    const bool good = within(items, own, draws, kByFar);
    if (check && !good) fmt::print("  FAILED: missed by far\n");
    kept = kept && good;
    if (rivals) {
      row("  ddmin, 3 repeats", play(items, seed, draws, by_ddmin));
      row("  one by one, 3 repeats", play(items, seed, draws, one_by_one));
    }
  }
  return check && !kept ? 1 : 0;
}
