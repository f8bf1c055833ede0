#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

#include "engine/git/repo.h"
#include "engine/git/worktree_files.h"

namespace reg::git {

std::set<std::string> names_in(const DiffPtr& diff) {
  std::set<std::string> names;
  each_change(diff, [&](const git_diff_delta& change) { names.insert(change.new_file.path); });
  return names;
}

std::set<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                     const std::vector<std::string>& without, bool update) {
  const std::string folder = git_repository_workdir(repository), what = "the files of " + folder;
  std::vector<char*> paths;
  std::set<std::string> inner;
  each_entry(index, [&](const git_index_entry& entry) {
    const std::string name = entry.path;
    if ((entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0) return;
    if (entry.mode != GIT_FILEMODE_COMMIT) return paths.push_back(const_cast<char*>(entry.path));
    const bool looks = submodules && std::find(without.begin(), without.end(), name) == without.end();
    if (!looks || ::access((folder + name + "/.git").c_str(), F_OK) != 0) return;
    const RepositoryPtr other = open_repository(folder + name);
    const auto its = make<IndexPtr>(what, git_repository_index, other.get());
    for (const std::string& file : modified_files(other.get(), its.get(), true, {}))
      inner.insert(fmt::format("{}/{}", name, file));
  });
  if (paths.empty()) return inner;
  // Only these paths, without a look at what else lies in their folders, such as a build's outputs.
  git_diff_options options = GIT_DIFF_OPTIONS_INIT;
  options.flags = GIT_DIFF_DISABLE_PATHSPEC_MATCH | GIT_DIFF_INCLUDE_TYPECHANGE;
  if (update) options.flags |= GIT_DIFF_UPDATE_INDEX;
  options.ignore_submodules = GIT_SUBMODULE_IGNORE_ALL;
  options.pathspec = {paths.data(), paths.size()};
  auto names = names_in(make<DiffPtr>(what, git_diff_index_to_workdir, repository, index, &options));
  names.merge(inner);
  return names;
}

std::set<std::string> Repo::uncommitted_files() const {
  if (git_repository_is_bare(handle()) != 0) return {};
  const std::string what = "the index of " + path_;
  const auto index = make<IndexPtr>(what, git_repository_index, handle());
  const auto tree = tree_of(handle(), resolve("HEAD").id, what);
  auto names = names_in(make<DiffPtr>(what, git_diff_tree_to_index, handle(), tree.get(), index.get(), nullptr));
  names.merge(modified_files(handle(), index.get(), false, {}, false));
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
