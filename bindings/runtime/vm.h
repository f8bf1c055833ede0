#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/runtime/lua.h"
#include "bindings/runtime/memory.h"
#include "bindings/runtime/tasks.h"
#include "engine/guard/policy.h"
#include "engine/loop/loop.h"

namespace reg::lua {

/// A Lua text that a script requires, and where in its file it begins.
struct Module {
  std::string text;
  std::size_t first_line = 1;
};

/// What one run of the program was started with.
struct Settings {
  std::string stdlib_folder;  ///< --stdlib DIR; "" = the one inside the binary
  std::string script_name;    ///< as given on the command line; "" at the prompt
  std::string script_text;
  std::string script_title;  ///< its file's name, where that is not script_name: of a shared or a shipped script
  std::vector<std::string> script_args;    ///< what follows its name
  std::vector<std::string> reported_args;  ///< of a script out of Markdown: what followed its name where it was shared
  std::map<std::string, Module> modules;   ///< of a script out of Markdown: what it may require, by name
  std::map<std::string, std::size_t> files;  ///< of a script out of Markdown: lines of the blocks that hold other files
  std::vector<std::pair<std::string, std::string>> required;  ///< the modules it has required so far: name and text
  std::optional<std::int64_t> seed;                           ///< of math.random; one is drawn where there is none
  std::string workspace;                                      ///< the folder a script may write in, absolute
  bool quiet = false;
  bool dry_run = false;
  std::size_t memory = std::size_t{2} << 30;   ///< bytes the script's own values may take
  std::int64_t instructions = 50'000'000'000;  ///< of Lua between two effects: minutes
};

/// Compiles a text chunk and leaves the function on the stack, its lines counted from `first_line` of the file that
/// `name` says; throws usage with that place when it does not compile.
void load_chunk(lua_State* L, std::string_view text, const std::string& name, std::size_t first_line = 1);

/// Whether the text is a Lua chunk without a mistake of grammar.
bool compiles(std::string_view text);

/// One Lua state with everything a script can see: the sandbox's globals, `reg` with the primitives and the stdlib, and
/// the tasks that run in it. It owns no policy and no loop; it uses those it is given, on the loop's thread.
class Vm {
 public:
  /// `open_library` makes the globals that the sandbox does not have: `reg`.
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

  /// Compiles a text chunk and leaves the function on the stack; throws usage with file and line when it does not
  /// compile. `name` is what messages show, with the lines counted from `first_line`.
  void load(std::string_view text, const std::string& name, std::size_t first_line = 1);

  /// Runs the function on the stack of state(), below it its arguments, as the main task to its end, with every task it
  /// spawned. What it returned is on the stack afterwards, and the count is the result. Throws what the script raised.
  int run(int arguments);

  /// Ctrl-C: stops every task. run() then throws `cancelled`, once all that was under way has ended.
  void interrupt() { tasks_.cancel_all(); }

 private:
  Loop& loop_;
  Guard& guard_;
  Settings settings_;
  Memory memory_;
  lua_State* L_;
  Tasks tasks_;
};

/// Waits for `op` and returns what `finish(L)` pushes. In a task this yields, so that others go on; where Lua cannot
/// yield (a sort comparator, `require`, a __close) it runs the loop until the result is there. `finish` may throw.
int await(lua_State* L, const std::shared_ptr<Pending>& op, std::function<int(lua_State*)> finish);

/// await for an operation with a result: `push(L, T&&)` returns how many values it pushed.
template <class T, class Push>
int await(lua_State* L, Op<T> op, Push push_result) {
  return await(L, std::shared_ptr<Pending>(op),
               [op, push_result](lua_State* state) { return push_result(state, op->take()); });
}

/// await for an operation without a result.
inline int await(lua_State* L, Op<Nothing> op) {
  return await(L, std::move(op), [](lua_State*, Nothing) { return 0; });
}

/// Guard::admit of the Vm that `L` belongs to. To the limits it is a sign of life: what the script computes is counted
/// anew.
bool admit(lua_State* L, const Effect& effect);

/// core.exit: the script ends here with this exit code, as `return code` at its end would.
struct ScriptExit : std::exception {
  explicit ScriptExit(int exit_code) : code(exit_code) {}
  const char* what() const noexcept override { return "exit"; }
  int code;
};

/// An error that Lua raised (any value), as a C++ exception: the script's own words, with kind and hint when it was one
/// of ours. `traceback` is empty for those.
class ScriptError : public Error {
 public:
  ScriptError(ErrorKind kind, const std::string& message, std::string hint, std::string traceback)
      : Error(kind, message, std::move(hint)), traceback_(std::move(traceback)) {}
  const std::string& traceback() const { return traceback_; }

 private:
  std::string traceback_;
};

}  // namespace reg::lua
