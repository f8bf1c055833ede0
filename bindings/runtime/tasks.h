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

#include "engine/loop/loop.h"
#include "engine/loop/operation.h"

namespace reg::lua {

/// A coroutine the engine runs: the script itself, or a function given to reg.spawn. It ends with values, with an
/// error, or cancelled.
class Task final : public Pending {
 public:
  std::int64_t number = 0;  ///< they are counted as they are made
  lua_State* thread = nullptr;
  int anchor = LUA_NOREF;  ///< keeps the coroutine alive until the task has ended
  int arguments = 0;       ///< on its stack, for the first resume; afterwards the count of results
  bool started = false;
  bool cancelled = false;
  bool error_seen = false;                       ///< somebody waited for it, so its error is not lost
  std::shared_ptr<Pending> waits_for;            ///< set while it waits
  std::function<int(lua_State*)> continue_with;  ///< turns that result into Lua values

  /// The task it waits for, if it is a task.
  Task* awaited_task() const { return done() ? nullptr : dynamic_cast<Task*>(waits_for.get()); }

  void complete() { finish(); }
  std::exception_ptr error() const { return error_; }
};

/// Runs tasks in turn on the loop's thread: one goes on until it waits for something. It counts what they compute, and
/// stops them all when that is too much. It knows coroutines and operations, and nothing of what they do.
class Tasks {
 public:
  /// `instructions`: how many of Lua's a script may spend between two effects.
  Tasks(Loop& loop, lua_State* L, std::int64_t instructions) : loop_(loop), main_(L), allowed_(instructions) {}

  /// Has the count hook look after what `L` and the coroutines made in it compute.
  static void watch(lua_State* L);

  /// Whether an error of the count hook is under way in that coroutine, or was just caught. Hooks are off until it is.
  static bool has_raised(lua_State* thread);
  /// Whether nobody caught it: no Lua may run in that coroutine any more, not even what would close its variables.
  static bool is_blind(lua_State* thread);

  /// A task for the function and its arguments on top of `from`'s stack, which are taken off it. It starts soon. Who
  /// wants its results keeps its coroutine from being collected.
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

  /// lua_pcall outside of any task, for an answer that somebody waits for at the keyboard: it may compute for a second.
  int call_briefly(lua_State* L, int arguments, int results);

  /// Errors of ended tasks nobody waited for; the first one fails the script.
  std::exception_ptr take_lost_error();

  /// Why the whole script was stopped, when it was for computing too long.
  std::exception_ptr take_doom() { return std::exchange(doom_, nullptr); }

  /// Whether the value at `index` is a coroutine that the engine runs, or ran: not for scripts to resume or close.
  static bool is_task(lua_State* L, int index);

  /// How much of the C stack lies between where the tasks are run and the caller.
  std::size_t stack_used() const;

  /// Whether what runs now is to end: it was cancelled, or has computed too long.
  bool stopping() const { return spent_ > allowed_ || (current_ != nullptr && (current_->cancelled || cancelling_)); }

  /// The script asked for something outside or waits for it: what it computes is counted anew.
  void effect();

  /// Counts work in C of about so many instructions; whoever runs next is stopped when it was too much.
  void spend(std::int64_t instructions) {
    spent_ += instructions;
    counted_ += instructions;
  }

  /// For work in C of about so many instructions: counts them, handles signals, and raises when the script is being
  /// stopped. Other than the count hook it does so at once, so it may stand in a long loop.
  void charge(lua_State* L, std::int64_t instructions);

 private:
  class Closing;

  /// What a script that ends may still compute in its __close functions, all together.
  static constexpr std::int64_t kInstructionsForClosing = 1'000'000'000;

  static constexpr std::int64_t kInstructionsForAnAnswer = 100'000'000;

  void resume(const std::shared_ptr<Task>& task);
  void stop(std::shared_ptr<Task> task);
  void end(const std::shared_ptr<Task>& task);
  void close(lua_State* thread);
  std::exception_ptr error_of(lua_State* thread, int status);
  void time_from_here();
  bool may_go_on(lua_State* L, std::int64_t instructions);
  static void on_count(lua_State* L, lua_Debug* info);
  static void on_count_after_raise(lua_State* L, lua_Debug* info);
  static void raise(lua_State* L, int next_look);

  Loop& loop_;
  lua_State* main_;
  std::int64_t made_ = 0;
  std::map<std::int64_t, std::shared_ptr<Task>> live_;  // by their numbers, the oldest first
  std::deque<std::shared_ptr<Task>> ready_;
  std::deque<std::shared_ptr<Task>> ended_with_error_;
  std::vector<std::shared_ptr<Pending>> waited_here_;
  std::shared_ptr<Task> current_;
  bool cancelling_ = false;
  std::exception_ptr doom_;
  std::int64_t allowed_;
  std::int64_t spent_ = 0;
  std::int64_t allowed_for_closing_ = kInstructionsForClosing;
  bool closing_ = false;
  const char* const stack_ = static_cast<const char*>(__builtin_frame_address(0));
  std::int64_t timed_ = 0;    // since when, on the processor's clock
  std::int64_t counted_ = 0;  // so much of what was spent was counted
  bool slow_ = false;         // it was C for the most part
  std::int64_t polled_ = 0;   // when signals were last looked for, in steps of a coarse clock
};

}  // namespace reg::lua
