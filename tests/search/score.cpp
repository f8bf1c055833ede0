// search_score [--traces N] [--seed S] [--cells TEXT] [--parallel K] [--goals | --suite] [--rivals]
//
// Plays the search against simulated histories and prints, for each kind of history, the runs it took and how often all
// of it was right: every change at its exact place and none that is not there. The same draws for every rival.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <future>
#include <string>

#include "engine/search/search.h"
#include "tests/search/traces.h"

namespace {

using namespace reg;
using traces::Cell;
using traces::Trace;

struct Said {
  int lo, hi;
  double p;
};

struct Outcome {
  int runs = 0, rounds = 0;
  int wrong = 0;  // false changes
  int claims95 = 0, true95 = 0;
  bool exact = false;
  bool unresolved = false;
  bool false95 = false;
};

Outcome judge(const Trace& trace, const std::vector<Said>& said) {
  Outcome outcome;
  outcome.runs = trace.runs();
  std::vector<bool> used(said.size(), false);
  std::size_t hits = 0;
  for (const traces::Truth& truth : trace.truth()) {
    for (std::size_t k = 0; k < said.size(); ++k) {
      if (used[k] || said[k].lo != truth.lo || said[k].hi != truth.hi) continue;
      used[k] = true;
      ++hits;
      break;
    }
  }
  for (std::size_t k = 0; k < said.size(); ++k) {
    outcome.wrong += used[k] ? 0 : 1;
    if (said[k].p < 0.95) continue;
    ++outcome.claims95;
    outcome.true95 += used[k] ? 1 : 0;
    outcome.false95 = outcome.false95 || !used[k];
  }
  outcome.exact = hits == trace.truth().size() && outcome.wrong == 0;
  return outcome;
}

Outcome ours(Trace& trace, int parallel) {
  search::Question question;
  question.n = trace.cell().n;
  question.min_effect = std::sqrt(1 + trace.cell().size) - 1;
  question.min_width = trace.cell().dip;
  question.parallel = parallel;
  question.builds = trace.builds();
  search::Search search(question);
  for (auto round = search.ask(); !round.empty(); round = search.ask()) {
    for (const search::Request& request : round) {
      const Trace::Result result = trace.run(request.place);
      if (getenv("SHOW"))
        fmt::print(stderr, "{} reason {} ({}..{} p {:.3f}) -> {} {:.4f}\n", request.place,
                   static_cast<int>(request.reason), request.lo, request.hi, request.p, static_cast<int>(result.status),
                   std::log(result.value / 100));
      if (result.status == Trace::Result::ok)
        search.tell(request.place, result.value);
      else
        search.tell_failed(request.place, result.status == Trace::Result::build_failed ? search::Failure::broken
                                                                                       : search::Failure::crashed);
    }
  }
  const search::Answer answer = search.answer();
  std::vector<Said> said;
  for (const search::Change& change : answer.changes) {
    said.push_back({change.enter.lo, change.enter.hi, change.enter.p});
    if (change.dip) said.push_back({change.leave.lo, change.leave.hi, change.leave.p});
  }
  Outcome outcome = judge(trace, said);
  if (getenv("SHOW")) {
    for (auto& x : said) fmt::print(stderr, "said {} {} {}\n", x.lo, x.hi, x.p);
    for (auto& t : trace.truth()) fmt::print(stderr, "truth {} {}\n", t.lo, t.hi);
    fmt::print(stderr, "{} runs exact {}\n", outcome.runs, outcome.exact);
  }
  outcome.rounds = answer.rounds;
  outcome.unresolved = answer.verdict == search::Verdict::unresolved;
  if (getenv("WHY") && outcome.unresolved) fmt::print("{} runs: {}\n", answer.runs, answer.why);
  return outcome;
}

std::vector<Cell> goal_cells() {
  std::vector<Cell> cells;
  const auto add = [&](const char* name, int steps, double sigma, bool dirty) {
    Cell cell;
    cell.name = name, cell.steps = steps, cell.sigma = sigma;
    if (dirty) cell.broken = 0.1, cell.outliers = 0.05, cell.fixed = true;
    cells.push_back(cell);
    return cells.size() - 1;
  };
  add("1 step .1% clean", 1, 0.001, false);
  add("1 step .1% dirty", 1, 0.001, true);
  add("1 step 1% clean", 1, 0.01, false);
  add("1 step 1% dirty", 1, 0.01, true);
  add("3 steps .1% dirty", 3, 0.001, true);
  add("3 steps 1% dirty", 3, 0.01, true);
  add("none .1% dirty", 0, 0.001, true);
  add("none 1% clean", 0, 0.01, false);
  add("none 1% dirty", 0, 0.01, true);
  cells[add("build .5% over .2%", 1, 0.002, false)].tau = 0.005;
  for (const double sigma : {0.001, 0.01}) {
    Cell cell;
    cell.name = fmt::format("dip {}%", 100 * sigma), cell.sigma = sigma, cell.dip = 51, cell.broken = 0.05,
    cell.outliers = 0.02, cell.crashes = 0.01;
    cells.push_back(cell);
  }
  add("step = noise", 1, 0.03, false);
  cells[add("build = step/3", 1, 0.002, false)].tau = 0.01;
  return cells;
}

std::vector<Cell> suite_cells() {
  std::vector<Cell> cells;
  for (const int n : {61, 1024}) {
    for (int steps = 0; steps < 4; ++steps) {
      for (const auto& [size, sigma] :
           std::vector<std::pair<double, double>>{{.03, .0005}, {.03, .003}, {.03, .01}, {.10, .03}, {.01, .001}}) {
        for (const bool dirty : {false, true}) {
          Cell cell;
          cell.name = fmt::format("step/{}/{}/{}/{}/{}", n, steps, size, sigma, dirty ? "dirty" : "clean");
          cell.n = n, cell.steps = steps, cell.size = size, cell.sigma = sigma;
          if (dirty) cell.broken = 0.1, cell.outliers = 0.05, cell.crashes = 0.02;
          cells.push_back(cell);
        }
      }
    }
    for (const double sigma : {.0005, .01}) {
      Cell cell;
      cell.n = n, cell.sigma = sigma, cell.broken = 0.05;
      const auto add = [&](Cell c, const char* name) {
        c.name = fmt::format("{}/{}/{}", name, n, sigma);
        cells.push_back(c);
      };
      Cell mixed = cell;
      mixed.steps = 3, mixed.mixed = true, mixed.broken = 0.1, mixed.outliers = 0.05, mixed.crashes = 0.02,
      mixed.share = 0.3;
      add(mixed, "mixed");
      Cell dip = cell;
      dip.dip = std::max(3, n / 20), dip.outliers = 0.02, dip.crashes = 0.01;
      add(dip, "dip");
      Cell build = cell;
      build.steps = 2, build.sigma = std::min(sigma, .002), build.tau = 0.005;
      add(build, "build");
      Cell bimodal = cell;
      bimodal.bimodal = 0.02;
      add(bimodal, "bimodal");
      Cell drift = cell;
      drift.drift = 0.01;
      add(drift, "drift");
    }
  }
  return cells;
}

void print_row(const std::string& name, const std::vector<Outcome>& all) {
  double runs = 0, rounds = 0, exact = 0, wrong = 0, unresolved = 0, claims = 0, right = 0, false95 = 0;
  std::vector<int> sorted;
  for (const Outcome& o : all) {
    runs += o.runs, rounds += o.rounds, exact += o.exact, wrong += o.wrong, unresolved += o.unresolved;
    claims += o.claims95, right += o.true95, false95 += o.false95;
    sorted.push_back(o.runs);
  }
  std::sort(sorted.begin(), sorted.end());
  const double n = static_cast<double>(all.size());
  fmt::print("{:<34}{:>5}{:>8.1f}{:>6}{:>8.1f}{:>8.3f}{:>8.3f}{:>8.3f}{:>9}{:>8.3f}\n", name, all.size(), runs / n,
             sorted[static_cast<std::size_t>(.95 * (n - 1))], rounds / n, exact / n, wrong / n, unresolved / n,
             claims > 0 ? fmt::format("{:.3f}", right / claims) : "-", false95 / n);
  std::fflush(stdout);
}

}  // namespace

int main(int argc, char** argv) {
  int count = 100, parallel = 1, threads = 2;
  std::string seed = "dev-1", only, mode = "--goals";
  int just = -1;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--goals" || word == "--suite")
      mode = word;
    else if (i + 1 >= argc)
      return fmt::print(stderr, "search_score: {} needs a value\n", word), 2;
    else if (word == "--traces")
      count = std::atoi(argv[++i]);
    else if (word == "--seed")
      seed = argv[++i];
    else if (word == "--cells")
      only = argv[++i];
    else if (word == "--parallel")
      parallel = std::atoi(argv[++i]);
    else if (word == "--trace")
      just = std::atoi(argv[++i]);
    else if (word == "--threads")
      threads = std::atoi(argv[++i]);
    else
      return fmt::print(stderr, "search_score: unknown option {}\n", word), 2;
  }
  fmt::print("{:<34}{:>5}{:>8}{:>6}{:>8}{:>8}{:>8}{:>8}{:>9}{:>8}\n", "cell", "n", "runs", "p95", "rounds", "exact",
             "false", "unres", "true@.95", "false95");
  for (const Cell& cell : mode == "--goals" ? goal_cells() : suite_cells()) {
    if (cell.name.find(only) == std::string::npos) continue;
    std::vector<Outcome> all(static_cast<std::size_t>(count));
    const auto work = [&](int first, int stride) {
      for (int t = first; t < count; t += stride) {
        if (just >= 0 && t != just) continue;
        Trace trace(cell, std::hash<std::string>{}(seed + "/" + cell.name + "/" + std::to_string(t)));
        all[static_cast<std::size_t>(t)] = ours(trace, parallel);
      }
    };
    std::vector<std::future<void>> workers;
    for (int k = 0; k < threads; ++k) workers.push_back(std::async(std::launch::async, work, k, threads));
    for (auto& worker : workers) worker.get();
    print_row(cell.name, all);
    if (getenv("FAILS"))
      for (int t = 0; t < count; ++t)
        if (!all[static_cast<std::size_t>(t)].exact) fmt::print("{} ", t);
    if (getenv("FAILS")) fmt::print("\n");
  }
}
