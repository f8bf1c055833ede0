#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/runtime/vm.h"
#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"

namespace reg {

struct PermissionOptions {
  bool trust = false;              ///< --trust
  std::vector<std::string> allow;  ///< --allow, KIND=PATTERN each
};

struct CommandLine {
  std::string code;       // -e
  bool has_code = false;  // it may be empty
  std::string audit_file;
  std::string stubs_folder;
  std::optional<std::string> topic;  // of `help TOPIC`, if it is neither a script nor a subcommand
  PermissionOptions permissions;
  lua::Settings settings;            // those that have an option, and the workspace
  std::optional<std::size_t> block;  // of a Markdown file with several
  std::string script;                // a file, the name of a shipped strategy, "-", or a subcommand
  std::vector<std::string> rest;     // the script's arguments
  std::vector<std::string> words;    // all of it
};

/// Parses the command line, or prints help or what is wrong with it: then it returns the exit code.
std::optional<int> parse_command_line(int argc, char** argv, CommandLine& line);

bool is_subcommand(const CommandLine& line);

bool asks_for_help(const std::vector<std::string>& arguments);

/// The lines of a script's head comment.
std::vector<std::string> head_of(std::string_view script);

/// Whether a script reads its arguments as `...`.
bool takes_arguments(const std::string& script);

// What the program does. Each returns the exit code.

/// `regengine doctor`: prints one line for each thing the engine can use: whether this machine has it, and if not, what
/// it is needed for. It changes nothing. The exit code is 0 even if something is missing.
int run_doctor(Loop& loop);

/// `regengine doctor STORE`: reads all of it. Returns 1 if something is damaged. Throws not_found if there is none.
int check_store(const std::string& path);

/// `regengine gc [--remove]`: lists what regengine made in this folder and nothing needs, and removes it if told so by
/// the option or at the terminal. Returns 1 if something could not be removed.
int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard);

/// The prompt: reads chunks from the terminal, runs each, and shows what it returned, until Ctrl-D. Ctrl-C stops the
/// running chunk; an error ends only its chunk.
int run_prompt(Loop& loop, Guard& guard, lua::Settings settings);

/// SIGINT, SIGTERM and SIGHUP: the first calls `stop(signal)` on the loop's thread, the second ends the engine and all
/// its commands, even where the script is in a C function that nothing can interrupt. Returns how many came: 0 makes
/// the next one the first; while it is negative, none is the second.
std::shared_ptr<std::atomic<int>> stop_on_signals(Loop& loop, std::function<void(int)> stop);

/// Runs the function on the stack as the main task. Returns the exit code, which the function may return.
int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments);

struct ScriptText {
  std::string name;  ///< as messages show it
  std::string file;  ///< where it was read from; "" for a script without a file
  std::string text;
  std::vector<std::string> options;  ///< what it is started with
  bool reported = false;             ///< the options were shared with it: they decide as much as the text does
};

/// The permissions of a script; nullptr if it may do everything: trusted files and folders and --trust count as the
/// user's own, and so do shipped scripts as long as they load nothing else. Everything else is untrusted: other files,
/// standard input, a block of an issue. Throws usage for an invalid --allow.
std::unique_ptr<Permissions> permissions_for_script(const ScriptText& script, const PermissionOptions& options);

/// The policy for code typed at the prompt or with -e: the user's own, which loads no untrusted file. Throws usage for
/// an invalid --allow.
std::unique_ptr<Policy> policy_for_typed(const PermissionOptions& options);

/// Asks the question at the controlling terminal, wherever stdin and stdout go, and waits for one key. Returns
/// std::nullopt without a terminal, and where the engine runs in its background. Discards what was typed before the
/// question; Ctrl-C means no.
std::optional<Answer> ask_at_terminal(const Question& question);

/// Whether it could ask now.
bool can_ask();

/// `regengine trust [--forget] [PATH...]`: trusts files and folders, forgets them, or lists them. Returns the exit
/// code.
int run_trust(const std::vector<std::string>& words);

/// Runs a script or the code of -e: in the box, unless it is the user's own or shipped. Returns its exit code.
int run_script(CommandLine& line, Loop& loop, Guard& guard);

}  // namespace reg
