#include "bindings/nouns/bind.h"
#include "bindings/runtime/vm.h"

namespace reg::lua {
namespace {

int sleep_for(lua_State* L) {
  const double seconds = check_duration(L, 1, "the time to sleep");
  return await(L, sleep(Vm::of(L).loop(), seconds));
}

int spawn(lua_State* L) {
  if (!lua_isfunction(L, 1)) throw misuse(L, std::string("takes a function, not a ") + luaL_typename(L, 1));
  stop_rehearsal(L);
  const auto task = Vm::of(L).tasks().spawn(L, lua_gettop(L) - 1);
  push_object(L, task);
  lua_rawgeti(L, LUA_REGISTRYINDEX, task->anchor);
  lua_setiuservalue(L, -2, 1);  // its results are there
  return 1;
}

// What the task returned, or the error it raised.
int results(lua_State* L, Task& task) {
  task.error_seen = true;
  if (task.error()) std::rethrow_exception(task.error());
  luaL_checkstack(L, task.arguments, "results");
  luaL_checkstack(task.thread, task.arguments, "results");
  for (int i = 1; i <= task.arguments; ++i) lua_pushvalue(task.thread, i);
  lua_xmove(task.thread, L, task.arguments);
  return task.arguments;
}

int wait(lua_State* L) {
  auto task = object_slot<Task>(L);
  task->error_seen = true;
  for (const Task* next = task.get(); next != nullptr; next = next->awaited_task())
    if (next == Vm::of(L).tasks().running(L))
      throw misuse(L, next == task.get() ? "a task cannot wait for itself" : "that task is waiting for this one");
  if (!task->done() && (Vm::of(L).tasks().running(L) == nullptr || lua_isyieldable(L) == 0))
    throw misuse(L, "cannot wait for a task here",
                 "Wait outside of sort comparators, __close and coroutines of your own.");
  return await(L, std::shared_ptr<Pending>(task), [task](lua_State* state) { return results(state, *task); });
}

int cancel(lua_State* L) {
  auto task = object_slot<Task>(L);
  task->error_seen = true;
  Vm::of(L).tasks().cancel(task);
  return 0;
}

}  // namespace

void bind_task(lua_State* L) {
  register_class<Task>(L, "Task", {{"wait", wait}, {"cancel", cancel}, {"done", get_member<Task, &Task::done>}});
  register_functions(L, "", {{"sleep", sleep_for}, {"spawn", spawn}});
}

}  // namespace reg::lua
