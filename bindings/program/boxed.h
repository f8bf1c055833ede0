#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/program/command_line.h"
#include "engine/box/box.h"
#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"

// A script from elsewhere runs in a second process of this program, which the kernel holds to what is permitted: the
// boxed engine (boxed.cpp). The first one stays outside and is its broker (outside.cpp).

namespace reg::box {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Reach, read, write, devices)
}

namespace reg {

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

/// The first argument of a boxed process. Descriptor 3 leads to its broker.
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
/// commands, and hears all that `guard` decides. Where only the script's head is wanted, the broker hears what it
/// declares, and the first thing it does ends this process.
std::unique_ptr<Policy> boxed_policy(Loop& loop, Guard& guard, Permissions permissions);

}  // namespace reg
