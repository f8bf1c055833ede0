#include "engine/git/replay.h"

#include <algorithm>
#include <string_view>

#include "engine/git/handles.h"
#include "engine/git/needs.h"

namespace reg::git {
namespace {

using ConflictsPtr = std::unique_ptr<git_index_conflict_iterator, Release<git_index_conflict_iterator_free>>;
const std::string kRefs = "refs/regengine/replayed/";

using SignaturePtr = std::unique_ptr<git_signature, Release<git_signature_free>>;

/// A file that does not merge as it is.
struct Unmerged {
  std::string path;
  std::uint32_t mode = 0;
  std::optional<std::string> text;  ///< merged without its keywords; nullopt for a conflict
};

// "$Id: lvm.c,v 2.291 2017/05/13$" becomes "$Id$". Repositories that came from CVS or RCS have such keywords in many
// files, and every commit changes them.
std::string without_keywords(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t start = text.find('$');
    out += text.substr(0, start);
    if (start == std::string_view::npos) break;
    text.remove_prefix(start);
    const std::size_t colon = text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ", 1);
    const std::size_t end = text.find_first_of("$\n", 1);
    const bool keyword = colon != std::string_view::npos && colon > 1 && text[colon] == ':' &&
                         end != std::string_view::npos && text[end] == '$';
    out += keyword ? text.substr(0, colon) : text.substr(0, 1);
    if (keyword) out += '$';
    text.remove_prefix(keyword ? end + 1 : 1);
  }
  return out;
}

std::string read_blob(git_repository* repository, const git_index_entry& entry, const std::string& what) {
  const auto blob = make<BlobPtr>(what, git_blob_lookup, repository, &entry.id);
  return without_keywords({static_cast<const char*>(git_blob_rawcontent(blob.get())),
                           static_cast<std::size_t>(git_blob_rawsize(blob.get()))});
}

std::optional<std::string> merge_texts(const std::string& base, const std::string& ours, const std::string& theirs,
                                       const std::string& what) {
  const auto input = [](const std::string& text) {
    git_merge_file_input in = GIT_MERGE_FILE_INPUT_INIT;
    in.ptr = text.data();
    in.size = text.size();
    return in;
  };
  const git_merge_file_input b = input(base), o = input(ours), t = input(theirs);
  git_merge_file_result merged{};
  check(git_merge_file(&merged, &b, &o, &t, nullptr), what);
  std::optional<std::string> out;
  if (merged.automergeable != 0) out.emplace(merged.ptr, merged.len);
  git_merge_file_result_free(&merged);
  return out;
}

std::vector<Unmerged> unmerged_of(git_repository* repository, git_index* index, const std::string& what) {
  std::vector<Unmerged> out;
  if (git_index_has_conflicts(index) == 0) return out;
  const auto all = make<ConflictsPtr>(what, git_index_conflict_iterator_new, index);
  const git_index_entry *base = nullptr, *ours = nullptr, *theirs = nullptr;
  int code = 0;
  while ((code = git_index_conflict_next(&base, &ours, &theirs, all.get())) == 0) {
    const git_index_entry* any = ours != nullptr ? ours : theirs != nullptr ? theirs : base;
    out.push_back({any->path, any->mode, std::nullopt});
    if (base != nullptr && ours != nullptr && theirs != nullptr)
      out.back().text = merge_texts(read_blob(repository, *base, what), read_blob(repository, *ours, what),
                                    read_blob(repository, *theirs, what), what);
  }
  if (code != GIT_ITEROVER) check(code, what);
  return out;
}

std::vector<std::string> conflicts_of(const std::vector<Unmerged>& files) {
  std::vector<std::string> out;
  for (const Unmerged& file : files)
    if (!file.text) out.push_back(file.path);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void put(git_repository* repository, git_index* index, const Unmerged& file, const std::string& what) {
  git_index_entry entry{};
  entry.path = file.path.c_str();
  entry.mode = file.mode;
  check(git_blob_create_from_buffer(&entry.id, repository, file.text->data(), file.text->size()), what);
  check(git_index_conflict_remove(index, entry.path), what);
  check(git_index_add(index, &entry), what);
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
  const auto unmerged = unmerged_of(repo.handle(), index.get(), what);
  if (auto files = conflicts_of(unmerged); !files.empty()) return {version, std::move(files)};
  if (!guard.admit({EffectKind::git, what, needs_to_switch(repo)})) return {version, {}};

  for (const Unmerged& file : unmerged) put(repo.handle(), index.get(), file, what);
  git_oid tree_id{}, id{};
  check(git_index_write_tree_to(&tree_id, index.get(), repo.handle()), what);
  const auto tree = make<TreePtr>(what, git_tree_lookup, repo.handle(), &tree_id);
  const auto by = make<SignaturePtr>(what, git_signature_new, "regengine", "regengine@localhost", version.time, 0);
  const std::string message = (reverts ? "Revert " : "Apply ") + replayed.id + "\n\n" + replayed.subject + "\n";
  const git_commit* parent = ours.get();
  check(git_commit_create(&id, repo.handle(), nullptr, by.get(), by.get(), "UTF-8", message.c_str(), tree.get(), 1,
                          &parent),
        what);
  const std::string name = kRefs + hex(id);
  git_reference* made = nullptr;
  check(git_reference_create(&made, repo.handle(), name.c_str(), &id, 1, "regengine"), what);
  const ReferencePtr owner(made);
  return {repo.resolve(hex(id)), {}};
}

std::vector<std::string> replayed_refs(const Repo& repo) {
  const std::string what = "the refs of " + repo.path();
  const auto all =
      make<ReferenceIteratorPtr>(what, git_reference_iterator_glob_new, repo.handle(), (kRefs + "*").c_str());
  std::vector<std::string> names;
  const char* name = nullptr;
  int code = 0;
  while ((code = git_reference_next_name(&name, all.get())) == 0) names.emplace_back(name);
  if (code != GIT_ITEROVER) check(code, what);
  return names;
}

void remove_replayed_refs(const Repo& repo) {
  for (const std::string& name : replayed_refs(repo))
    check(git_reference_remove(repo.handle(), name.c_str()), "removing " + name + " in " + repo.path());
}

}  // namespace reg::git
