#pragma once

#include <cstdint>

struct sqlite3;

// SQLite runs in C, where no script is stopped: Ctrl-C must end what takes long there.

namespace reg::store {

/// From now on a long statement of this connection ends once a stop signal has come since it began. What begins after
/// the signal runs to its end: a stopped script still writes what it has.
void watch_progress(sqlite3* database);

/// One statement, while it exists.
class Progress {
 public:
  Progress();
  void begin();  ///< anew

 private:
  friend class Running;
  std::int64_t interrupts_ = 0;
  int looks_ = 0;
};

/// While it exists, what SQLite does in this thread is work of this statement.
class Running {
 public:
  explicit Running(Progress& progress);
  ~Running();
  Running(const Running&) = delete;
  Running& operator=(const Running&) = delete;

  static bool is_over();  ///< whether the statement that runs now is to end

 private:
  Progress* outer_;
};

}  // namespace reg::store
