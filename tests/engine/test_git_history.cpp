#include <set>

#include "engine/git/repo.h"
#include "tests/support/git.h"
#include "tests/support/unit.h"

namespace {

Strings ids(const std::vector<git::Commit>& commits) {
  Strings out;
  for (const auto& commit : commits) out.push_back(commit.id);
  return out;
}

}  // namespace

TEST_CASE("git: between gives the commits git rev-list gives, over random histories with merges") {
  std::mt19937 random(7);
  for (int round = 0; round < 12; ++round) {
    const TempFolder folder;
    // Times off by more than the distance of neighbours: the walk must not trust them.
    make_random_history(folder.path(), random, {.commits = 80, .merge_percent = 30, .skew_s = round % 3 * 2500});
    const git::Repo repo(folder.path());
    const auto all = git_lines(folder.path(), "rev-list main");
    for (int pair = 0; pair < 8; ++pair) {
      const std::string good = all[random() % all.size()];
      const std::string bad = all[random() % all.size()];
      INFO("round " << round << " " << good << ".." << bad);
      CHECK(ids(repo.between(good, bad, true)) ==
            git_lines(folder.path(), "rev-list --reverse --topo-order --first-parent " + good + ".." + bad));
      const auto mine = repo.between(good, bad, false);
      auto wanted = git_lines(folder.path(), "rev-list " + good + ".." + bad);
      auto got = ids(mine);
      std::sort(wanted.begin(), wanted.end());
      std::sort(got.begin(), got.end());
      CHECK(got == wanted);
      std::set<std::string> seen, in(got.begin(), got.end());
      for (const auto& commit : mine) {
        for (const auto& parent : commit.parents) CHECK((!in.contains(parent) || seen.contains(parent)));
        seen.insert(commit.id);
      }
      const auto bases = git_lines(folder.path(), "merge-base --all " + good + " " + bad);
      const auto mine_base = repo.merge_base(good, bad);
      if (bases.size() == 1) CHECK(mine_base->id == bases[0]);
      CHECK(repo.is_ancestor(good, bad) == (bases == Strings{good}));
    }
  }
}

TEST_CASE("git: log has git's order and bounds") {
  std::mt19937 random(11);
  const TempFolder folder;
  make_random_history(folder.path(), random, {.commits = 100, .merge_percent = 30});
  const git::Repo repo(folder.path());
  CHECK(ids(repo.log({.to = "main"})) == git_lines(folder.path(), "rev-list main"));
  CHECK(ids(repo.log({.to = "main", .first_parent = true})) ==
        git_lines(folder.path(), "rev-list --first-parent main"));
  CHECK(ids(repo.log({.to = "main", .limit = 7})) == git_lines(folder.path(), "rev-list -7 main"));
  CHECK(ids(repo.log({.from = "main~5", .to = "main"})) == git_lines(folder.path(), "rev-list main~5..main"));
  const UnixTime since = 1'690'030'000, until = 1'690'060'000;  // commits have exactly these times: both belong
  CHECK(ids(repo.log({.to = "main", .since = since, .until = until})) ==
        git_lines(folder.path(), fmt::format("rev-list --since={} --until={} main", since, until)));
}

TEST_CASE("git: files of a commit are those of git show --numstat") {
  std::mt19937 random(3);
  const TempFolder folder;
  make_random_history(folder.path(), random, {.commits = 60, .merge_percent = 10, .trees = true});
  const git::Repo repo(folder.path());
  for (const auto& id : git_lines(folder.path(), "rev-list main")) {
    Strings mine;
    for (const auto& file : repo.files(id))
      mine.push_back(fmt::format("{}\t{}\t{}", file.insertions, file.deletions, file.path));
    const bool root = repo.resolve(id).parents.empty();
    CHECK(mine == git_lines(folder.path(), (root ? "diff-tree --root --numstat --no-commit-id -r " + id
                                                 : "diff --no-renames --numstat " + id + "^ " + id)));
  }
}

TEST_CASE("timeline: every instant gets the commit that git rev-list -1 --first-parent --before prints") {
  std::mt19937 random(5);
  for (const int skew : {0, 400, 5000, 40000}) {
    const TempFolder folder;
    make_random_history(folder.path(), random, {.commits = 70, .merge_percent = 25, .skew_s = skew});
    const auto times = git_lines(folder.path(), "log --format=%ct main");
    std::vector<UnixTime> at{std::stoll(times.front()) + 1'000'000};
    // On a commit's very second, or just beside it: whether the end is included shows here.
    for (int i = 0; i < 25; ++i)
      at.push_back(std::stoll(times[random() % times.size()]) + static_cast<UnixTime>(random() % 3) - 1);
    std::sort(at.begin(), at.end());
    const auto mine = git::Repo(folder.path()).first_parent_at("main", at);
    for (std::size_t i = 0; i < at.size(); ++i) {
      INFO(format_time(at[i]));
      CHECK(mine[i] == run_git(folder.path(), "rev-list -1 --first-parent --before=" + format_time(at[i]) + " main"));
    }
  }
}
