#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/guard/permissions.h"
#include "engine/loop/loop.h"

namespace reg {

/// How the script from elsewhere was started.
struct Invocation {
  std::vector<std::string> words;  ///< the whole command line
  std::vector<std::string> typed;  ///< of that, what is behind the script: its options
  std::string script;              ///< its file; "-" for standard input, which can be read again
  std::vector<std::string> read;   ///< further files and folders that the user named to be read
  bool may_ask = true;
  /// The shipped script that declares the same as this one; "" for none.
  std::function<std::string(const Permissions& asked)> like;
  std::string audit_file;   ///< "" for none
  bool reads_only = false;  ///< it writes nothing but `outputs`, which this process does
  std::vector<std::string> outputs;
  std::size_t memory = 0;                      ///< in bytes, what the script may hold; SQLite may hold as much again
  std::function<void(std::string_view)> take;  ///< gets what the script hands over: it is the output ""
};

/// Reads the script's head in a box, asks the user about what it declares, and runs the script in a second, boxed
/// process, of which this one is the broker; `guard` writes the audit log. Returns its exit code; nullopt where the
/// script is to run in this process. Throws permission if the user answers no.
std::optional<int> run_boxed(Loop& loop, Guard& guard, Permissions& permissions, const Invocation& invocation);

/// Makes standard input a file that can be read again.
void keep_standard_input();

}  // namespace reg
