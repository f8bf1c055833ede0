#include "bindings/tasks.h"

#include <algorithm>

#include "bindings/vm.h"
#include "engine/base/error.h"

namespace reg::lua {
namespace {

std::string field(lua_State* L, int index, const char* name) {
  const bool there = lua_getfield(L, index, name) == LUA_TSTRING;
  std::string text = there ? lua_tostring(L, -1) : "";
  lua_pop(L, 1);
  return text;
}

ErrorKind kind_named(const std::string& name) {
  for (int kind = 0; kind < static_cast<int>(ErrorKind::internal); ++kind)
    if (name == to_string(static_cast<ErrorKind>(kind))) return static_cast<ErrorKind>(kind);
  return ErrorKind::internal;
}

// The value on top of the failed coroutine's stack. One of ours keeps its kind and hint; anything else a script raised
// with error() is shown with the way it came.
std::exception_ptr error_of(lua_State* thread) {
  if (lua_istable(thread, -1)) {
    if (lua_getfield(thread, -1, "exit_code") == LUA_TNUMBER)
      return std::make_exception_ptr(ScriptExit(static_cast<int>(lua_tointeger(thread, -1))));
    lua_pop(thread, 1);
    const std::string kind = field(thread, -1, "kind");
    if (!kind.empty()) {
      return std::make_exception_ptr(ScriptError(
          kind_named(kind), field(thread, -1, "where") + field(thread, -1, "message"), field(thread, -1, "hint"), ""));
    }
  }
  const std::string message = luaL_tolstring(thread, -1, nullptr);
  lua_pop(thread, 1);
  luaL_traceback(thread, thread, nullptr, 0);
  const std::string traceback = lua_tostring(thread, -1);
  return std::make_exception_ptr(ScriptError(ErrorKind::internal, message, "", traceback));
}

}  // namespace

std::shared_ptr<Task> Tasks::spawn(lua_State* from, int arguments) {
  auto task = std::make_shared<Task>();
  task->thread = lua_newthread(main_);
  task->anchor = luaL_ref(main_, LUA_REGISTRYINDEX);
  task->arguments = arguments;
  lua_xmove(from, task->thread, arguments + 1);
  live_.push_back(task);
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
      while (!live_.empty()) stop(live_.back());  // the newest first: they may serve the older
      ready_.clear();
      cancelling_ = false;
      return;
    }
    const auto task = ready_.front();
    ready_.pop_front();
    resume(task);
  }
}

void Tasks::resume(const std::shared_ptr<Task>& task) {
  if (task->done()) return;  // stopped while it stood in the queue
  if (task->cancelled) return stop(task);
  current_ = task;
  int count = 0;
  const int status = lua_resume(task->thread, main_, task->started ? 0 : task->arguments, &count);
  task->started = true;
  current_ = nullptr;
  if (status == LUA_YIELD) {
    // Without an operation it was the count hook, which yields to let a cancelled task be stopped.
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
  task->reject(error_of(task->thread));
  lua_resetthread(task->thread);  // closes what the script left open
  ended_with_error_.push_back(task);
  end(task);
}

void Tasks::end(const std::shared_ptr<Task>& task) {
  live_.erase(std::remove(live_.begin(), live_.end(), task), live_.end());
  if (!task->done()) task->complete();
}

void Tasks::stop(const std::shared_ptr<Task>& task) {
  if (task->waits_for != nullptr && !task->waits_for->done()) {
    task->waits_for->cancel();
    loop_.run_until([&] { return task->waits_for->done(); });
  }
  if (task->started) lua_resetthread(task->thread);  // runs the pending <close> variables
  task->reject(std::make_exception_ptr(Error(ErrorKind::cancelled, "stopped")));
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
  for (const auto& task : live_)
    if (task->waits_for != nullptr) task->waits_for->cancel();
  for (const auto& op : waited_here_) op->cancel();
}

void Tasks::wait_here(const std::shared_ptr<Pending>& op) {
  waited_here_.push_back(op);
  loop_.run_until([&] { return op->done(); });
  waited_here_.pop_back();
}

std::exception_ptr Tasks::take_lost_error() {
  std::exception_ptr first;
  for (const auto& task : ended_with_error_)
    if (!task->error_seen && !first) first = task->error();
  ended_with_error_.clear();
  return first;
}

void Tasks::breathe(lua_State* L) {
  loop_.poll();
  if (current_ != nullptr && (current_->cancelled || cancelling_) && lua_isyieldable(L) != 0) lua_yield(L, 0);
}

}  // namespace reg::lua
