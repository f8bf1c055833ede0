#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace reg::test {

struct GitResult {
  int code = 0;
  std::string out;  ///< stdout and stderr
};

/// Real git, with no configuration but the test's own: `line` is shell text after "git -C <folder>".
GitResult try_git(const std::string& folder, const std::string& line);
/// The same; fails the test when git fails. Without the last newline.
std::string run_git(const std::string& folder, const std::string& line);
std::vector<std::string> git_lines(const std::string& folder, const std::string& line);

/// `git init` with a name, an address and the branch main.
void init_repo(const std::string& folder);
/// Writes files, commits them at `time`, and returns the id.
std::string commit_file(const std::string& folder, const std::string& file, const std::string& text, std::int64_t time);

struct RandomHistory {
  int commits = 60;
  int merge_percent = 15;
  std::int64_t start = 1'690'000'000;
  int skew_s = 0;      ///< each commit's time is off by up to this much in either direction
  bool trees = false;  ///< with changing files, folders, links and modes; else all trees are empty
};

/// A random history on branch main of a new repository, by `git fast-import`.
void make_random_history(const std::string& folder, std::mt19937& random, const RandomHistory& shape);

}  // namespace reg::test
