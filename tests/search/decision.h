#pragma once

namespace reg::score {

struct DecisionTime {
  int decisions = 0;
  double median_ms = 0, most_ms = 0;
};

constexpr int kDecisionPlaces = 16384;
constexpr int kDecisionRun = 60;

/// How long Search::ask() takes after a tell(), where kDecisionRun of kDecisionPlaces were run, at 1 % noise, and
/// `parallel` places are asked for at a time.
DecisionTime decision_time(int parallel);

}  // namespace reg::score
