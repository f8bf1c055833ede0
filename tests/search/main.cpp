// search_score: see --help.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <future>
#include <memory>
#include <vector>

#include "engine/base/error.h"
#include "tests/search/cells.h"
#include "tests/search/decision.h"
#include "tests/search/options.h"
#include "tests/search/rivals.h"
#include "tests/search/score.h"
#include "tests/search/table.h"

namespace {

using namespace reg::score;

using Player = std::function<Played(History&)>;

Score play(const Cell& cell, const Options& options, const Player& player) {
  int first = 0;
  int end = cell.most > 0 ? std::min(options.traces, cell.most) : options.traces;
  if (options.trace >= 0) {
    first = options.trace;
    end = first + 1;
  }
  std::vector<Outcome> outcomes(static_cast<std::size_t>(end - first));
  std::atomic<int> next = first;
  const auto work = [&] {
    for (int number = next++; number < end; number = next++) {
      const std::unique_ptr<History> history = cell.history(number, seed_of(options.seed, cell, number));
      const Played played = player(*history);
      Outcome& outcome = outcomes[static_cast<std::size_t>(number - first)];
      outcome = judge(*history, played);
      if (!options.plant || !outcome.nothing_found) continue;
      const std::unique_ptr<History> again = cell.history(number, seed_of(options.seed, cell, number));
      again->plant(played.resolution);
      outcome.planted_covered = covers_all(*again, player(*again));
    }
  };
  std::vector<std::future<void>> workers;
  for (int k = 0; k < options.threads; ++k) workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
  return sum_up(outcomes);
}

// Says where it is out of bounds.
bool within_bounds(const Cell& cell, const Score& score) {
  bool within = true;
  const auto limit = [&](bool kept, const char* what, double value, const char* relation, double bound) {
    if (kept) return;
    fmt::print("FAILED: '{}': {} {:.3f}, and should be {} {}\n", cell.name, what, value, relation, bound);
    within = false;
  };
  const double exact = static_cast<double>(score.exact) / score.histories;
  limit(score.runs <= cell.bounds.runs, "runs", score.runs, "at most", cell.bounds.runs);
  limit(exact >= cell.bounds.exact, "exact", exact, "at least", cell.bounds.exact);
  const double unresolved = static_cast<double>(score.unresolved) / score.histories;
  limit(unresolved <= cell.bounds.unresolved, "unresolved", unresolved, "at most", cell.bounds.unresolved);
  limit(score.wrong <= cell.bounds.wrong, "false changes", score.wrong, "at most", cell.bounds.wrong);
  return within;
}

std::vector<Cell> wanted_cells(const Options& options) {
  std::vector<Cell> cells = options.untold ? untold_cells() : options.door ? door_cells() : goal_cells();
  std::erase_if(cells, [&](const Cell& cell) { return cell.name.find(options.cells) == std::string::npos; });
  if (cells.empty())
    throw reg::Error(reg::ErrorKind::usage, fmt::format("no kind of history has '{}' in its name", options.cells));
  for (const Cell& cell : cells) {
    if (cell.most > 0 && options.trace >= cell.most)
      throw reg::Error(reg::ErrorKind::usage, fmt::format("'{}' has {} histories, from 0", cell.name, cell.most));
  }
  return cells;
}

int play_all(const Options& options) {
  const std::vector<Cell> cells = wanted_cells(options);
  if (!options.show) print_head();
  bool good = true;
  Score all;
  for (const Cell& cell : cells) {
    if (options.show) fmt::print("{}, history {}\n", cell.name, options.trace);
    const Score ours =
        play(cell, options, [&](History& history) { return play_ours(history, options.parallel, options.show); });
    if (options.show) print_head();
    print_row(cell.name, ours);
    all.claims += ours.claims;
    all.claims_true += ours.claims_true;
    if (options.check) good = within_bounds(cell, ours) && good;
    if (!options.rivals) continue;
    for (const int repeats : {1, 3, 5}) {
      print_row(fmt::format("  git bisect x{}", repeats),
                play(cell, options, [&](History& history) { return play_bisect(history, repeats); }));
    }
  }
  const Interval right = wilson(all.claims_true, all.claims);
  if (all.claims > 0)
    fmt::print("with p >= .95 it said {} changes, and {} of them were true: {:.4f}, {:.4f}-{:.4f}\n", all.claims,
               all.claims_true, static_cast<double>(all.claims_true) / all.claims, right.low, right.high);
  return good ? 0 : 1;
}

int run(const Options& options) {
  if (options.help) {
    fmt::print("{}", kHelp);
    return 0;
  }
  if (!options.decision) return play_all(options);
  const DecisionTime time = decision_time(options.parallel);
  fmt::print(
      "one decision, {} places, {} of them run, {} at a time, 1 % noise: median {:.2f} ms, at most {:.2f} ms, of {}\n",
      kDecisionPlaces, kDecisionRun, options.parallel, time.median_ms, time.most_ms, time.decisions);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse_options(argc, argv));
  } catch (const reg::Error& error) {
    fmt::print(stderr, "search_score: {}\n", error.what());
    return 2;
  }
}
