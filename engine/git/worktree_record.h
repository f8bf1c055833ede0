#pragma once

#include <string>

namespace reg::git {

/// What a file in the worktree's git folder says of it. With `to_*` set, a switch to those was under way.
struct Record {
  std::string commit, tree, to_commit, to_tree;
  bool open = false;   ///< a process has it, and resets it when it is done; if none has it, that one was killed
  std::string output;  ///< the folder for what commands change, with their output; "" if none ever ran
};

Record read_record(const std::string& file);
void write_record(const std::string& file, const Record& record);

}  // namespace reg::git
