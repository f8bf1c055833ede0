#include <algorithm>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/git/timeline.h"
#include "tests/support/catch.h"
#include "tests/support/errors.h"
#include "tests/support/git.h"

using namespace reg;
using namespace reg::test;

namespace {

// Each instant's answer is git's own.
void compare_with_git(const std::string& folder, std::mt19937& random, int instants) {
  const git::Repo repo(folder);
  const auto times = git_lines(folder, "log --format=%ct main");
  std::vector<UnixTime> at;
  for (int i = 0; i < instants; ++i) {
    // On a commit's very second, or just beside it: whether the end is included shows here.
    const UnixTime near = std::stoll(times[random() % times.size()]);
    at.push_back(near + static_cast<UnixTime>(random() % 3) - 1);
  }
  at.push_back(std::stoll(times.front()) + 1'000'000);
  std::sort(at.begin(), at.end());
  const auto mine = repo.first_parent_at("main", at);
  for (std::size_t i = 0; i < at.size(); ++i) {
    INFO(format_time(at[i]));
    CHECK(mine[i] == run_git(folder, "rev-list -1 --first-parent --before=" + format_time(at[i]) + " main"));
  }
}

}  // namespace

TEST_CASE("timeline: every instant gets the commit that git rev-list -1 --first-parent --before prints") {
  std::mt19937 random(5);
  for (const int skew : {0, 400, 5000, 40000}) {
    const TempFolder folder;
    make_random_history(folder.path(), random, {.commits = 70, .merge_percent = 25, .skew_s = skew});
    compare_with_git(folder.path(), random, 25);
  }
}

TEST_CASE("timeline: the edge of a shallow clone is an edge, not a failure") {
  const TempFolder folder;
  init_repo(folder / "full");
  for (int i = 0; i < 6; ++i) commit_file(folder / "full", "a", std::to_string(i), 1'690'000'000 + i * 3600);
  run_git(folder.path(), "clone -q --depth 3 file://" + (folder / "full") + " shallow");
  const git::Repo repo(folder / "shallow");
  const auto points = git::timeline({{"x", &repo, "main"}}, 1'690'000'000 + 3 * 3600, 1'690'000'000 + 5 * 3600, 3600);
  CHECK(points.size() == 3);
  const Error early = error_of([&] {
    git::timeline({{"x", &repo, "main"}}, 1'690'000'000, 1'690'000'000 + 5 * 3600, 3600);
  });
  CHECK_THAT(early.hint(), contains("shallow"));
}
