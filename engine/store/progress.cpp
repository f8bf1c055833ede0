#include "engine/store/progress.h"

#include <sqlite3.h>

#include <utility>

#include "engine/base/signals.h"

namespace reg::store {
namespace {

constexpr int kBetween = 10'000;  // instructions of SQLite from look to look: a fraction of a millisecond
constexpr int kMost = 200;        // looks after the signal: a short statement is not broken off

thread_local Progress* running = nullptr;

}  // namespace

Progress::Progress() { begin(); }

void Progress::begin() {
  interrupts_ = interrupts();
  looks_ = 0;
}

Running::Running(Progress& progress) : outer_(std::exchange(running, &progress)) {}
Running::~Running() { running = outer_; }

bool Running::is_over() {
  return running != nullptr && interrupts() != running->interrupts_ && ++running->looks_ > kMost;
}

void watch_progress(sqlite3* database) {
  sqlite3_progress_handler(
      database, kBetween, [](void*) { return Running::is_over() ? 1 : 0; }, nullptr);
}

}  // namespace reg::store
