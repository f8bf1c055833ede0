#include "engine/git/history.h"

#include <set>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/needs.h"

namespace reg::git {
namespace {

using ConflictsPtr = std::unique_ptr<git_index_conflict_iterator, Release<git_index_conflict_iterator_free>>;
using SignaturePtr = std::unique_ptr<git_signature, Release<git_signature_free>>;

std::vector<std::string> conflicts_in(git_index* index, const std::string& what) {
  std::set<std::string> files;
  const auto all = make<ConflictsPtr>(what, git_index_conflict_iterator_new, index);
  const git_index_entry *base = nullptr, *ours = nullptr, *theirs = nullptr;
  int code = 0;
  while ((code = git_index_conflict_next(&base, &ours, &theirs, all.get())) == 0)
    files.insert((ours != nullptr ? ours : theirs != nullptr ? theirs : base)->path);
  if (code != GIT_ITEROVER) check(code, what);
  return {files.begin(), files.end()};
}

CommitPtr look_up(const Repo& repo, const std::string& id, const std::string& what) {
  const git_oid oid = parse_id(id);
  return make<CommitPtr>(what, git_commit_lookup, repo.handle(), &oid);
}

}  // namespace

Replayed replay(const Repo& repo, Guard& guard, Replay how, const std::string& commit, const std::string& onto) {
  const Commit replayed = repo.resolve(commit), version = repo.resolve(onto);
  const bool reverts = how == Replay::revert;
  const std::string what =
      (reverts ? "reverting " : "applying ") + replayed.id + " on " + version.id + " in " + repo.path();
  const auto its = look_up(repo, replayed.id, what), ours = look_up(repo, version.id, what);
  const unsigned mainline = replayed.parents.size() > 1 ? 1 : 0;
  const auto index =
      reverts ? make<IndexPtr>(what, git_revert_commit, repo.handle(), its.get(), ours.get(), mainline, nullptr)
              : make<IndexPtr>(what, git_cherrypick_commit, repo.handle(), its.get(), ours.get(), mainline, nullptr);
  if (auto files = conflicts_in(index.get(), what); !files.empty()) return {version, std::move(files)};
  if (!guard.admit({EffectKind::git, what, needs_to_switch(repo)})) return {version, {}};

  git_oid tree_id{}, id{};
  check(git_index_write_tree_to(&tree_id, index.get(), repo.handle()), what);
  const auto tree = make<TreePtr>(what, git_tree_lookup, repo.handle(), &tree_id);
  const auto by = make<SignaturePtr>(what, git_signature_new, "regengine", "regengine@localhost", version.time, 0);
  const std::string message = (reverts ? "Revert " : "Apply ") + replayed.id + "\n\n" + replayed.subject + "\n";
  const git_commit* parent = ours.get();
  check(git_commit_create(&id, repo.handle(), nullptr, by.get(), by.get(), "UTF-8", message.c_str(), tree.get(), 1,
                          &parent),
        what);
  return {repo.resolve(hex(id)), {}};
}

namespace {

std::vector<UnixTime> instants_of(UnixTime from, UnixTime to, UnixTime every) {
  if (from > to)
    throw Error(ErrorKind::usage, "'from' " + format_time(from) + " is after 'to' " + format_time(to), "swap the two");
  if (every < 1) throw Error(ErrorKind::usage, "'every' must be at least a second");
  if ((to - from) / every > 1'000'000)
    throw Error(ErrorKind::usage, "more than a million steps between 'from' and 'to'", "take a longer 'every'");
  std::vector<UnixTime> out;
  for (UnixTime t = from; t <= to; t += every) out.push_back(t);
  return out;
}

std::vector<std::string> line_of(const TimelineRepo& source, const std::vector<UnixTime>& instants) {
  const std::string branch = source.branch.empty() ? source.repo->default_branch() : source.branch;
  std::vector<std::string> commits;
  try {
    commits = source.repo->first_parent_at(branch, instants);
  } catch (const Error& error) {
    throw Error(error.kind(), source.name + ": " + error.what(), error.hint());
  }
  if (commits.front().empty())
    throw Error(ErrorKind::not_found,
                source.name + ": no commit on '" + branch + "' at or before " + format_time(instants.front()) + " in " +
                    source.repo->path(),
                source.repo->shallow()
                    ? "the clone is shallow: git -C " + shell_words({source.repo->path()}) + " fetch --unshallow"
                    : "begin later: 'from' lies before the branch's first commit");
  return commits;
}

}  // namespace

std::vector<TimelinePoint> timeline(const std::vector<TimelineRepo>& repos, UnixTime from, UnixTime to,
                                    UnixTime every) {
  if (repos.empty()) throw Error(ErrorKind::usage, "a timeline of no repositories");
  const std::vector<UnixTime> instants = instants_of(from, to, every);
  std::vector<std::vector<std::string>> lines;
  for (const TimelineRepo& source : repos) lines.push_back(line_of(source, instants));

  std::vector<TimelinePoint> out;
  for (std::size_t i = 0; i < instants.size(); ++i) {
    TimelinePoint point;
    point.time = instants[i];
    for (std::size_t r = 0; r < repos.size(); ++r)
      if (i > 0 && lines[r][i] != lines[r][i - 1]) point.moved.push_back(repos[r].name);
    if (i > 0 && point.moved.empty()) continue;
    for (std::size_t r = 0; r < repos.size(); ++r) point.commits.push_back(repos[r].repo->resolve(lines[r][i]));
    out.push_back(std::move(point));
  }
  return out;
}

}  // namespace reg::git
