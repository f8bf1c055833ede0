#pragma once

#include <string>
#include <vector>

#include "engine/guard/patterns.h"

namespace reg {

/// What a program in the sandbox may reach of the user's files: absolute paths of files and of folders with all below.
struct Bounds {
  std::string workspace;
  std::vector<std::string> read;
  std::vector<std::string> write;

  /// What these patterns permit outside the workspace, and is there: of `files`, and repositories to read. Of a folder
  /// that "FOLDER/*" names, programs get all; only what is hidden in the user's home stays out, as it does for scripts,
  /// and `state`, where the user's trust is kept. A link counts where it leads.
  void add(const Patterns& patterns, const std::string& home, const std::string& state);
};

}  // namespace reg
