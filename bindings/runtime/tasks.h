#pragma once

#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <lua.hpp>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "engine/loop/coroutine.h"
#include "engine/loop/loop.h"

namespace reg::lua {

/// A coroutine the engine runs: the script itself, or a function given to reg.spawn. It ends with values, with an
/// error, or cancelled.
class Task final : public Pending {
 public:
  std::int64_t number = 0;  ///< in order of creation
  lua_State* thread = nullptr;
  int anchor = LUA_NOREF;  ///< registry reference that keeps the coroutine alive until the task has ended
  int arguments = 0;       ///< on its stack, for the first resume; afterwards the number of results
  bool started = false;
  bool cancelled = false;
  bool error_seen = false;                       ///< somebody waited for it and got its error
  std::shared_ptr<Pending> waits_for;            ///< set while it waits
  std::function<int(lua_State*)> continue_with;  ///< converts the result to Lua values

  /// The task that it waits for, or nullptr if it waits for something else.
  Task* awaited_task() const { return done() ? nullptr : dynamic_cast<Task*>(waits_for.get()); }

  void complete() { finish(); }
  std::exception_ptr error() const { return error_; }
};

/// A cooperative scheduler on the loop's thread: each task runs until it waits for something. Counts the instructions
/// of the tasks, and stops them all if they exceed the limit. It knows coroutines and operations, not what they do.
class Tasks {
 public:
  /// `instructions`: the limit of Lua instructions between two effects.
  Tasks(Loop& loop, lua_State* L, std::int64_t instructions) : loop_(loop), main_(L), allowed_(instructions) {}

  /// Installs the count hook in `L` and the coroutines created in it.
  static void watch(lua_State* L);

  /// Whether an error of the count hook is propagating in that coroutine, or was just caught. Hooks are off until then.
  static bool has_raised(lua_State* thread);
  /// Whether nobody caught it: no more Lua may run in that coroutine, not even to close its variables.
  static bool died_without_hooks(lua_State* thread);

  /// Creates a task from the function and its arguments on top of `from`'s stack, which it pops. The task starts later.
  /// A caller that wants its results must keep the coroutine alive.
  std::shared_ptr<Task> spawn(lua_State* from, int arguments);

  /// Runs until every task has ended; after cancel_all(), until all have been stopped.
  void run_all();

  void cancel(const std::shared_ptr<Task>& task);
  /// Ctrl-C: Vm::run() then throws `cancelled` once all running operations have ended.
  void cancel_all();

  /// The running task if `L` is its coroutine, else nullptr: only there may a primitive yield.
  Task* running(lua_State* L) const { return current_ != nullptr && current_->thread == L ? current_.get() : nullptr; }

  /// Suspends the running task until `op` is done.
  void park(const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> continue_with);

  /// Runs the loop until `op` is done without resuming other tasks: for code where Lua cannot yield.
  void wait_here(const std::shared_ptr<Pending>& op);

  /// lua_pcall outside any task for an interactive answer (completion), limited to about a second.
  int call_briefly(lua_State* L, int arguments, int results);

  /// The first error of an ended task that nobody waited for; it fails the script.
  std::exception_ptr take_unseen_error();

  /// Why the whole script was stopped, if it exceeded a limit.
  std::exception_ptr take_stop_reason() { return std::exchange(stop_reason_, nullptr); }

  /// Whether the value at `index` is a coroutine of the engine, which scripts must not resume or close.
  static bool is_task(lua_State* L, int index);

  /// The bytes of C stack between the code that runs the tasks and the caller.
  std::size_t stack_used() const;

  /// Resets the count of instructions, because the script caused an effect or waits for one.
  void effect();

  /// Counts work in C as so many instructions, handles signals, and raises at once if the script is being stopped. To
  /// be called in long loops.
  void charge(lua_State* L, std::int64_t instructions);

 private:
  class Closing;

  /// The budget of all __close functions of a script that ends.
  static constexpr std::int64_t kInstructionsForClosing = 1'000'000'000;

  void resume(const std::shared_ptr<Task>& task);
  void stop(std::shared_ptr<Task> task);
  void end(const std::shared_ptr<Task>& task);
  void close(lua_State* thread);
  std::exception_ptr error_of(lua_State* thread, int status);
  void restart_timing();
  bool may_go_on(lua_State* L, std::int64_t instructions);
  static void on_count(lua_State* L, lua_Debug* info);
  static void on_count_after_raise(lua_State* L, lua_Debug* info);
  static void raise(lua_State* L, int next_check);

  Loop& loop_;
  lua_State* main_;
  std::int64_t made_ = 0;
  std::map<std::int64_t, std::shared_ptr<Task>> live_;  // by number, oldest first
  std::deque<std::shared_ptr<Task>> ready_;
  std::deque<std::shared_ptr<Task>> ended_with_error_;
  std::vector<std::shared_ptr<Pending>> waited_here_;
  std::shared_ptr<Task> current_;
  bool cancelling_ = false;
  std::exception_ptr stop_reason_;
  std::int64_t allowed_;
  std::int64_t spent_ = 0;
  std::int64_t allowed_for_closing_ = kInstructionsForClosing;
  bool closing_ = false;
  const char* const stack_ = static_cast<const char*>(__builtin_frame_address(0));
  std::int64_t timed_ = 0;    // start of the current interval, in CPU time
  std::int64_t counted_ = 0;  // instructions counted in that interval
  bool slow_ = false;         // most of the last interval was spent in C
  std::int64_t polled_ = 0;   // time of the last check for signals, on the coarse clock
};

}  // namespace reg::lua
