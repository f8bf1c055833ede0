#include <cmath>

#include "bindings/nouns/bind.h"
#include "bindings/runtime/json.h"
#include "bindings/runtime/vm.h"
#include "engine/arrays/npy.h"
#include "engine/base/time.h"

namespace reg::lua {
namespace {

int parse(lua_State* L) { return push(L, check_time(L, 1, "the time")); }

int format(lua_State* L) {
  const UnixTime t = check_time(L, 1, "the time");
  return push(L, lua_isnoneornil(L, 2) ? format_time(t) : format_time(t, check_string(L, 2, "the format")));
}

int date(lua_State* L) { return push(L, format_date(check_time(L, 1, "the time"))); }

int seconds(lua_State* L) { return push(L, check_duration(L, 1, "the duration")); }

int words(lua_State* L) { return push(L, format_duration(check_duration(L, 1, "the duration"))); }

std::vector<UnixTime> range(lua_State* L, const Options& options) {
  const auto from = options.time("from");
  const auto to = options.time("to");
  if (!from || !to) throw misuse(L, "needs 'from' and 'to'");
  if (*from > *to)
    throw misuse(L, "'from' " + format_time(*from) + " is after 'to' " + format_time(*to), "Swap the two.");
  const double every = options.duration("every").value_or(86400);
  const auto step = static_cast<UnixTime>(every);
  if (step < 1) throw misuse(L, "'every' must be at least 1 second");
  if ((*to - *from) / step > 1'000'000) throw misuse(L, "more than a million steps between 'from' and 'to'");
  std::vector<UnixTime> times;
  for (UnixTime t = *from; t <= *to; t += step) times.push_back(t);
  return times;
}

std::string encode(lua_State* L, const Options& options) { return to_json(L, 1, options.flag("pretty") ? 2 : -1); }

int decode(lua_State* L) {
  push_json(L, check_string(L, 1, "the text"));
  return 1;
}

int array(lua_State* L) {
  lua_settop(L, 1);
  if (!lua_istable(L, 1)) throw misuse(L, "takes a table");
  mark_json_array(L);
  return 1;
}

int next_line(lua_State* L) {
  const auto op = read_line(Vm::of(L).loop());
  if (!op) throw misuse(L, "another task is reading standard input");
  return await(L, op);
}

int sleep_for(lua_State* L) { return await(L, sleep(Vm::of(L).loop(), check_duration(L, 1, "the time to sleep"))); }

int spawn(lua_State* L) {
  check_function(L, 1);
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

int wait(lua_State* L, const std::shared_ptr<Task>& task) {
  task->error_seen = true;
  for (const Task* next = task.get(); next != nullptr; next = next->awaited_task())
    if (next == Vm::of(L).tasks().running(L))
      throw misuse(L, next == task.get() ? "a task cannot wait for itself" : "that task is waiting for this one");
  if (!task->done() && (Vm::of(L).tasks().running(L) == nullptr || lua_isyieldable(L) == 0))
    throw misuse(L, "cannot wait for a task here",
                 "Wait outside of sort comparators, __close and coroutines of your own.");
  return await(L, std::shared_ptr<Pending>(task), [task](lua_State* state) { return results(state, *task); });
}

bool done(Task& task) { return task.done(); }

void cancel(lua_State* L, const std::shared_ptr<Task>& task) {
  task->error_seen = true;
  Vm::of(L).tasks().cancel(task);
}

}  // namespace

std::vector<Function> bind_time(lua_State*) {
  return {REG_FUNCTIONS(parse, format, date, seconds, words),
          {"now", call<reg::now>},
          {"range", call<range>, "from to every"}};
}

std::vector<Function> bind_json(lua_State* L) {
  push_json_null(L);
  lua_setfield(L, -2, "null");
  return {REG_FUNCTIONS(decode, array), {"encode", call<encode>, "pretty", 2}};
}

std::vector<Function> bind_task(lua_State* L) {
  register_class<Task>(L, "Task", {REG_FUNCTIONS(wait, cancel, done)});
  return {REG_FUNCTIONS(spawn), {"read_line", next_line}, {"sleep", sleep_for}};
}

namespace {

// For stdlib/verify.lua: the numbers of the difference, two different shapes, or why a file could not be read.
int difference(lua_State* L) {
  const std::string reference = check_string(L, 1, "reference"), result = check_string(L, 2, "result");
  for (const std::string& file : {reference, result})
    admit(L, {EffectKind::files, "read " + file, {reads(file)}, false});
  return await(L, on_worker(Vm::of(L).loop(), [=] { return arrays::compare(reference, result); }),
               [](lua_State* state, const arrays::Comparison& found) {
                 REG_PUSH(state, found, reference_shape, result_shape);
                 if (found.difference) {
                   REG_SET(state, *found.difference, count, different, unmatched, off_zero, value, largest_difference,
                           largest_at, reference_there, result_there)
                 } else if (!found.error) {
                   set(state, "value", HUGE_VAL);
                 } else {
                   set(state, "failed", found.failed);
                   set(state, "kind", to_string(found.error->kind()));
                   set(state, "message", found.error->what());
                   set(state, "hint", found.error->hint());
                 }
                 return 1;
               });
}

}  // namespace

std::vector<Function> bind_verify(lua_State*) { return {REG_FUNCTIONS(difference)}; }

}  // namespace reg::lua
