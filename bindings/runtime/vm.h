#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <typeindex>
#include <utility>
#include <vector>

#include "bindings/runtime/limits.h"
#include "bindings/runtime/lua.h"
#include "bindings/runtime/tasks.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg {

/// A module that a script requires, and the line of its file where it begins.
struct Module {
  std::string text;
  std::size_t first_line = 1;
};

/// The script that the program runs. Of a Markdown file, `text` is only the block; `first_line` is where it begins.
struct Source {
  std::string name;  ///< as messages show it, with Lua's '@' or '=' before it
  std::string text;
  std::size_t first_line = 1;
  std::string title = {};  ///< the file name of a shipped script, or of a shared one where it was shared
  std::vector<std::string> reported = {};         ///< of a shared script: its arguments
  std::optional<std::int64_t> seed = {};          ///< of math.random; random where a shared script does not name it
  std::map<std::string, Module> modules = {};     ///< of a shared script: the modules it requires, by name
  std::map<std::string, std::size_t> files = {};  ///< of a shared script: first lines of other files' blocks, by name
  bool shipped = false;                           ///< one of the engine's own strategies, not a file
};

}  // namespace reg

namespace reg::lua {

/// How this run of the program was started.
struct Settings {
  std::string stdlib_folder;      ///< --stdlib DIR; "" = the built-in one
  std::string script;             ///< as given on the command line; "" at the prompt
  std::vector<std::string> args;  ///< the script's arguments
  Source source;
  std::vector<std::pair<std::string, std::string>> required;  ///< the modules required so far: name and text
  std::optional<std::string> handed;  ///< what the same command, run in the box before, handed over
  std::string workspace;              ///< the folder a script may write in, absolute
  bool quiet = false;
  bool dry_run = false;
  std::size_t memory = std::size_t{2} << 30;   ///< limit for the script's own values, in bytes
  std::int64_t instructions = 50'000'000'000;  ///< limit of Lua instructions between two effects: some minutes

  const std::string& title() const { return source.title.empty() ? script : source.title; }
  const std::vector<std::string>& arguments() const { return args.empty() ? source.reported : args; }
};

/// Compiles a text chunk and leaves the function on the stack. Messages show `name`, and count lines from `first_line`.
/// Throws usage with file and line if it does not compile.
void load_chunk(lua_State* L, std::string_view text, const std::string& name, std::size_t first_line = 1);

/// Whether the text is a syntactically valid Lua chunk.
bool compiles(std::string_view text);

/// One Lua state with everything a script can see: the sandbox's globals, `reg` with the primitives and the stdlib, and
/// the tasks that run in it. It uses the given guard and loop, on the loop's thread.
class Vm {
 public:
  /// `open_library` adds the global `reg` to the sandbox.
  Vm(Loop& loop, Guard& guard, Settings settings, void (*open_library)(lua_State*));
  ~Vm();
  Vm(const Vm&) = delete;
  Vm& operator=(const Vm&) = delete;

  /// The Vm that `L` belongs to.
  static Vm& of(lua_State* L);

  lua_State* state() { return L_; }
  Loop& loop() { return loop_; }
  Guard& guard() { return guard_; }
  Tasks& tasks() { return tasks_; }
  Memory& memory() { return memory_; }
  Settings& settings() { return settings_; }

  /// The one T of this state, made of the arguments at the first call.
  template <class T, class... Arguments>
  std::shared_ptr<T> only(Arguments&&... arguments) {
    std::shared_ptr<void>& kept = only_[typeid(T)];
    if (!kept) kept = std::make_shared<T>(std::forward<Arguments>(arguments)...);
    return std::static_pointer_cast<T>(kept);
  }

  /// Runs the function and its arguments on the stack of state() as the main task to its end, with every task it
  /// spawned. Leaves its results on the stack and returns their count. Throws what the script raised.
  int run(int arguments);

 private:
  Loop& loop_;
  Guard& guard_;
  Settings settings_;
  Memory memory_;
  std::map<std::type_index, std::shared_ptr<void>> only_;
  lua_State* L_;
  Tasks tasks_;
};

/// Waits for `op` and returns what `finish(L)` pushes. In a task this yields, so that others run; where Lua cannot
/// yield (a sort comparator, `require`, a __close) it runs the loop until the result is available. `finish` may throw.
int await(lua_State* L, const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> finish);

/// await for an operation with a result: `push(L, T&&)` returns how many values it pushed.
template <class T, class Push>
int await(lua_State* L, Op<T> op, Push push_result) {
  return await(L, std::shared_ptr<Pending>(op),
               [op, push_result](lua_State* state) { return push_result(state, op->take()); });
}

/// The same for a result that push() takes, or none.
template <class T>
int await(lua_State* L, Op<T> op) {
  return await(L, std::move(op), []([[maybe_unused]] lua_State* state, [[maybe_unused]] const T& result) {
    if constexpr (std::is_same_v<T, Nothing>)
      return 0;
    else
      return push(state, result);
  });
}
template <class T>
int push(lua_State* L, const Op<T>& op) {
  return await(L, op);
}

/// An object that a call keeps: the options may be a table with an __index of a script, which may close it.
template <class T>
struct Held {
  std::shared_ptr<T> object;
  operator T&() const { return *object; }
};

/// The argument at `index` for a parameter of that type: a value, or an object. The options have their own place.
template <class Parameter>
auto argument(lua_State* L, int index) {
  using T = std::remove_cvref_t<Parameter>;
  const std::string what = "argument " + std::to_string(index);
  if constexpr (requires(T & optional) { optional.has_value(); })
    return lua_isnoneornil(L, index) ? T() : T(argument<typename T::value_type>(L, index));
  else if constexpr (std::is_same_v<T, Options>)
    return Options(L);
  else if constexpr (requires { typename T::element_type; })
    return shared_object<typename T::element_type>(L, index);
  else if constexpr (std::is_same_v<T, bool>)
    return lua_toboolean(L, index) != 0;
  else if constexpr (std::is_convertible_v<std::string, T>)
    return check_string(L, index, what);
  else if constexpr (std::is_arithmetic_v<T> || std::is_same_v<T, std::vector<std::string>>)
    return kCheck<T>(L, index, what);
  else
    return Held<T>{shared_object<T>(L, index)};
}

/// The number of results of a function that pushed them itself, as a lua_CFunction does.
enum class Pushed : int {};
inline int push(lua_State*, Pushed count) { return static_cast<int>(count); }

namespace detail {

template <class Result, class... Parameters>
int call_with(lua_State* L, const auto& function) {
  return [&]<int... places>(std::integer_sequence<int, places...>) {
    // In braces from left to right: the first wrong argument is the one that is named.
    std::tuple<decltype(argument<Parameters>(L, 1))...> arguments{argument<Parameters>(L, 1 + places)...};
    if constexpr (std::is_void_v<Result>)
      return std::apply(function, std::move(arguments)), 0;
    else
      return push(L, std::apply(function, std::move(arguments)));
  }
  (std::make_integer_sequence<int, sizeof...(Parameters)>());
}

template <class Result, class... Parameters>
int call(lua_State* L, Result (*function)(Parameters...)) {
  return call_with<Result, Parameters...>(L, function);
}
template <class Result, class... Parameters>
int call(lua_State* L, Result (*function)(lua_State*, Parameters...)) {
  using Results = std::conditional_t<std::is_same_v<Result, int>, Pushed, Result>;
  return call_with<Results, Parameters...>(
      L, [&](auto&&... arguments) { return Results(function(L, std::forward<decltype(arguments)>(arguments)...)); });
}
template <class Class, class Result, class... Parameters>
int call(lua_State* L, Result (Class::*method)(Parameters...)) {
  return call_with<Result, std::shared_ptr<Class>, Parameters...>(L, std::mem_fn(method));
}
template <class Class, class Result, class... Parameters>
int call(lua_State* L, Result (Class::*method)(Parameters...) const) {
  return call_with<Result, std::shared_ptr<Class>, Parameters...>(L, std::mem_fn(method));
}
template <class Class, class Member>
requires(!std::is_function_v<Member>) int call(lua_State* L, Member Class::*member) {
  return push(L, object<Class>(L).*member);
}

}  // namespace detail

/// A function of the Lua API that takes the parameters of a C++ function, or of a method after its object, and returns
/// what that returns: {"sha256", call<sha256>}. A lua_CFunction is called as it is, and an `int` of one with more
/// parameters is the number of results that it pushed, too. Of a member it is a property.
template <auto function>
int call(lua_State* L) {
  if constexpr (std::is_same_v<decltype(function), lua_CFunction>)
    return function(L);
  else
    return detail::call(L, function);
}

// For the tables of register_functions and register_class: {"stops", call<stops>}, {"tags", call<&Repo::tags>} and
// {".path", call<&Repo::path>} for each of the names.
#define REG_FUNCTIONS(...) REG_LIST(REG_FUNCTION, , __VA_ARGS__)
#define REG_METHODS(Class, ...) REG_LIST(REG_METHOD, Class, __VA_ARGS__)
#define REG_PROPERTIES(Class, ...) REG_LIST(REG_PROPERTY, Class, __VA_ARGS__)
// clang-format off
#define REG_FUNCTION(none, name) {#name, call<name>}
#define REG_METHOD(Class, name) {#name, call<&Class::name>}
#define REG_PROPERTY(Class, name) {"." #name, call<&Class::name>}
// clang-format on

/// Guard::admit of the Vm that `L` belongs to. Also resets the count of instructions.
bool admit(lua_State* L, const Effect& effect);

/// Ends a rehearsal: throws if one runs. For whatever cannot be only noted: waiting, tasks, what a store is told, what
/// is read after a command that was held back.
void stop_rehearsal(lua_State* L);

/// What stop_rehearsal() notes.
inline constexpr std::string_view kRehearsalStopped = "stopped";

/// core.exit: ends the script with this exit code, like `return code` at its end.
struct ScriptExit : std::exception {
  explicit ScriptExit(int exit_code) : code(exit_code) {}
  const char* what() const noexcept override { return "exit"; }
  int code;
};

/// An error that Lua raised (any value), as a C++ exception: its message, with kind and hint if it was one of ours;
/// `traceback` is empty for those.
class ScriptError : public Error {
 public:
  ScriptError(ErrorKind kind, const std::string& message, std::string hint, std::string traceback)
      : Error(kind, message, std::move(hint)), traceback_(std::move(traceback)) {}
  const std::string& traceback() const { return traceback_; }

 private:
  std::string traceback_;
};

/// What the failed coroutine raised: a ScriptError or ScriptExit, or an Error that says it was nothing. The value may
/// have metamethods, which run in `L`.
std::exception_ptr raised_by(lua_State* L, lua_State* thread);

/// Opens the libraries a script may use and removes everything that would bypass the Guard: files, processes, bytecode,
/// debug and C modules. `require` loads only text files next to the script. `seed`: of math.random, so that a script's
/// random numbers can be reproduced elsewhere.
void open_sandbox(lua_State* L, std::int64_t seed);

}  // namespace reg::lua
