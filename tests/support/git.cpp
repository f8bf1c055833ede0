#include "tests/support/git.h"

#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <map>
#include <stdexcept>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::test {

std::string run_git(const std::string& folder, const std::string& line) {
  const std::string command =
      "GIT_CONFIG_GLOBAL=/dev/null GIT_CONFIG_NOSYSTEM=1 git -C " + shell_words({folder}) + " " + line + " 2>&1";
  FILE* pipe = popen(command.c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error("popen failed");
  std::string out;
  std::array<char, 65536> buffer{};
  for (std::size_t n = 0; (n = fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) out.append(buffer.data(), n);
  if (pclose(pipe) != 0) throw std::runtime_error("git " + line + " failed in " + folder + ": " + out);
  while (out.ends_with('\n')) out.pop_back();
  return out;
}

std::vector<std::string> git_lines(const std::string& folder, const std::string& line) {
  const std::string out = run_git(folder, line);
  std::vector<std::string> list;
  for (const std::string_view text : lines(out)) list.emplace_back(text);
  return list;
}

void init_repo(const std::string& folder) {
  make_folders(folder);
  run_git(folder, "init -q -b main");
  run_git(folder, "config user.name Ada");
  run_git(folder, "config user.email ada@example.org");
  run_git(folder, "config gc.auto 0");
}

namespace {

// One random change of the tree that `files` tracks, as fast-import lines. Names clash on purpose: "a" is a file at one
// time and a folder at another.
std::string random_change(std::map<std::string, int>& files, std::mt19937& random) {
  static const std::array<const char*, 9> names{"a", "b", "c", "a/x", "a/y", "d/e/f", "d/e", "d/g", "long name"};
  const std::string name = names.at(random() % names.size());
  if (random() % 4 == 0) {
    files.erase(name);
    return "D " + name + "\n";  // of a folder: all of it; of nothing: nothing
  }
  std::string text;
  const unsigned count = random() % 40;
  for (unsigned i = 0; i < count; ++i) text += fmt::format("line {}\n", random() % 50);
  const unsigned kind = random() % 8;
  if (kind == 0) text = "target-" + std::to_string(random() % 5);
  const char* mode = kind == 0 ? "120000" : kind == 1 ? "100755" : "100644";
  return fmt::format("M {} inline {}\ndata {}\n{}\n", mode, name, text.size(), text);
}

}  // namespace

void make_random_history(const std::string& folder, std::mt19937& random, const RandomHistory& shape) {
  init_repo(folder);
  std::string stream;
  std::map<std::string, int> files;
  for (int i = 1; i <= shape.commits; ++i) {
    int time = 1'690'000'000 + i * 1000;
    if (shape.skew_s > 0) time += static_cast<int>(random() % (2U * shape.skew_s)) - shape.skew_s;
    const std::string subject = fmt::format("commit {}", i);
    stream += fmt::format("commit refs/heads/{}\nmark :{}\ncommitter Ada <ada@example.org> {} +0200\ndata {}\n{}\n",
                          i == shape.commits ? "main" : "work", i, time, subject.size(), subject);
    if (i > 1) {
      // Mostly the line goes on; now and then a branch begins at an older commit.
      const int back =
          random() % 5 == 0 ? 1 + static_cast<int>(random() % static_cast<unsigned>(std::min(i - 1, 10))) : 1;
      const int first = i == shape.commits ? i - 1 : i - back;
      stream += fmt::format("from :{}\n", first);
      if (i > 2 && static_cast<int>(random() % 100) < shape.merge_percent) {
        const int other = 1 + static_cast<int>(random() % static_cast<unsigned>(i - 1));
        if (other != first) stream += fmt::format("merge :{}\n", other);
      }
    }
    if (shape.trees)
      for (unsigned n = 1 + random() % 3; n > 0; --n) stream += random_change(files, random);
    stream += "\n";
  }
  write_file(folder + "/.git/stream", stream);
  run_git(folder, "fast-import --quiet --force < " + shell_words({folder + "/.git/stream"}));
}

}  // namespace reg::test
