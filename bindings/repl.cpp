#include "bindings/repl.h"

#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <utility>

#include "bindings/line_editor.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/process/command.h"
#include "engine/report/console.h"

namespace reg::lua {
namespace {

constexpr const char* kChunkName = "=prompt";

std::string history_file() {
  const auto folder = [](const char* variable, const char* below) -> std::string {
    const char* value = std::getenv(variable);
    return value == nullptr || *value != '/' ? "" : std::string(value) + below;
  };
  const std::string state = folder("XDG_STATE_HOME", "/regengine/history");
  return state.empty() ? folder("HOME", "/.local/state/regengine/history") : state;
}

void say(const Error& error) {
  report::console().hide();
  if (error.kind() == ErrorKind::cancelled) {
    report::console().write_err("stopped\n");
    return;
  }
  report::console().write_err(std::string("error: ") + error.what() + "\n");
  if (!error.hint().empty()) report::console().write_err("  " + error.hint() + "\n");
}

class Prompt {
 public:
  Prompt(Loop& loop, Guard& guard, Settings settings)
      : loop_(loop),
        vm_(loop, guard, std::move(settings)),
        editor_(history_file(), {[this](const std::string& before) { return complete(before); },
                                 [this] {
                                   loop_.poll();
                                   return !leaving_;
                                 },
                                 [this] { return std::exchange(interrupted_, false); }}) {
    loop_.on_stop_signal([this](int signal) { on_signal(signal); });
    run_text("help = reg.help");
  }

  int run() {
    report::console().write_out("regengine " + version() +
                                ", Lua " LUA_VERSION_MAJOR "." LUA_VERSION_MINOR
                                ". help() tells what there is, Tab completes, Ctrl-D leaves.\n");
    std::string line;
    while (!leaving_) {
      switch (editor_.read(pending_.empty() ? "> " : ">> ", line)) {
        case LineEditor::Outcome::end:
          report::console().write_out("\n");
          return 0;
        case LineEditor::Outcome::cancelled:
          pending_.clear();
          break;
        case LineEditor::Outcome::line:
          take(line);
      }
    }
    return 0;
  }

 private:
  enum class Compiled { yes, no, incomplete };

  // The first Ctrl-C stops the chunk, the second one everything; TERM and HUP stop the chunk and leave. Without a chunk
  // it is the key: libedit shows its prompt before it makes the terminal give keys in the place of signals.
  void on_signal(int signal) {
    if (signal != SIGINT) leaving_ = true;
    if (!running_) {
      interrupted_ = signal == SIGINT;
      return;
    }
    if (++stops_ > 1) {
      process::kill_everything();
      _exit(128 + SIGINT);
    }
    vm_.interrupt();
  }

  void take(const std::string& line) {
    pending_ += pending_.empty() ? line : "\n" + line;
    if (trim(pending_).empty()) return pending_.clear();
    Error problem(ErrorKind::usage, "");
    // An expression shows its value; what is none runs as it stands.
    const Compiled as_value = compile("return " + pending_, problem);
    const Compiled compiled = as_value == Compiled::yes ? as_value : compile(pending_, problem);
    if (compiled != Compiled::yes && (compiled == Compiled::incomplete || as_value == Compiled::incomplete)) return;
    const std::string chunk = std::exchange(pending_, "");
    if (compiled == Compiled::no) return say(problem);
    run_compiled();
    hint_at_locals(chunk);
  }

  Compiled compile(const std::string& text, Error& problem) {
    try {
      vm_.load(text, kChunkName);
      return Compiled::yes;
    } catch (const Error& error) {
      problem = error;
      return std::string_view(error.what()).ends_with("<eof>") ? Compiled::incomplete : Compiled::no;
    }
  }

  // Runs the function on the stack and shows its results; the printing can be stopped as well.
  void run_compiled() {
    lua_State* L = vm_.state();
    running_ = true;
    interrupted_ = false;
    stops_ = 0;
    try {
      const int count = vm_.run(0);
      if (count > 0) {
        lua_pushvalue(L, -count);
        lua_setglobal(L, "_");
        vm_.load("for i = 1, select('#', ...) do print(reg.inspect((select(i, ...)))) end", kChunkName);
        lua_insert(L, -count - 1);
        vm_.run(count);
      }
    } catch (const Error& error) {
      say(error);
    }
    report::console().hide();
    running_ = false;
    lua_settop(L, 0);
  }

  void run_text(const char* text) {
    vm_.load(text, kChunkName);
    run_compiled();
  }

  // What `local x = 1` made is gone with its line, which surprises once.
  void hint_at_locals(const std::string& chunk) {
    if (hinted_ || !trim(chunk).starts_with("local ")) return;
    hinted_ = true;
    report::console().write_err("(a local ends with its chunk; without 'local' it stays)\n");
  }

  // Runs within libedit, which is C: nothing may be thrown through it.
  LineEditor::Completion complete(const std::string& before) {
    lua_State* L = vm_.state();
    LineEditor::Completion found;
    lua_pushcfunction(L, [](lua_State* state) {
      lua_getglobal(state, "reg");
      lua_getfield(state, -1, "help/complete");
      lua_pushvalue(state, 1);
      lua_call(state, 1, 2);
      return 2;
    });
    push(L, pending_.empty() ? before : pending_ + "\n" + before);
    if (lua_pcall(L, 1, 2, 0) == LUA_OK && lua_isstring(L, -2) != 0 && lua_istable(L, -1)) {
      found.part = lua_tostring(L, -2);
      const auto count = static_cast<lua_Integer>(lua_rawlen(L, -1));
      for (lua_Integer i = 1; i <= count; ++i) {
        lua_rawgeti(L, -1, i);
        found.names.emplace_back(lua_tostring(L, -1));
        lua_pop(L, 1);
      }
    }
    lua_settop(L, 0);
    return found;
  }

  Loop& loop_;
  Vm vm_;
  LineEditor editor_;
  std::string pending_;  // the lines of a chunk that is not complete yet
  bool running_ = false;
  bool leaving_ = false;
  bool interrupted_ = false;
  bool hinted_ = false;
  int stops_ = 0;
};

}  // namespace

int run_prompt(Loop& loop, Guard& guard, Settings settings) { return Prompt(loop, guard, std::move(settings)).run(); }

}  // namespace reg::lua
