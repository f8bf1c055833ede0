#include <set>

#include "engine/git/handles.h"
#include "engine/git/needs.h"
#include "engine/git/repo.h"
#include "engine/guard/policy.h"

namespace reg::git {
Replayed replay(const Repo& repo, Guard& guard, Replay how, const std::string& commit, const std::string& onto) {
  const Commit replayed = repo.resolve(commit), version = repo.resolve(onto);
  const bool reverts = how == Replay::revert;
  const std::string what =
      (reverts ? "reverting " : "applying ") + replayed.id + " on " + version.id + " in " + repo.path();
  const auto its = commit_of(repo.handle(), replayed.id, what), ours = commit_of(repo.handle(), version.id, what);
  const unsigned mainline = replayed.parents.size() > 1 ? 1 : 0;
  const auto index =
      reverts ? make<IndexPtr>(what, git_revert_commit, repo.handle(), its.get(), ours.get(), mainline, nullptr)
              : make<IndexPtr>(what, git_cherrypick_commit, repo.handle(), its.get(), ours.get(), mainline, nullptr);
  std::set<std::string> conflicts;
  each_entry(index.get(), [&](const git_index_entry& entry) {
    if (git_index_entry_stage(&entry) > 0) conflicts.insert(entry.path);
  });
  if (!conflicts.empty()) return {version, {conflicts.begin(), conflicts.end()}};
  if (!guard.admit({EffectKind::git, what, needs_to_switch(repo)})) return {version, {}};

  git_oid tree_id{}, id{};
  check(git_index_write_tree_to(&tree_id, index.get(), repo.handle()), what);
  const auto tree = make<TreePtr>(what, git_tree_lookup, repo.handle(), &tree_id);
  const auto by = make<std::unique_ptr<git_signature, Release<git_signature_free>>>(
      what, git_signature_new, "regengine", "regengine@localhost", version.time, 0);
  const std::string message = (reverts ? "Revert " : "Apply ") + replayed.id + "\n\n" + replayed.subject + "\n";
  const git_commit* parent = ours.get();
  check(git_commit_create(&id, repo.handle(), nullptr, by.get(), by.get(), "UTF-8", message.c_str(), tree.get(), 1,
                          &parent),
        what);
  return {repo.resolve(hex(id)), {}};
}

}  // namespace reg::git
