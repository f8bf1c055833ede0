#include "engine/git/modified.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>

#include "engine/git/handles.h"

namespace reg::git {
namespace {

struct Times {
  std::int32_t seconds = 0;
  std::uint32_t nanoseconds = 0;
  bool operator<(const Times& other) const {
    return seconds != other.seconds ? seconds < other.seconds : nanoseconds < other.nanoseconds;
  }
};

Times changed_at(const struct stat& info) {
  return {static_cast<std::int32_t>(info.st_mtim.tv_sec), static_cast<std::uint32_t>(info.st_mtim.tv_nsec)};
}

// `trust_mode`: core.filemode; some file systems call everything executable.
std::uint32_t mode_of(const struct stat& info, std::uint32_t recorded, bool trust_mode) {
  if (S_ISLNK(info.st_mode)) return GIT_FILEMODE_LINK;
  if (!S_ISREG(info.st_mode)) return 0;
  if (!trust_mode) return recorded == GIT_FILEMODE_LINK ? std::uint32_t{GIT_FILEMODE_BLOB} : recorded;
  return (info.st_mode & S_IXUSR) != 0 ? GIT_FILEMODE_BLOB_EXECUTABLE : GIT_FILEMODE_BLOB;
}

class Look {
 public:
  Look(git_repository* repository, git_index* index, bool submodules, const std::vector<std::string>& without)
      : repository_(repository),
        index_(index),
        submodules_(submodules),
        without_(without),
        root_(git_repository_workdir(repository)) {
    struct stat info {};
    if (git_index_path(index) != nullptr && ::stat(git_index_path(index), &info) == 0) index_time_ = changed_at(info);
    const auto config = make<ConfigPtr>(root_, git_repository_config_snapshot, repository);
    int trust = 1;
    if (git_config_get_bool(&trust, config.get(), "core.filemode") == 0) trust_mode_ = trust != 0;
  }

  std::vector<std::string> run() {
    std::vector<git_index_entry> touched;
    for (std::size_t i = 0; i < git_index_entrycount(index_); ++i) {
      const git_index_entry* entry = git_index_get_byindex(index_, i);
      if ((entry->flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0) continue;
      path_ = root_ + entry->path;
      if (GIT_INDEX_ENTRY_STAGE(entry) != 0)
        out_.emplace_back(entry->path);
      else if (entry->mode == GIT_FILEMODE_COMMIT)
        look_into_submodule(entry);
      else
        look_at_file(entry, touched);
    }
    // Held back until here: adding an entry moves the others.
    for (const git_index_entry& entry : touched) check(git_index_add(index_, &entry), root_ + "index");
    return std::move(out_);
  }

 private:
  void look_into_submodule(const git_index_entry* entry) {
    if (!submodules_ || std::find(without_.begin(), without_.end(), entry->path) != without_.end()) return;
    if (::access((path_ + "/.git").c_str(), F_OK) != 0) return;
    const RepositoryPtr inner = open_repository(path_);
    const auto index = make<IndexPtr>(path_, git_repository_index, inner.get());
    for (const std::string& file : modified_files(inner.get(), index.get(), true, {}))
      out_.push_back(std::string(entry->path) + "/" + file);
  }

  void look_at_file(const git_index_entry* entry, std::vector<git_index_entry>& touched) {
    struct stat info {};
    if (::lstat(path_.c_str(), &info) != 0 || mode_of(info, entry->mode, trust_mode_) != entry->mode) {
      out_.emplace_back(entry->path);
      return;
    }
    const Times now = changed_at(info);
    const bool same = entry->mtime.seconds == now.seconds && entry->mtime.nanoseconds == now.nanoseconds &&
                      entry->file_size == static_cast<std::uint32_t>(info.st_size) &&
                      entry->ino == static_cast<std::uint32_t>(info.st_ino);
    // A file changed in the very moment the index was written keeps its time; such ones are read.
    if (same && now < index_time_) return;
    if (!content_matches(entry, info)) {
      out_.emplace_back(entry->path);
      return;
    }
    if (same) return;
    git_index_entry fresh = *entry;
    fresh.mtime = {now.seconds, now.nanoseconds};
    fresh.ctime = {static_cast<std::int32_t>(info.st_ctim.tv_sec), static_cast<std::uint32_t>(info.st_ctim.tv_nsec)};
    fresh.file_size = static_cast<std::uint32_t>(info.st_size);
    fresh.ino = static_cast<std::uint32_t>(info.st_ino);
    fresh.dev = static_cast<std::uint32_t>(info.st_dev);
    touched.push_back(fresh);
  }

  bool content_matches(const git_index_entry* entry, const struct stat& info) {
    git_oid id;
    if (S_ISLNK(info.st_mode)) {
      std::array<char, PATH_MAX> target{};
      const ssize_t length = ::readlink(path_.c_str(), target.data(), target.size());
      if (length < 0) return false;
      check(git_odb_hash(&id, target.data(), static_cast<std::size_t>(length), GIT_OBJECT_BLOB), path_);
    } else {
      check(git_repository_hashfile(&id, repository_, path_.c_str(), GIT_OBJECT_BLOB, entry->path), path_);
    }
    return git_oid_equal(&id, &entry->id) != 0;
  }

  git_repository* repository_;
  git_index* index_;
  bool submodules_;
  const std::vector<std::string>& without_;
  std::string root_;
  std::string path_;
  Times index_time_;
  bool trust_mode_ = true;
  std::vector<std::string> out_;
};

}  // namespace

std::vector<std::string> modified_files(git_repository* repository, git_index* index, bool submodules,
                                        const std::vector<std::string>& without) {
  return Look(repository, index, submodules, without).run();
}

std::set<std::string> uncommitted_files(const Repo& repo) {
  git_repository* handle = repo.handle();
  if (git_repository_is_bare(handle) != 0) return {};
  const std::string what = "the index of " + repo.path();
  const auto index = make<IndexPtr>(what, git_repository_index, handle);
  const auto head = make<ObjectPtr>(what, git_revparse_single, handle, "HEAD^{tree}");
  git_tree* tree = reinterpret_cast<git_tree*>(head.get());  // which the "^{tree}" above says
  const auto staged = make<DiffPtr>(what, git_diff_tree_to_index, handle, tree, index.get(), nullptr);
  const auto modified = modified_files(handle, index.get(), false, {});
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
