#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/runtime/vm.h"
#include "engine/box/box.h"
#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"

namespace reg::box {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reach, read, write, devices)
}

namespace reg {

struct CommandLine {
  std::string code;       // -e
  bool has_code = false;  // it may be empty
  std::string audit_file;
  std::string stubs_folder;
  std::optional<std::string> topic;  // of `help TOPIC`, if it is neither a script nor a subcommand
  bool trust = false;
  std::vector<std::string> allow;    // KIND=PATTERN each
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
/// Whether it reads its arguments as `...`.
bool takes_arguments(const std::string& script);

// What the program does. Each returns the exit code.

/// `regengine doctor`: prints a line for each thing the engine can use, and what it is needed for if it is missing.
int run_doctor(Loop& loop);

/// `regengine doctor STORE`: reads all of it. Returns 1 if something is damaged. Throws not_found if there is none.
int check_store(const std::string& path);

/// `regengine gc [--remove]`: lists what regengine made in this folder and nothing needs, and removes it if told so by
/// the option or at the terminal. Returns 1 if something could not be removed.
int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard);

/// `regengine trust [--forget] [PATH...]`: trusts files and folders, forgets them, or lists them.
int run_trust(const std::vector<std::string>& words);

/// The prompt: reads chunks from the terminal, runs each, and shows what it returned, until Ctrl-D. Ctrl-C stops the
/// running chunk; an error ends only its chunk.
int run_prompt(Loop& loop, Guard& guard, lua::Settings settings);

/// Runs a script or the code of -e: in the box, unless it is the user's own or shipped.
int run_script(CommandLine& line, Loop& loop, Guard& guard);
/// Runs the function on the stack as the main task. Returns the exit code, which the function may return.
int run_main(Loop& loop, lua::Vm& vm, const std::vector<std::string>& arguments);

/// SIGINT, SIGTERM and SIGHUP: the first calls `stop(signal)` on the loop's thread, the second ends the engine and all
/// its commands, even where the script is in a C function that nothing can interrupt. Returns how many came: 0 makes
/// the next one the first; while it is negative, none is the second.
std::shared_ptr<std::atomic<int>> stop_on_signals(Loop& loop, std::function<void(int)> stop);

// Permissions (trust.cpp).

/// The permissions of a script that was read from `file`, "" for one without a file; nullptr if it may do everything:
/// trusted files and folders and --trust count as the user's own. Everything else is untrusted: other files, standard
/// input, a block of an issue. Throws usage for an invalid --allow.
std::unique_ptr<Permissions> permissions_for_script(const CommandLine& line, ForeignScript script,
                                                    const std::string& file);

/// The policy for code typed at the prompt or with -e: the user's own, which loads no untrusted file. Throws usage for
/// an invalid --allow.
std::unique_ptr<Policy> policy_for_typed(const CommandLine& line);

/// Asks the question at the controlling terminal, wherever stdin and stdout go, and waits for one key. Returns
/// std::nullopt where it cannot ask: without a terminal, and where the engine runs in its background. Discards what was
/// typed before the question; Ctrl-C means no.
std::optional<Answer> ask_at_terminal(const Question& question);
bool can_ask();

// A script from elsewhere runs in a second process of this program, which the kernel holds to what is permitted: the
// boxed engine (boxed.cpp). The first one stays outside and is its broker (outside.cpp).

/// How the script from elsewhere was started.
struct Invocation {
  const CommandLine& line;
  std::string script = "-";            ///< its file; "-" for standard input, which can be read again
  std::vector<std::string> read = {};  ///< further files and folders that the user named to be read
  bool may_ask = false;
  bool reads_only = true;  ///< it writes nothing but `outputs`, which this process does
  std::vector<std::string> outputs = {};
  std::function<void(std::string_view)> take = {};  ///< gets what the script hands over: it is the output ""
};

/// Reads the script's head in a box, asks the user about what it declares, and runs the script in a second, boxed
/// process, of which this one is the broker; `guard` writes the audit log. Returns its exit code; nullopt where the
/// script is to run in this process. Throws permission if the user answers no.
std::optional<int> run_boxed(Loop& loop, Guard& guard, Permissions& permissions, const Invocation& invocation);

/// Runs a subcommand in the box, where it reads these files, folders and stores, and changes nothing. `take` gets what
/// it hands over. Returns its exit code.
int look_in_box(Guard& guard, const std::vector<std::string>& words, const std::vector<std::string>& read,
                std::function<void(std::string_view)> take = {});

/// The permissions of a subcommand that only reads.
std::unique_ptr<Permissions> permissions_of_command(const std::string& name);

/// The subcommand that reads a script in the box, which only this program runs.
inline constexpr const char* kReadSource = ":source";
int hand_over_source(Guard& guard, const std::string& asked);

/// The values of an option among a script's arguments. `letter`: "-o", which may stand for it; "" for none.
std::vector<std::string> values_of(const std::vector<std::string>& arguments, std::string name,
                                   const std::string& letter);

/// The first argument of a boxed process, and its descriptor that leads to its broker.
inline constexpr const char* kBoxed = "--boxed";
inline constexpr int kBoxedSocket = 3;

/// What the broker tells it first.
struct Setup {
  bool head = false;        ///< it is only to tell what the script's head declares
  bool audited = false;     ///< its effects go to the audit log
  bool reads_only = false;  ///< as in Invocation
  std::vector<std::string> outputs;
  std::uint64_t memory = 0;  ///< the most bytes that it may have; 0: no limit
  box::Reach reach;
  std::string filter;  ///< box::filter_of it
  Decision decision;   ///< the user's
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Setup, head, audited, reads_only, outputs, memory, reach, filter, decision)

/// What the boxed engine may reach: the current folder, what is permitted, and what it needs itself of the machine and
/// of its own files.
box::Reach reach_of_engine(const Patterns& permitted, const Invocation& invocation);

/// If this process was started as a boxed one, takes kBoxed from the arguments and puts the process into the box that
/// its broker told it, for good. Call it first of all: no thread may exist.
void enter_box_if_told(int& argc, char**& argv);

bool is_boxed();
/// Whether it may change nothing but what it hands to its broker.
bool only_reads_here();

/// The policy of the boxed script: decides as the broker does, and asks nobody. From now on the broker runs the
/// commands. Where only the script's head is wanted, it hears what that declares, and the first thing that the script
/// does ends this process.
std::unique_ptr<Policy> boxed_policy(Loop& loop, Guard& guard, Permissions permissions);

}  // namespace reg
