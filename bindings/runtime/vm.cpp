#include "bindings/runtime/vm.h"

#include <random>

namespace reg::lua {
namespace {

// An error outside any protected call, such as out of memory while the state is created.
int on_panic(lua_State* L) {
  const char* message = lua_type(L, -1) == LUA_TSTRING ? lua_tostring(L, -1) : "an error without a message";
  throw Error(ErrorKind::internal, std::string("Lua: ") + message);
}

lua_State* new_state(Memory& memory) {
  lua_State* L = lua_newstate(Memory::allocate, &memory);
  if (L == nullptr) throw std::bad_alloc();
  lua_atpanic(L, on_panic);
  return L;
}

// The continuation of a parked task. Lua calls it directly and not through dispatch, so it converts exceptions itself.
int continue_task(lua_State* L, int, lua_KContext) {
  Task* task = Vm::of(L).tasks().running(L);
  const auto finish = std::move(task->continue_with);
  task->continue_with = nullptr;
  task->waits_for = nullptr;
  try {
    return finish(L);
  } catch (const std::exception& error) {
    push_error(L, error);
  }
  return lua_error(L);
}

std::string field(lua_State* L, int index, const char* name) {
  const bool there = lua_getfield(L, index, name) == LUA_TSTRING;
  std::string text = there ? lua_tostring(L, -1) : "";
  lua_pop(L, 1);
  return text;
}

// The input and output of describe().
struct Failure {
  lua_State* thread;
  std::exception_ptr error;
};

// Converts the error value on top of the failed coroutine's stack. An error of ours keeps its kind and hint; any other
// value gets a traceback. The value may have the script's metamethods, so this runs in a protected call.
int describe(lua_State* L) {
  Failure& failure = *static_cast<Failure*>(lua_touserdata(L, 1));
  lua_pushvalue(failure.thread, -1);
  lua_xmove(failure.thread, L, 1);
  if (lua_istable(L, -1)) {
    if (lua_getfield(L, -1, "exit_code") == LUA_TNUMBER) {
      failure.error = std::make_exception_ptr(ScriptExit(static_cast<int>(lua_tointeger(L, -1))));
      return 0;
    }
    lua_pop(L, 1);
    const std::string kind = field(L, -1, "kind");
    const std::string text = field(L, -1, "message");
    if (!kind.empty() && !text.empty()) {
      failure.error = std::make_exception_ptr(ScriptError(error_kind(kind).value_or(ErrorKind::internal),
                                                          field(L, -1, "where") + text, field(L, -1, "hint"), ""));
      return 0;
    }
  }
  const std::string message = luaL_tolstring(L, -1, nullptr);
  luaL_traceback(L, failure.thread, nullptr, 0);
  const std::string traceback = lua_tostring(L, -1);
  failure.error = std::make_exception_ptr(ScriptError(ErrorKind::internal, message, "", traceback));
  return 0;
}

}  // namespace

std::exception_ptr raised_by(lua_State* L, lua_State* thread) {
  Failure failure{thread, nullptr};
  lua_pushcfunction(L, describe);
  lua_pushlightuserdata(L, &failure);
  if (lua_pcall(L, 1, 0, 0) != LUA_OK) lua_pop(L, 1);
  if (failure.error) return failure.error;
  return std::make_exception_ptr(
      Error(ErrorKind::internal, script_line(thread) + "the script raised an error without a message"));
}

void load_chunk(lua_State* L, std::string_view text, const std::string& name, std::size_t first_line) {
  // Skips a shebang line but keeps its line break, so that line numbers stay correct.
  if (text.starts_with('#')) text.remove_prefix(std::min(text.find('\n'), text.size()));
  std::string padded;  // with empty lines for those before a Markdown block
  if (first_line > 1) text = padded = std::string(first_line - 1, '\n') + std::string(text);
  if (luaL_loadbufferx(L, text.data(), text.size(), name.c_str(), "t") == LUA_OK) return;
  const std::string message = lua_tostring(L, -1);
  lua_pop(L, 1);
  throw Error(ErrorKind::usage, message);
}

bool compiles(std::string_view text) {
  const std::unique_ptr<lua_State, decltype(&lua_close)> state(luaL_newstate(), lua_close);
  return try_to([&] { load_chunk(state.get(), text, "=stdin"); });
}

Vm::Vm(Loop& loop, Guard& guard, Settings settings, void (*open_library)(lua_State*))
    : loop_(loop),
      guard_(guard),
      settings_(std::move(settings)),
      memory_(settings_.memory),
      L_(new_state(memory_)),
      tasks_(loop, L_, settings_.instructions) {
  *static_cast<Vm**>(lua_getextraspace(L_)) = this;  // copied to new coroutines
  Tasks::watch(L_);
  if (!settings_.source.seed) settings_.source.seed = std::random_device()();
  open_sandbox(L_, *settings_.source.seed);
  open_library(L_);
}

Vm::~Vm() { lua_close(L_); }

Vm& Vm::of(lua_State* L) { return **static_cast<Vm**>(lua_getextraspace(L)); }

int Vm::run(int arguments) {
  const auto main = tasks_.spawn(L_, arguments);
  lua_rawgeti(L_, LUA_REGISTRYINDEX, main->anchor);  // keeps its results
  const int thread = lua_gettop(L_);
  main->error_seen = true;
  tasks_.effect();
  tasks_.run_all();
  const std::exception_ptr unseen = tasks_.take_unseen_error();
  for (const std::exception_ptr& error : {tasks_.take_stop_reason(), main->error(), unseen}) {
    if (!error) continue;
    lua_settop(L_, thread - 1);
    std::rethrow_exception(error);
  }
  const int count = main->arguments;
  luaL_checkstack(L_, count, "results");
  lua_xmove(main->thread, L_, count);
  lua_remove(L_, thread);
  return count;
}

int await(lua_State* L, const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> finish) {
  Vm& vm = Vm::of(L);
  if (!op->done() && vm.guard().rehearsing()) {
    op->cancel();
    stop_rehearsal(L);
  }
  if (!op->done()) vm.tasks().effect();
  if (!op->done() && vm.tasks().running(L) != nullptr && lua_isyieldable(L) != 0) {
    vm.tasks().park(op, std::move(finish));
    return lua_yieldk(L, 0, 0, continue_task);
  }
  if (!op->done()) vm.tasks().wait_here(op);
  return finish(L);
}

void stop_rehearsal(lua_State* L) {
  Guard& guard = Vm::of(L).guard();
  if (!guard.rehearsing()) return;
  guard.note(std::string(kRehearsalStopped));
  throw Error(ErrorKind::unavailable, "a rehearsal of `measure` ends here");
}

bool admit(lua_State* L, const Effect& effect) {
  Guard& guard = Vm::of(L).guard();
  Vm::of(L).tasks().effect();
  if (guard.rehearsing() && !effect.changes && guard.holds_back()) stop_rehearsal(L);
  return guard.admit(effect);
}

}  // namespace reg::lua
