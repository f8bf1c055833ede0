#pragma once

#include <deque>
#include <exception>
#include <functional>
#include <lua.hpp>
#include <memory>
#include <vector>

#include "engine/loop/loop.h"
#include "engine/loop/operation.h"

namespace reg::lua {

/// A coroutine the engine runs: the script itself, or a function given to reg.spawn. It ends with values, with an
/// error, or cancelled.
class Task : public Pending {
 public:
  lua_State* thread = nullptr;
  int anchor = LUA_NOREF;  ///< keeps the coroutine alive
  int arguments = 0;       ///< on its stack, for the first resume; afterwards the count of results
  bool started = false;
  bool cancelled = false;
  bool error_seen = false;                       ///< somebody waited for it, so its error is not lost
  std::shared_ptr<Pending> waits_for;            ///< set while it waits
  std::function<int(lua_State*)> continue_with;  ///< turns that result into Lua values

  void complete() { finish(); }
  std::exception_ptr error() const { return error_; }
};

/// Runs tasks in turn on the loop's thread: one goes on until it waits for something.
/// It knows coroutines and operations, and nothing of what they do.
class Tasks {
 public:
  Tasks(Loop& loop, lua_State* L) : loop_(loop), main_(L) {}

  /// A task for the function and its arguments on top of `from`'s stack, which are taken off it. It starts soon.
  std::shared_ptr<Task> spawn(lua_State* from, int arguments);

  /// Goes on until every task has ended. After cancel_all(), that is: until all have been stopped.
  void run_all();

  void cancel(const std::shared_ptr<Task>& task);
  void cancel_all();
  bool cancelling() const { return cancelling_; }

  /// The task whose coroutine `L` is, if it is the one that runs now: only there may a primitive yield.
  Task* running(lua_State* L) const { return current_ != nullptr && current_->thread == L ? current_.get() : nullptr; }

  /// Makes the running task ready again when `op` is done.
  void park(const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> continue_with);

  /// Runs the loop until `op` is done, without letting other tasks go on: for where Lua cannot yield.
  void wait_here(const std::shared_ptr<Pending>& op);

  /// Errors of ended tasks nobody waited for; the first one fails the script.
  std::exception_ptr take_lost_error();

  /// Called by the count hook: handles signals, and yields when the running task was cancelled.
  void breathe(lua_State* L);

 private:
  void resume(const std::shared_ptr<Task>& task);
  void stop(const std::shared_ptr<Task>& task);
  void end(const std::shared_ptr<Task>& task);

  Loop& loop_;
  lua_State* main_;
  std::vector<std::shared_ptr<Task>> live_;
  std::deque<std::shared_ptr<Task>> ready_;
  std::vector<std::shared_ptr<Task>> ended_with_error_;
  std::vector<std::shared_ptr<Pending>> waited_here_;
  std::shared_ptr<Task> current_;
  bool cancelling_ = false;
};

}  // namespace reg::lua
