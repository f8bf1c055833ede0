#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/program/trust.h"
#include "bindings/runtime/vm.h"

namespace reg {

struct CommandLine {
  std::string code;       // -e
  bool has_code = false;  // it may be empty
  std::string stdlib_folder;
  std::string audit_file;
  std::string stubs_folder;
  std::optional<std::string> topic;  // of `help TOPIC`, if it is neither a script nor a subcommand
  PermissionOptions permissions;
  bool dry_run = false;
  bool quiet = false;
  bool version = false;
  std::size_t memory = lua::Settings{}.memory;
  std::int64_t instructions = lua::Settings{}.instructions;
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
bool takes_arguments(std::string_view script);

}  // namespace reg
