#pragma once

#include <random>
#include <string>
#include <vector>

namespace reg::test {

/// What real git prints, without the last newline, with no configuration but the test's own: `line` is shell text after
/// "git -C <folder>". The test fails when git does.
std::string run_git(const std::string& folder, const std::string& line);
std::vector<std::string> git_lines(const std::string& folder, const std::string& line);

/// `git init` with a name, an address and the branch main.
void init_repo(const std::string& folder);

struct RandomHistory {
  int commits = 60;
  int merge_percent = 15;
  int skew_s = 0;      ///< each commit's time is off by up to this much in either direction
  bool trees = false;  ///< with changing files, folders, links and modes; else all trees are empty
};

/// A random history on branch main of a new repository, by `git fast-import`.
void make_random_history(const std::string& folder, std::mt19937& random, const RandomHistory& shape);

}  // namespace reg::test
