#include <csignal>
#include <utility>

#include "bindings/nouns/bind.h"
#include "bindings/program/line_editor.h"
#include "bindings/program/program.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

using namespace lua;

constexpr std::size_t kMemoryForALine = std::size_t{64} << 20;
constexpr const char* kSession = "regengine.prompt";  // registry key of what stdlib/lib/program/prompt.lua returns

std::string history_file() {
  std::string file;
  try_to([&] { file = state_folder() + "/prompt_history"; });
  return file;
}

void print_error(const Error& error) {
  terminal::console().hide();
  if (error.kind() == ErrorKind::cancelled) {
    terminal::console().write_err("stopped\n");
    return;
  }
  terminal::console().write_err(std::string("error: ") + error.what() + "\n");
  if (!error.hint().empty()) terminal::console().write_err("  " + error.hint() + "\n");
}

class Prompt {
 public:
  Prompt(Loop& loop, Guard& guard, Settings settings)
      : loop_(loop),
        vm_(loop, guard, std::move(settings), open_reg),
        editor_({[this](const std::string& before) { return complete(before); },
                 [this] {
                   loop_.poll();
                   const bool interrupted = std::exchange(interrupted_, false);
                   return leaving_      ? LineEditor::Outcome::end
                          : interrupted ? LineEditor::Outcome::cancelled
                                        : LineEditor::Outcome::line;
                 }},
                history_file()),
        signals_(stop_on_signals(loop, [this](int signal) { on_signal(signal); })) {
    *signals_ = -1;  // nothing runs yet
    push_program(vm_.state(), "prompt");
    vm_.run(0);
    lua_setfield(vm_.state(), LUA_REGISTRYINDEX, kSession);
  }

  int run() {
    greet();
    std::string line;
    while (!leaving_) {
      const LineEditor::Outcome outcome = editor_.read(pending_.empty() ? ">" : ">>", line);
      if (outcome == LineEditor::Outcome::line) {
        take(line);
      } else if (outcome == LineEditor::Outcome::cancelled) {
        pending_.clear();
      } else {
        terminal::console().write_out("\n");
        leaving_ = true;
      }
    }
    push_from_session(vm_.state(), "close");
    run_chunk();
    return 0;
  }

 private:
  static void greet() {
    terminal::console().write_out(
        "regengine " + version(), terminal::kGreen,
        " finds the commit that made a program slower.\n"
        "help() lists functions and strategies, .help the commands; Tab completes.\n"
        "Try ab { \"sleep 0.1\", \"sleep 0.2\" } to compare two commands, or Ctrl-D to exit.\n");
  }

  // Ctrl-C stops the chunk; TERM and HUP exit, too. While no chunk runs, SIGINT counts as the key: the terminal sends
  // the signal until the line editor reads.
  void on_signal(int signal) {
    if (signal != SIGINT) leaving_ = true;
    if (running_)
      vm_.tasks().cancel_all();
    else
      interrupted_ = signal == SIGINT;
  }

  void take(const std::string& line) {
    pending_ += pending_.empty() ? line : "\n" + line;
    if (trim(pending_).empty()) return pending_.clear();
    lua_State* L = vm_.state();
    vm_.memory().make_room(kMemoryForALine);
    const std::string text = pending_;
    try {
      // Returns the chunk to run, a string that ends the session, or nothing if the chunk is incomplete.
      push_from_session(L, "read");
      push(L, text);
      vm_.run(1);
    } catch (const Error& error) {
      pending_.clear();
      editor_.remember(text);
      return print_error(error);
    }
    if (!lua_isnoneornil(L, 1)) {
      pending_.clear();
      editor_.remember(text);
      if (lua_isfunction(L, 1))
        run_chunk();
      else
        leaving_ = true;
    }
    lua_settop(L, 0);
  }

  // Runs the function on the stack, which prints its own results.
  void run_chunk() {
    running_ = true;
    interrupted_ = false;
    *signals_ = 0;
    try {
      vm_.run(0);
    } catch (const Error& error) {
      print_error(error);
    } catch (const ScriptExit&) {
      // A script's exit, after --help for instance, ends the chunk, not the prompt.
    }
    terminal::console().hide();
    running_ = false;
    *signals_ = -1;
  }

  static void push_from_session(lua_State* L, const char* function) {
    lua_getfield(L, LUA_REGISTRYINDEX, kSession);
    lua_getfield(L, -1, function);
    lua_remove(L, -2);
  }

  // Called by libedit, which is C: no exception may pass through it.
  LineEditor::Completion complete(const std::string& before) {
    lua_State* L = vm_.state();
    LineEditor::Completion found;
    try {
      push_from_session(L, "complete");
      push(L, pending_.empty() ? before : pending_ + "\n" + before);
      if (vm_.tasks().call_briefly(L, 1, 2) == LUA_OK && lua_isstring(L, -1) != 0) {
        found = {text_at(L, -2), text_at(L, -1)};
        if (printable(found.added) != found.added) found = {};  // it cannot be typed
      }
    } catch (const std::exception&) {
      found = {};
    }
    lua_settop(L, 0);
    return found;
  }

  Loop& loop_;
  Vm vm_;
  LineEditor editor_;
  std::string pending_;  // the lines of an incomplete chunk
  bool running_ = false;
  bool leaving_ = false;
  bool interrupted_ = false;
  std::shared_ptr<std::atomic<int>> signals_;
};

}  // namespace

int run_prompt(Loop& loop, Guard& guard, Settings settings) { return Prompt(loop, guard, std::move(settings)).run(); }

}  // namespace reg
