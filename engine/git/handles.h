#pragma once

#include <git2.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/base/error.h"

// libgit2's handles as owners that free themselves, and its return codes as Error. For engine/git/*.cpp alone: the
// other headers of this folder forward-declare what they need.

namespace reg::git {

template <auto Free>
struct Release {
  template <class T>
  void operator()(T* handle) const {
    Free(handle);
  }
};

using RepositoryPtr = std::unique_ptr<git_repository, Release<git_repository_free>>;
using ObjectPtr = std::unique_ptr<git_object, Release<git_object_free>>;
using CommitPtr = std::unique_ptr<git_commit, Release<git_commit_free>>;
using TreePtr = std::unique_ptr<git_tree, Release<git_tree_free>>;
using TreeEntryPtr = std::unique_ptr<git_tree_entry, Release<git_tree_entry_free>>;
using BlobPtr = std::unique_ptr<git_blob, Release<git_blob_free>>;
using ReferencePtr = std::unique_ptr<git_reference, Release<git_reference_free>>;
using ReferenceIteratorPtr = std::unique_ptr<git_reference_iterator, Release<git_reference_iterator_free>>;
using RevwalkPtr = std::unique_ptr<git_revwalk, Release<git_revwalk_free>>;
using RemotePtr = std::unique_ptr<git_remote, Release<git_remote_free>>;
using OdbPtr = std::unique_ptr<git_odb, Release<git_odb_free>>;
using DiffPtr = std::unique_ptr<git_diff, Release<git_diff_free>>;
using PatchPtr = std::unique_ptr<git_patch, Release<git_patch_free>>;
using ConfigPtr = std::unique_ptr<git_config, Release<git_config_free>>;
using ConfigIteratorPtr = std::unique_ptr<git_config_iterator, Release<git_config_iterator_free>>;
using IndexPtr = std::unique_ptr<git_index, Release<git_index_free>>;

/// The error that libgit2 left behind with `code`: "<what>: <libgit2's words>".
[[nodiscard]] Error libgit2_error(int code, const std::string& what);

inline void check(int code, const std::string& what) {
  if (code < 0) throw libgit2_error(code, what);
}

/// make<CommitPtr>("what", git_commit_lookup, repo, &id): calls the function with the place for its result first.
template <class Ptr, class Call, class... Args>
Ptr make(const std::string& what, Call call, Args... args) {
  typename Ptr::pointer handle = nullptr;
  check(call(&handle, args...), what);
  return Ptr(handle);
}

/// The same; nullptr where the function fails.
template <class Ptr, class Call, class... Args>
Ptr try_make(Call call, Args... args) {
  typename Ptr::pointer handle = nullptr;
  return Ptr(call(&handle, args...) == 0 ? handle : nullptr);
}

/// Sets up libgit2, once, for as long as the process lives. What opens or makes a repository does so.
void start_library();

/// Opens the repository or worktree whose root is `path`; does not look in the folders above it.
RepositoryPtr open_repository(const std::string& path);

std::string hex(const git_oid& id);
git_oid parse_id(std::string_view hex);

bool has_commit(git_repository* repository, const git_oid& id);
CommitPtr commit_of(git_repository* repository, const std::string& id, const std::string& what);
TreePtr tree_of(git_repository* repository, const std::string& commit, const std::string& what);

/// The text that libgit2 put into a buffer, which is freed; "" for an empty one.
std::string take_text(git_buf& buffer);

template <class Use>  // use(delta)
void each_change(const DiffPtr& diff, Use use) {
  for (std::size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) use(*git_diff_get_delta(diff.get(), i));
}

template <class Use>  // use(entry)
void each_entry(const ConfigPtr& config, Use use) {
  const auto iterator = make<ConfigIteratorPtr>("the configuration", git_config_iterator_new, config.get());
  for (git_config_entry* entry = nullptr; git_config_next(&entry, iterator.get()) == 0;) use(*entry);
}

template <class Use>  // use(entry)
void each_entry(git_index* index, Use use) {
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) use(*git_index_get_byindex(index, i));
}

}  // namespace reg::git
