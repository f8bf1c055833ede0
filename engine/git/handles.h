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
using OdbObjectPtr = std::unique_ptr<git_odb_object, Release<git_odb_object_free>>;
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

/// Sets up libgit2, once, for as long as the process lives. What opens or makes a repository does so.
void start_library();

/// Opens the repository or worktree whose root is `path`; does not look in the folders above it.
RepositoryPtr open_repository(const std::string& path);

/// Makes one, bare or with a working tree; throws where there is one already.
RepositoryPtr init_repository(const std::string& path, bool bare);

std::string hex(const git_oid& id);
git_oid parse_id(std::string_view hex);

}  // namespace reg::git
