#pragma once

#include <string>
#include <vector>

namespace reg {

/// Runs this program again with these words of a command line, and waits for it. Meanwhile the terminal is its own, as
/// if a shell had started it: Ctrl-C reaches it alone, and Ctrl-Z stops both. Returns its exit code.
int run_in_foreground(std::vector<std::string> words);

}  // namespace reg
