#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <thread>

#include "bindings/nouns/bind.h"
#include "bindings/program/program.h"
#include "bindings/runtime/vm.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/box/box.h"
#include "engine/loop/loop.h"
#include "engine/process/command.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

void print_error(const Error& error) {
  terminal::Console& console = terminal::console();
  if (console.lost_reader()) return;
  std::fflush(stdout);
  console.write_err(std::string("regengine: ") + error.what() + "\n");
  if (!error.hint().empty()) console.write_err("  " + error.hint() + "\n");
  if (const auto* script = dynamic_cast<const lua::ScriptError*>(&error); script != nullptr)
    if (!script->traceback().empty()) console.write_err(script->traceback() + "\n");
}

int exit_code(ErrorKind kind) {
  if (kind == ErrorKind::usage || kind == ErrorKind::not_found) return 2;  // a path, revision or image that was named
  return kind == ErrorKind::cancelled ? 128 + SIGINT : 1;
}

// The words of the command that goes on with finished work: the same one would measure afresh with some options, and
// `ab` without one.
std::vector<std::string> continuing(const CommandLine& line) {
  std::vector<std::string> words;
  for (const std::string& word : line.words)
    if (word != "--fresh" && word != "--no-resume") words.push_back(word);
  const bool is_ab = line.script == "ab" || line.script == "ab.lua";
  if (is_ab && std::find(words.begin(), words.end(), "--resume") == words.end()) words.emplace_back("--resume");
  return words;
}

// `regengine recover`: restores what killed engines left changed, and prints it. Returns 1 if something could not be
// restored.
int run_recover(Guard& guard) {
  if (!guard.admit({EffectKind::machine, "recover: restore what killed engines had changed", {}})) return 0;
  const restore::Recovered recovered = restore::recover(state_folder(), change_kinds());
  for (const restore::Entry& entry : recovered.undone)
    terminal::console().write_out(fmt::format("restored      {}\n", change_title(entry)));
  for (const auto& [entry, why] : recovered.failed)
    terminal::console().write_out(fmt::format("not restored  {}: {}\n", change_title(entry), why));
  if (recovered.undone.empty() && recovered.failed.empty()) terminal::console().write_out("nothing to restore\n");
  return recovered.failed.empty() ? 0 : 1;
}

// `regengine --guardian JOURNAL`: the process that an engine starts to have its changes restored, whatever happens.
int run_guardian(const std::string& journal) {
  if (!restore::started_as_guardian(journal)) {
    terminal::console().write_err("regengine: --guardian is for internal use only\n");
    return 2;
  }
  restore::serve(Fd(restore::kGuardianSocket), restore::Journal{Fd(restore::kGuardianJournal), journal},
                 change_kinds());
  return 0;
}

int run_subcommand(const CommandLine& line, Loop& loop, Guard& guard) {
  if (is_boxed()) guard.set_policy(boxed_policy(loop, guard, *permissions_of_command(line.script)));
  if (line.script == kReadSource) return hand_over_source(guard, line.rest.at(0));
  if (line.script == "trust") return run_trust(line.rest);
  if (line.script == "gc") return run_gc(line.rest, loop, guard);
  if (line.script == "doctor" && line.rest.size() == 1)
    return is_boxed() || box::landlock_version() == 0
               ? check_store(line.rest[0])
               : look_in_box(guard, {line.words[0], "doctor", line.rest[0]}, line.rest);
  if (!line.rest.empty())
    throw Error(ErrorKind::usage, line.script + " takes no arguments: '" + line.rest.back() + "'");
  return line.script == "doctor" ? run_doctor(loop) : run_recover(guard);
}

int print_topic(const CommandLine& line, Loop& loop, Guard& guard) {
  lua::Vm vm(loop, guard, line.settings, lua::open_reg);
  lua::load_chunk(vm.state(), "reg.help(...)", "=stdlib/help");  // not a script's: messages name no line
  return run_main(loop, vm, {*line.topic});
}

// The target folder is the workspace of the code that writes the stubs.
int write_stubs(CommandLine& line, Loop& loop, Guard& guard) {
  const std::string folder = std::filesystem::weakly_canonical(std::filesystem::absolute(line.stubs_folder));
  if (guard.admit({EffectKind::files, "create the folder " + folder, {}})) make_folders(folder);
  line.settings.workspace = folder;
  lua::Vm vm(loop, guard, line.settings, lua::open_reg);
  lua::push_program(vm.state(), "stubs");
  return run_main(loop, vm, {line.stubs_folder});
}

int run_program(int argc, char** argv) {
  enter_box_if_told(argc, argv);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // the write that is too much for `ulimit -f` fails, and says so
  // SIGSTOP cannot be caught, and SIGTSTP stops no process whose handler caught it: what can be seen of both is their
  // end.
  std::signal(SIGCONT, [](int) { ++stop_count; });
  show_notices([](const std::string& line) { terminal::console().write_err(line + "\n"); });
  if (argc == 3 && std::string_view(argv[1]) == "--guardian") return run_guardian(argv[2]);
  CommandLine line;
  if (const auto code = parse_command_line(argc, argv, line)) return *code;
  try {
    Loop loop;
    Guard guard(allow_all());
    lua::Settings& settings = line.settings;
    if (settings.dry_run) guard.start_dry_run();
    if (!line.audit_file.empty() && !is_boxed()) guard.audit_to(line.audit_file);
    settings.script = !line.has_code ? line.script : "";
    settings.args = line.rest;
    settings.workspace = std::filesystem::canonical(".");
    if (!line.stubs_folder.empty()) return write_stubs(line, loop, guard);
    if (line.topic) return print_topic(line, loop, guard);
    if (is_subcommand(line)) return run_subcommand(line, loop, guard);
    const bool nothing_named = !line.has_code && line.script.empty();
    if (nothing_named && isatty(STDIN_FILENO) != 0) {
      guard.set_policy(policy_for_typed(line));
      return run_prompt(loop, guard, settings);
    }
    if (nothing_named) line.script = "-";
    return run_script(line, loop, guard);
  } catch (const Error& error) {
    const std::vector<std::string> words = continuing(line);
    const std::string what =
        words == line.words ? "Run the same command to continue:" : "Run this command to continue:";
    // The same command may get further later: the network, the machine, a disk or the test failed.
    const bool may_go_on =
        error.kind() == ErrorKind::network || error.kind() == ErrorKind::paused || error.kind() == ErrorKind::io;
    if (error.kind() == ErrorKind::cancelled)
      print_error(Error(ErrorKind::cancelled, "stopped; finished work is kept. " + what, shell_words(words)));
    else if (may_go_on)
      print_error(Error(error.kind(), error.what(),
                        (!error.hint().empty() ? error.hint() + " " : "") + "Finished work is kept. " + what + " " +
                            shell_words(words)));
    else
      print_error(error);
    return exit_code(error.kind());
  } catch (const std::exception& error) {
    print_error(as_error(error));
    return 1;
  }
}

[[noreturn]] void end_everything() {
  process::kill_everything();
  ::_exit(128 + SIGINT);
}

}  // namespace

std::shared_ptr<std::atomic<int>> stop_on_signals(Loop& loop, std::function<void(int)> stop) {
  auto seen = std::make_shared<std::atomic<int>>(0);
  loop.on_stop_signal(
      [seen, stop = std::move(stop)](int signal) {
        if (*seen > 1) end_everything();
        stop(signal);
      },
      // What runs is known to the loop's thread: it has its chance first.
      [seen](int) {
        ++interrupt_count;
        if (*seen < 0 || ++*seen < 2) return;
        std::thread([] {
          std::this_thread::sleep_for(std::chrono::seconds(1));
          end_everything();
        }).detach();
      });
  return seen;
}

}  // namespace reg

// The exit code: 0 answered, 1 failure, 2 usage error, 3 inconclusive (a script's own `return 3`), 130 stopped by
// Ctrl-C.
int main(int argc, char** argv) { return reg::run_program(argc, argv); }
