#include "tests/search/table.h"

#include <fmt/format.h>

#include <cstdio>

namespace reg::score {

void print_head() {
  fmt::print("{:<32}{:>5}{:>8}{:>6}{:>6}{:>8}  {:<18}{:>7}{:>7}{:>7}{:>11}{:>11}{:>8}{:>8}{:>10}\n", "", "n", "runs",
             "95 %", "most", "rounds", "exact", "false", "unres.", "none", "p >= .95", "size", "res/sd", "untrue",
             "planted");
}

void print_row(const std::string& name, const Score& score) {
  const Interval interval = wilson(score.exact, score.histories);
  const double n = score.histories;
  fmt::print("{:<32}{:>5}{:>8.1f}{:>6}{:>6}{:>8}  {:<18}{:>7.3f}{:>7.2f}{:>7.2f}{:>11}{:>11}{:>8}{:>8.3f}{:>10}\n",
             name, score.histories, score.runs, score.runs_95, score.runs_most,
             score.rounds > 0 ? fmt::format("{:.1f}", score.rounds) : "-",
             fmt::format("{:.3f} {:.3f}-{:.3f}", score.exact / n, interval.low, interval.high), score.wrong,
             score.unresolved / n, score.no_change / n,
             score.claims > 0 ? fmt::format("{}/{}", score.claims_true, score.claims) : "-",
             score.sizes > 0 ? fmt::format("{}/{}", score.sizes_held, score.sizes) : "-",
             score.resolutions > 0 ? fmt::format("{:.2f}", score.resolution) : "-", score.untrue / n,
             score.planted_covered > 0 ? fmt::format("{}/{}", score.planted_covered, score.nothing_found) : "-");
  std::fflush(stdout);
}

}  // namespace reg::score
