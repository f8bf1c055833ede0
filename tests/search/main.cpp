// search_score: see --help.

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <thread>

#include "tests/search/options.h"
#include "tests/search/score.h"

namespace {

using namespace reg;
using namespace reg::score;

constexpr const char* kHelp =
    R"(search_score: plays the search against simulated histories and prints, for each kind of history, the runs
it took and how often all of it was right.

  --goals        what the search is made for, the default
  --untold       ordinary machines, and a question that names no smallest effect
  --door         a few releases, loaded machines, two named ends
  --cells TEXT   only the kinds with TEXT in their names
  --traces N     histories of each kind (100)                --seed S     other ones (dev-1)
  --parallel K   places in a round (1)                       --threads N  histories at a time (all cores)
  --plant        plays each history without a change again, with a step of the resolution claimed for it
  --rivals       git bisect beside it, on the same draws
  --trace T      only history number T of each kind          --show       its requests one by one
  --check        fails where the goals are missed by far
  --decision     only times how long one decision takes

Columns: histories; runs on average, the 95th percentile, the most; rounds; the part of the histories in which every
change was named at its exact place and no other, with its 95 % interval; false changes a history; part left
unresolved; part called "no change"; changes said with p >= .95: how many were true; of the changes at their exact place, how many have a 95 %
interval that holds their size; the resolution claimed, in parts of the noise; part of the
histories for which that claim is false; of the steps that --plant added, those that a reported change covers.
)";

struct Settings {
  int traces = 100, parallel = 1, threads = static_cast<int>(std::thread::hardware_concurrency()), trace = -1;
  std::string seed = "dev-1", cells;
  bool goals = false, untold = false, door = false, plant = false, rivals = false, show = false, check = false,
       decision = false, help = false;
};

Settings parse(int argc, char** argv) {
  Settings s;
  parse_options(argc, argv,
                {{"--traces", &s.traces},
                 {"--parallel", &s.parallel},
                 {"--threads", &s.threads},
                 {"--trace", &s.trace},
                 {"--seed", &s.seed},
                 {"--cells", &s.cells},
                 {"--goals", &s.goals},
                 {"--untold", &s.untold},
                 {"--door", &s.door},
                 {"--plant", &s.plant},
                 {"--rivals", &s.rivals},
                 {"--show", &s.show},
                 {"--check", &s.check},
                 {"--decision", &s.decision},
                 {"--help", &s.help}});
  for (int* least_one : {&s.traces, &s.parallel, &s.threads}) *least_one = std::max(1, *least_one);
  const auto need = [](bool holds, const char* what) {
    if (!holds) throw Error(ErrorKind::usage, what);
  };
  need(s.goals + s.untold + s.door <= 1, "--goals, --untold or --door, one of them");
  need(!s.show || s.trace >= 0, "--show needs the number of a history: --trace T");
  need(!s.check || !(s.untold || s.door || s.trace >= 0), "--check is of the goals, and of many histories");
  return s;
}

// One number for a history of a cell, the same on every machine: FNV-1a.
std::uint64_t seed_of(const std::string& seed, const Cell& cell, int number) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (const char c : fmt::format("{}/{}/{}", seed, cell.name, number))
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  return hash;
}

Score play(const Cell& cell, const Settings& s, const std::function<Played(History&)>& player) {
  const int first = std::max(0, s.trace);
  const int end = s.trace >= 0 ? first + 1 : cell.most > 0 ? std::min(s.traces, cell.most) : s.traces;
  std::vector<Score> scores(static_cast<std::size_t>(end - first));
  std::atomic<int> next = first;
  const auto work = [&] {
    for (int number = next++; number < end; number = next++) {
      const auto history = cell.history(number, seed_of(s.seed, cell, number));
      const Played played = player(*history);
      Score& score = scores[number - first];
      score = judge(*history, played);
      if (!s.plant || score.nothing_found == 0) continue;
      const auto again = cell.history(number, seed_of(s.seed, cell, number));
      again->plant(played.resolution);
      score.planted_covered = covers_all(*again, player(*again));
    }
  };
  std::vector<std::future<void>> workers;
  for (int k = 0; k < s.threads; ++k) workers.push_back(std::async(std::launch::async, work));
  for (std::future<void>& worker : workers) worker.get();
  Score all;
  for (const Score& score : scores) all += score;
  return all;
}

// Says where it is out of bounds.
bool within_bounds(const Cell& cell, const Score& score) {
  bool within = true;
  const auto limit = [&](const char* what, double value, double bound, bool least = false) {
    if (least ? value >= bound : value <= bound) return;
    fmt::print("FAILED: '{}': {} {:.3f}, and should be {} {}\n", cell.name, what, value, least ? "at least" : "at most",
               bound);
    within = false;
  };
  const double n = score.histories();
  limit("runs", score.runs_on_average(), cell.bounds.runs);
  limit("exact", score.exact / n, cell.bounds.exact, true);
  limit("unresolved", score.unresolved / n, cell.bounds.unresolved);
  limit("false changes", score.wrong / n, cell.bounds.wrong);
  return within;
}

int play_all(const Settings& s) {
  std::vector<Cell> cells = s.untold ? untold_cells() : s.door ? door_cells() : goal_cells();
  std::erase_if(cells, [&](const Cell& cell) { return cell.name.find(s.cells) == std::string::npos; });
  if (cells.empty()) throw Error(ErrorKind::usage, fmt::format("no kind of history has '{}' in its name", s.cells));
  for (const Cell& cell : cells)
    if (cell.most > 0 && s.trace >= cell.most)
      throw Error(ErrorKind::usage, fmt::format("'{}' has {} histories, from 0", cell.name, cell.most));
  if (!s.show) print_head();
  bool good = true;
  Score all;
  for (const Cell& cell : cells) {
    if (s.show) fmt::print("{}, history {}\n", cell.name, s.trace);
    const Score ours = play(cell, s, [&](History& history) { return play_ours(history, s.parallel, s.show); });
    if (s.show) print_head();
    print_row(cell.name, ours);
    all += ours;
    if (s.check) good = within_bounds(cell, ours) && good;
    if (!s.rivals) continue;
    for (const int repeats : {1, 3, 5})
      print_row(fmt::format("  git bisect x{}", repeats),
                play(cell, s, [&](History& history) { return play_bisect(history, repeats); }));
  }
  const Interval right = wilson(all.claims_true, all.claims);
  if (all.claims > 0)
    fmt::print("with p >= .95 it said {} changes, and {} of them were true: {:.4f}, {:.4f}-{:.4f}\n", all.claims,
               all.claims_true, static_cast<double>(all.claims_true) / all.claims, right.low, right.high);
  return good ? 0 : 1;
}

constexpr int kPlaces = 16384, kRun = 60;  // of a decision: places, and how many of them were run

// How long Search::ask() takes after a tell(), ten times, in milliseconds.
void time_asks(std::uint64_t seed, int parallel, std::vector<double>& times) {
  Shape shape;
  shape.n = kPlaces, shape.steps = 3, shape.sigma = 0.01;
  const auto history = trace(shape, seed);
  search::Question question = history->question();
  question.parallel = parallel;
  search::Search search(question);
  const auto run = [&](int place) { search.tell(place, history->run(place).value); };
  auto round = search.ask();
  for (; !round.empty() && round.front().reason == search::Reason::first_look; round = search.ask())
    for (const search::Request& request : round) run(request.place);
  const int rest = kRun - history->runs();
  for (int k = 0; k < rest; ++k) run(static_cast<int>((k + 0.5) * kPlaces / rest));
  // The ask before was not told: it is due first, and no decision.
  for (int k = 0; k < 10 && !round.empty(); ++k) {
    for (const search::Request& request : round) run(request.place);
    const auto start = std::chrono::steady_clock::now();
    round = search.ask();
    times.push_back(std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  }
}

int run(const Settings& s) {
  if (s.help) fmt::print("{}", kHelp);
  if (s.help || !s.decision) return s.help ? 0 : play_all(s);
  std::vector<double> times;
  for (std::uint64_t seed = 0; seed < 5; ++seed) time_asks(seed, s.parallel, times);
  fmt::print(
      "one decision, {} places, {} of them run, {} at a time, 1 % noise: median {:.2f} ms, at most {:.2f} ms, of {}\n",
      kPlaces, kRun, s.parallel, median(times), *std::max_element(times.begin(), times.end()), times.size());
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(parse(argc, argv));
  } catch (const Error& error) {
    fmt::print(stderr, "search_score: {}\n", error.what());
    return 2;
  }
}
