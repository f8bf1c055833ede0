#include <fmt/format.h>

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

TEST_CASE("timeline: several repositories in step, hours in which none moved left out") {
  const TempFolder folder;
  const UnixTime noon = *parse_time("2023-08-24T12:00:00Z");
  const UnixTime hour = 3600;
  init_repo(folder / "xla");
  init_repo(folder / "jax");
  const std::string x1 = commit_file(folder / "xla", "a", "1", noon - 5 * hour);
  const std::string x2 = commit_file(folder / "xla", "a", "2", noon + 1);         // after the hour struck
  const std::string x3 = commit_file(folder / "xla", "a", "3", noon + 3 * hour);  // on it: included
  const std::string j1 = commit_file(folder / "jax", "a", "1", noon - 10 * hour);
  const std::string j2 = commit_file(folder / "jax", "a", "2", noon + 2 * hour + 1800);
  const git::Repo xla(folder / "xla"), jax(folder / "jax");
  const auto points = git::timeline({{"xla", &xla, "main"}, {"jax", &jax, ""}}, noon, noon + 6 * hour, hour);
  REQUIRE(points.size() == 3);
  CHECK(points[0].time == noon);
  CHECK(points[0].commits[0].id == x1);
  CHECK(points[0].commits[1].id == j1);
  CHECK(points[0].moved.empty());
  CHECK(points[1].time == noon + hour);
  CHECK(points[1].commits[0].id == x2);
  CHECK(points[1].moved == std::vector<std::string>{"xla"});
  CHECK(points[2].time == noon + 3 * hour);
  CHECK(points[2].commits[0].id == x3);
  CHECK(points[2].commits[1].id == j2);
  CHECK(points[2].moved == std::vector<std::string>{"xla", "jax"});
}

TEST_CASE("timeline: each thing that cannot be is one clear error") {
  const TempFolder folder;
  init_repo(folder.path());
  const UnixTime t = 1'690'000'000;
  commit_file(folder.path(), "a", "1", t);
  const git::Repo repo(folder.path());
  const auto with = [&](const std::string& branch, UnixTime from, UnixTime to, UnixTime every = 3600) {
    return error_of([&] { git::timeline({{"xla", &repo, branch}}, from, to, every); });
  };
  const Error branch = with("mian", t, t + 7200);
  CHECK(branch.kind() == ErrorKind::not_found);
  CHECK_THAT(branch.what(), contains("xla: ") && contains("'mian'") && contains("'main'?"));
  const Error backwards = with("main", t + 1, t);
  CHECK(backwards.kind() == ErrorKind::usage);
  CHECK_THAT(backwards.what(), contains(format_time(t + 1)));
  const Error early = with("main", t - 1, t + 7200);
  CHECK(early.kind() == ErrorKind::not_found);
  CHECK_THAT(early.what(), contains("xla: no commit on 'main' at or before " + format_time(t - 1)));
  CHECK(with("main", t, t, 0).kind() == ErrorKind::usage);
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
