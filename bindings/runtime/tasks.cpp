#include "bindings/runtime/tasks.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <iterator>

#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

std::exception_ptr stopped() { return std::make_exception_ptr(Error(ErrorKind::cancelled, "stopped")); }

constexpr int kInstructionsBetweenChecks = 200;
constexpr int kInstructionsBetweenChecksIfSlow = 10;
// Work in C counts by its CPU time, at the rate of Lua on a very slow machine.
constexpr std::int64_t kInstructionsPerMicrosecond = 10;

constexpr std::size_t kMemoryForClosing = std::size_t{1} << 20;
constexpr std::int64_t kInstructionsForAnAnswer = 100'000'000;

// Hundredths of a second, from a clock that is cheap to read.
std::int64_t coarse_time() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 100 + now.tv_nsec / 10'000'000;
}

// The CPU time of this thread.
std::int64_t cpu_microseconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<std::int64_t>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
}

constexpr const char* kThreads = "threads";  // registry: the set of coroutines that the engine runs

void remember_thread(lua_State* L) {
  push_weak_table(L, kThreads);
  lua_pushvalue(L, -2);
  lua_pushboolean(L, 1);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

}  // namespace

// While it exists, instructions count against the small budget for closing.
class Tasks::Closing {
 public:
  explicit Closing(Tasks& tasks)
      : tasks_(tasks),
        spent_(std::exchange(tasks.spent_, 0)),
        allowed_(std::exchange(tasks.allowed_, std::min(tasks.allowed_, tasks.allowed_for_closing_))) {
    tasks_.closing_ = true;
  }
  ~Closing() {
    tasks_.closing_ = false;
    tasks_.allowed_for_closing_ = std::exchange(tasks_.allowed_, allowed_) - std::exchange(tasks_.spent_, spent_);
  }
  Closing(const Closing&) = delete;
  Closing& operator=(const Closing&) = delete;

 private:
  Tasks& tasks_;
  std::int64_t spent_;
  std::int64_t allowed_;
};

// Everything happens in `from`, where running out of memory is an error of the script; elsewhere it would be fatal.
std::shared_ptr<Task> Tasks::spawn(lua_State* from, int arguments) {
  auto task = std::make_shared<Task>();
  task->number = ++made_;
  luaL_checkstack(from, 4, "a task");
  task->thread = lua_newthread(from);
  remember_thread(from);
  if (lua_checkstack(task->thread, arguments + 1) == 0) luaL_error(from, "too many arguments for a task");
  task->anchor = luaL_ref(from, LUA_REGISTRYINDEX);
  task->arguments = arguments;
  lua_xmove(from, task->thread, arguments + 1);
  live_.emplace(task->number, task);
  ready_.push_back(task);
  return task;
}

void Tasks::park(const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> continue_with) {
  current_->waits_for = op;
  current_->continue_with = std::move(continue_with);
  op->then([this, task = current_] { ready_.push_back(task); });
}

void Tasks::run_all() {
  while (!live_.empty()) {
    loop_.run_until([this] { return !ready_.empty() || cancelling_; });
    if (cancelling_) {
      // Closing a coroutine takes some memory. Without it, Lua would collect garbage once for each of them.
      Vm::of(main_).memory().make_room(kMemoryForClosing);
      while (!live_.empty()) stop(std::prev(live_.end())->second);  // newest first: they may serve older ones
      ready_.clear();
      break;
    }
    const auto task = ready_.front();
    ready_.pop_front();
    resume(task);
  }
  cancelling_ = false;  // everything has ended; the next run is not cancelled
}

void Tasks::resume(const std::shared_ptr<Task>& task) {
  if (task->done()) return;  // stopped while it was in the queue
  if (task->cancelled) return stop(task);
  current_ = task;
  if (task->waits_for != nullptr) restart_timing();
  int count = 0;
  const int status = lua_resume(task->thread, main_, task->started ? 0 : task->arguments, &count);
  task->started = true;
  current_ = nullptr;
  if (status == LUA_YIELD) {
    // Without an operation, the count hook yielded so that a cancelled task can be stopped.
    if (task->waits_for == nullptr) {
      lua_pop(task->thread, count);
      ready_.push_back(task);
    }
    return;
  }
  if (status == LUA_OK) {
    task->arguments = count;
    return end(task);
  }
  // Where the task could not yield, it was stopped by an error.
  task->reject(cancelling_ ? stopped() : error_of(task->thread, status));
  // Out of memory: the other tasks would fail too, one by one.
  if (status == LUA_ERRMEM && !cancelling_) {
    stop_reason_ = task->error();
    cancel_all();
  }
  close(task->thread);
  while (!ended_with_error_.empty() && ended_with_error_.front()->error_seen) ended_with_error_.pop_front();
  ended_with_error_.push_back(task);
  end(task);
}

void Tasks::end(const std::shared_ptr<Task>& task) {
  live_.erase(task->number);
  const bool unclosed = died_without_hooks(task->thread);
  luaL_unref(main_, LUA_REGISTRYINDEX, task->anchor);
  if (unclosed) lua_gc(main_, LUA_GCCOLLECT, 0);  // releases the engine's own objects, too
  if (!task->done()) task->complete();
}

void Tasks::stop(std::shared_ptr<Task> task) {
  // A task that others wait for is not cancelled with them.
  if (task->waits_for != nullptr && !task->waits_for->done() && task->awaited_task() == nullptr) {
    task->waits_for->cancel();
    loop_.run_until([&] { return task->waits_for->done(); });
  }
  if (task->started) close(task->thread);
  task->reject(stopped());
  end(task);
}

void Tasks::cancel(const std::shared_ptr<Task>& task) {
  if (task->done() || task->cancelled) return;
  task->cancelled = true;
  if (task->waits_for != nullptr) task->waits_for->cancel();
  if (task != current_) ready_.push_back(task);
}

void Tasks::cancel_all() {
  cancelling_ = true;
  if (current_ != nullptr) current_->cancelled = true;
  for (const auto& [number, task] : live_)
    if (task->waits_for != nullptr) task->waits_for->cancel();
  for (const auto& op : waited_here_) op->cancel();
}

void Tasks::wait_here(const std::shared_ptr<Pending>& op) {
  waited_here_.push_back(op);
  loop_.run_until([&] { return op->done(); });
  waited_here_.pop_back();
}

int Tasks::call_briefly(lua_State* L, int arguments, int results) {
  const std::int64_t for_closing = std::exchange(allowed_for_closing_, kInstructionsForAnAnswer);
  watch(L);
  int status = LUA_OK;
  {
    const Closing within(*this);
    status = lua_pcall(L, arguments, results, 0);
  }
  allowed_for_closing_ = for_closing;
  return status;
}

std::exception_ptr Tasks::take_unseen_error() {
  std::exception_ptr first;
  for (const auto& task : ended_with_error_)
    if (!task->error_seen && !first) first = task->error();
  ended_with_error_.clear();
  return first;
}

// Closes the pending <close> variables.
void Tasks::close(lua_State* thread) {
  if (died_without_hooks(thread)) return;
  const Closing closing(*this);
  watch(thread);
  lua_resetthread(thread);
}

std::exception_ptr Tasks::error_of(lua_State* thread, int status) {
  if (status == LUA_ERRMEM) {
    return std::make_exception_ptr(
        Error(ErrorKind::permission,
              script_line(thread) + "the script exceeds its memory limit of " + Vm::of(main_).memory().words(),
              "Keep less in memory, or raise the limit with --memory SIZE."));
  }
  const Closing closing(*this);
  return raised_by(main_, thread);
}

void Tasks::watch(lua_State* L) { lua_sethook(L, on_count, LUA_MASKCOUNT, kInstructionsBetweenChecks); }

bool Tasks::has_raised(lua_State* thread) { return lua_gethook(thread) == on_count_after_raise; }

bool Tasks::died_without_hooks(lua_State* thread) {
  const int status = lua_status(thread);
  return has_raised(thread) && status != LUA_OK && status != LUA_YIELD;
}

bool Tasks::is_task(lua_State* L, int index) {
  index = lua_absindex(L, index);
  luaL_checkstack(L, 5, "a coroutine");
  push_weak_table(L, kThreads);
  lua_pushvalue(L, index);
  const bool found = lua_rawget(L, -2) != LUA_TNIL;
  lua_pop(L, 2);
  return found;
}

std::size_t Tasks::stack_used() const {
  return static_cast<std::size_t>(std::abs(stack_ - static_cast<const char*>(__builtin_frame_address(0))));
}

void Tasks::effect() {
  if (closing_) return;
  spent_ = 0;
  restart_timing();
  allowed_for_closing_ = kInstructionsForClosing;
}

void Tasks::restart_timing() {
  timed_ = cpu_microseconds();
  counted_ = 0;
  expect_check_within(std::max<std::int64_t>(allowed_ - spent_, 0) / kInstructionsPerMicrosecond);
}

bool Tasks::may_go_on(lua_State* L, std::int64_t instructions) {
  spent_ += instructions;
  counted_ += instructions;
  if (const std::int64_t now = coarse_time(); now != polled_) {
    polled_ = now;
    const std::int64_t by_time = (cpu_microseconds() - timed_) * kInstructionsPerMicrosecond;
    slow_ = by_time > counted_;
    spent_ += std::max<std::int64_t>(by_time - counted_, 0);
    restart_timing();
    loop_.poll();
  }
  if (spent_ > allowed_ && current_ != nullptr && !stop_reason_) {
    stop_reason_ = std::make_exception_ptr(
        Error(ErrorKind::permission,
              script_line(L) + "stopped after " + std::to_string(allowed_) + " Lua instructions without an effect",
              "Call reg.sleep(0) now and then in a long computation, or raise the limit with --instructions N."));
    cancel_all();
  }
  return spent_ <= allowed_ && (current_ == nullptr || !(current_->cancelled || cancelling_));
}

// A task that must stop yields and is then reset, because the script could catch an error. Where it cannot yield, this
// raises an error, again at each instruction, so catching it does not help. A coroutine of the script's own yields,
// too, and whoever resumed it is stopped at the next check.
void Tasks::on_count(lua_State* L, lua_Debug*) {
  Tasks& tasks = Vm::of(L).tasks();
  const int counted = lua_gethookcount(L);
  if (tasks.may_go_on(L, counted)) {
    const int wanted = tasks.slow_ ? kInstructionsBetweenChecksIfSlow : kInstructionsBetweenChecks;
    if (counted != wanted || has_raised(L)) lua_sethook(L, on_count, LUA_MASKCOUNT, wanted);
    return;
  }
  if (tasks.closing_) {
    // The next __close, or whoever catches this error, gets half of this budget, so it ends eventually.
    tasks.allowed_ /= 2;
    tasks.spent_ = 0;
    raise(L, tasks.allowed_ < kInstructionsBetweenChecks ? 1 : kInstructionsBetweenChecks);
  }
  if (tasks.current_ != nullptr) lua_sethook(tasks.current_->thread, on_count, LUA_MASKCOUNT, 1);
  if (lua_isyieldable(L) == 0) raise(L, 1);
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  lua_yield(L, 0);
}

// Lua disables hooks within a hook, and after an error they stay disabled until it is caught. A second hook function
// marks that: a dead coroutine that still has it never caught the error.
void Tasks::raise(lua_State* L, int next_check) {
  lua_sethook(L, on_count_after_raise, LUA_MASKCOUNT, next_check);
  luaL_error(L, "stopped");
}

void Tasks::on_count_after_raise(lua_State* L, lua_Debug* info) { on_count(L, info); }

void Tasks::charge(lua_State* L, std::int64_t instructions) {
  if (may_go_on(L, instructions)) return;
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  luaL_error(L, "stopped");
}

}  // namespace reg::lua
