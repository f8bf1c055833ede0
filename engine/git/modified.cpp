#include <unistd.h>

#include <algorithm>
#include <iterator>

#include "engine/git/handles.h"
#include "engine/git/worktree_files.h"

namespace reg::git {
namespace {

// Only these paths, without a look at what else lies in their folders, such as a build's outputs.
std::vector<std::string> modified_among(git_repository* repository, git_index* index, std::vector<char*>& paths,
                                        bool update) {
  std::vector<std::string> out;
  if (paths.empty()) return out;
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INCLUDE_TYPECHANGE;
  if (update) options.flags |= GIT_DIFF_UPDATE_INDEX;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.pathspec = {paths.data(), paths.size()};
  const auto changes = make<DiffPtr>(std::string("the files of ") + git_repository_workdir(repository),
                                     git_diff_index_to_workdir, repository, index, &options);
  for (std::size_t i = 0; i < git_diff_num_deltas(changes.get()); ++i)
    out.emplace_back(git_diff_get_delta(changes.get(), i)->new_file.path);
  return out;
}

std::vector<std::string> modified_in_submodule(const std::string& path, const std::string& name) {
  if (::access((path + "/.git").c_str(), F_OK) != 0) return {};
  const RepositoryPtr inner = open_repository(path);
  const auto index = make<IndexPtr>(path, git_repository_index, inner.get());
  std::vector<std::string> out = modified_files(inner.get(), index.get(), true, {});
  for (std::string& file : out) file.insert(0, name + "/");
  return out;
}

}  // namespace

std::vector<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                        const std::vector<std::string>& without, bool update) {
  std::vector<char*> paths;
  std::vector<std::string> inner;
  for (std::size_t i = 0; i < git_index_entrycount(index); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index, i);
    if ((entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0) continue;
    if (entry->mode != GIT_FILEMODE_COMMIT) {
      paths.push_back(const_cast<char*>(entry->path));
    } else if (submodules && std::find(without.begin(), without.end(), entry->path) == without.end()) {
      auto found = modified_in_submodule(git_repository_workdir(repository) + std::string(entry->path), entry->path);
      std::move(found.begin(), found.end(), std::back_inserter(inner));
    }
  }
  std::vector<std::string> out = modified_among(repository, index, paths, update);
  std::move(inner.begin(), inner.end(), std::back_inserter(out));
  return out;
}

std::set<std::string> uncommitted_files(const Repo& repo) {
  git_repository* handle = repo.handle();
  if (git_repository_is_bare(handle) != 0) return {};
  const std::string what = "the index of " + repo.path();
  const auto index = make<IndexPtr>(what, git_repository_index, handle);
  const auto head = make<ObjectPtr>(what, git_revparse_single, handle, "HEAD^{tree}");
  git_tree* tree = reinterpret_cast<git_tree*>(head.get());  // which the "^{tree}" above says
  const auto staged = make<DiffPtr>(what, git_diff_tree_to_index, handle, tree, index.get(), nullptr);
  const auto modified = modified_files(handle, index.get(), false, {}, false);
  std::set<std::string> names(modified.begin(), modified.end());
  for (std::size_t i = 0; i < git_diff_num_deltas(staged.get()); ++i)
    names.insert(git_diff_get_delta(staged.get(), i)->new_file.path);
  return names;
}

void move_files(git_repository* repository, git_index* index, const std::set<std::string>& names,
                const std::filesystem::path& into) {
  namespace fs = std::filesystem;
  constexpr std::uintmax_t most = 16 << 20;  // bytes
  for (const std::string& name : names) {
    const auto* entry = git_index_get_bypath(index, name.c_str(), 0);
    if (entry != nullptr && entry->mode == GIT_FILEMODE_COMMIT) continue;
    fs::path at = git_repository_workdir(repository), to = into;
    for (const fs::path& part : fs::path(name))
      if (to /= part, at /= part; fs::is_symlink(at)) break;
    const auto type = fs::symlink_status(at).type();
    if (type == fs::file_type::not_found) continue;
    fs::create_directories(to.parent_path());
    fs::remove_all(to);
    std::error_code elsewhere;  // another file system
    if (type != fs::file_type::regular || fs::file_size(at) <= most) fs::rename(at, to, elsewhere);
    if (elsewhere) fs::copy(at, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::remove_all(at);
  }
}

}  // namespace reg::git
