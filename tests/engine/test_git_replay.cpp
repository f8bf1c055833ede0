#include "engine/base/file.h"
#include "engine/git/history.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;

namespace {

constexpr std::int64_t start = 1'692'882'000;

// A repository of one file with ten lines; each commit replaces one of them.
class Lines {
 public:
  explicit Lines(const std::string& folder) : folder_(folder) {
    init_repo(folder);
    commit();
  }
  std::string replace(std::size_t line, const std::string& text) {
    lines_.at(line) = text;
    return commit();
  }

 private:
  std::string commit() {
    std::string text;
    for (const auto& line : lines_) text += line + "\n";
    return commit_file(folder_, "file", text, start + 60 * ++count_);
  }
  std::string folder_;
  std::vector<std::string> lines_{"0", "1", "2", "3", "4", "5", "6", "7", "8", "9"};
  std::int64_t count_ = 0;
};

Guard open_guard() { return Guard(allow_all()); }

}  // namespace

TEST_CASE("replay: the same question makes the same commit, again after git gc, and no ref") {
  const TempFolder folder;
  Lines lines(folder.path());
  const std::string culprit = lines.replace(5, "five");
  const std::string bad = lines.replace(9, "nine");
  const git::Repo repo(folder.path());
  Guard guard = open_guard();
  const std::string id = git::replay(repo, guard, git::Replay::revert, culprit, bad).commit.id;
  CHECK(git::replay(repo, guard, git::Replay::revert, culprit.substr(0, 10), "HEAD").commit.id == id);
  run_git(folder.path(), "gc -q --prune=now");
  CHECK(git::replay(git::Repo(folder.path()), guard, git::Replay::revert, culprit, bad).commit.id == id);
  CHECK(run_git(folder.path(), "for-each-ref refs/regengine").empty());
}

TEST_CASE("replay: a merge is taken against its first parent, and a dry run makes nothing") {
  const TempFolder folder;
  Lines lines(folder.path());
  const std::string base = run_git(folder.path(), "rev-parse HEAD");
  lines.replace(1, "one");
  run_git(folder.path(), "checkout -q -b side " + base);
  commit_file(folder.path(), "other", "new\n", start + 1000);
  run_git(folder.path(), "checkout -q main");
  run_git(folder.path(), "merge -q --no-ff -m merged side");
  const git::Repo repo(folder.path());
  Guard dry = open_guard();
  dry.start_dry_run();
  const std::string merge = repo.resolve("HEAD").id;
  CHECK(git::replay(repo, dry, git::Replay::revert, merge, merge).commit.id == merge);
  Guard guard = open_guard();
  const auto made = git::replay(repo, guard, git::Replay::revert, merge, merge);
  CHECK(run_git(folder.path(), "ls-tree --name-only " + made.commit.id) == "file");
  CHECK(error_of([&] { git::replay(repo, guard, git::Replay::apply, "nowhere", merge); }).kind() ==
        ErrorKind::not_found);
}
