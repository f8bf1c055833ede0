#include "engine/git/made.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"

namespace reg::git {

namespace fs = std::filesystem;

namespace {

// The lock of a file that is there; a Fd that holds nothing if another process has it.
Fd try_lock(const std::string& path) {
  Fd file(::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
  return file && ::flock(file.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(file) : Fd();
}

// Without links: one that came with the workspace leads anywhere.
std::vector<std::string> folders_in(const fs::path& folder) {
  if (real_path(folder) != folder) return {};
  std::vector<std::string> found = entries(folder);
  std::erase_if(found, [](const fs::path& one) { return fs::is_symlink(one) || !fs::is_directory(one); });
  return found;
}

bool is_locked(const std::string& path) { return fs::exists(path) && !try_lock(path); }

void add(const fs::path& path, std::vector<MadeWorktree>& found) {
  const auto link = read_file_if_there(path / ".git");
  const std::string folder = linked_folder(link.value_or(""));
  if (folder.empty()) return;
  const std::string mark = mark_of(path), lock = folder + "/regengine.lock";
  if (read_file_if_there(mark) != link && !fs::exists(lock)) return;
  found.push_back({path, linked_home(folder), !fs::exists(folder), is_locked(mark) || is_locked(lock)});
}

}  // namespace

std::vector<MadeWorktree> made_worktrees(const std::string& workspace) {
  std::vector<MadeWorktree> found;
  for (const fs::path one : folders_in(workspace + "/.regengine/worktrees")) {
    if (fs::exists(one / ".git"))
      add(one, found);
    else  // those of a set of repositories
      for (const fs::path inner : folders_in(one)) add(inner, found);
  }
  return found;
}

Op<Nothing> remove_made_worktree(Loop& loop, Guard& guard, MadeWorktree tree) {
  if (tree.stale) {
    const std::string mark = mark_of(tree.path);
    const Fd lock = try_lock(mark);
    if (!lock) throw Error(ErrorKind::conflict, "the worktree '" + tree.path + "' is in use by another script");
    fs::remove_all(tree.path);
    ::unlink(mark.c_str());
  } else {
    const auto opened = Worktree::open(loop, guard, std::make_shared<Repo>(tree.home), tree.path);
    const auto worktree = co_await opened;
    const auto removed = worktree->remove();
    co_await removed;
  }
  const fs::path above = fs::path(tree.path).parent_path();
  std::error_code not_empty;
  if (above.filename() != "worktrees") fs::remove(above, not_empty);
}

using StatusPtr = std::unique_ptr<git_status_list, Release<git_status_list_free>>;

static bool is_made(const std::string& path) {
  try {
    std::string address = origin_of_private_clone(path);
    if (address.empty()) address = Repo(path).url_of("origin").value_or("");
    return !address.empty() && path.ends_with("-" + digits_of(address));
  } catch (const Error&) {
    return false;
  }
}

static std::size_t count_worktrees(git_repository* repository, const std::string& what) {
  git_strarray names{};
  check(git_worktree_list(&names, repository), what);
  const std::size_t count = names.count;
  git_strarray_dispose(&names);
  return count;
}

static bool has_own_files(git_repository* repository, const std::string& what) {
  git_status_options options = GIT_STATUS_OPTIONS_INIT;
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
  const auto list = make<StatusPtr>(what, git_status_list_new, repository, &options);
  return git_status_list_entrycount(list.get()) > 0;
}

static bool has_own_commits(git_repository* repository, const std::string& what) {
  const auto walk = make<RevwalkPtr>(what, git_revwalk_new, repository);
  for (const char* own : {"heads/*", "stash"}) check(git_revwalk_push_glob(walk.get(), own), what);
  check(git_revwalk_push_head(walk.get()), what);
  for (const char* fetched : {"remotes/*", "tags/*"}) check(git_revwalk_hide_glob(walk.get(), fetched), what);
  git_oid id;
  const int code = git_revwalk_next(&id, walk.get());
  if (code != GIT_ITEROVER) check(code, what);
  return code == 0;
}

std::vector<std::string> made_clones(const std::string& workspace) {
  std::vector<std::string> found;
  for (const fs::path one : folders_in(workspace + "/.regengine/repos"))
    if (is_made(one)) found.push_back(one);
  return found;
}

void remove_made_clone(const std::string& path) {
  const std::string what = "looking at the clone " + path;
  const auto repository = open_repository(path);
  const auto refuse = [&](const std::string& why, const std::string& hint) {
    throw Error(ErrorKind::conflict, "the clone '" + path + "' " + why, hint);
  };
  if (count_worktrees(repository.get(), what) > 0) refuse("has a worktree", "Remove it: git worktree list");
  // What a private one holds is at its origin, or can be fetched again.
  const bool precious = origin_of_private_clone(path).empty();
  if (precious && has_own_files(repository.get(), what)) refuse("has changed or new files", "Look at them: git status");
  if (precious && has_own_commits(repository.get(), what))
    refuse("has commits of its own", "Push them, or remove their branches.");
  fs::remove_all(path);
}

static bool is_there(const fs::path& path) { return fs::symlink_status(path).type() != fs::file_type::not_found; }

// Nothing, an empty folder, or one whose making was killed before the link had its text.
static bool is_free(const fs::path& path) {
  if (!is_there(path)) return true;
  if (!fs::is_directory(path)) return false;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename() != ".git" || !entry.is_regular_file() || entry.file_size() > 0) return false;
  return true;
}

// What git still remembers of a worktree whose folder was deleted by hand.
static void forget_worktree(const fs::path& registered, const fs::path& link) {
  if (!fs::is_directory(registered)) return;
  for (const auto& entry : fs::directory_iterator(registered)) {
    const auto where = read_file_if_there(entry.path() / "gitdir");
    if (where && trim(*where) == link.string() && !is_there(entry.path() / "locked")) fs::remove_all(entry.path());
  }
}

constexpr std::string_view folder_of_worktrees = "/.regengine/worktrees/";
constexpr std::string_view link_start = "gitdir: ";

std::string name_for(const std::string& path) {
  std::string name = fs::path(path).filename();
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_') c = '-';
  return name;
}

std::string identity_of(const Repo& repo) { return sha256(repo.common_folder()).substr(0, 8); }

std::string default_place(const Repo& repo) {
  fs::path home = repo.home();
  if (home.extension() == ".git") home = home.stem();  // a bare clone
  return std::string(folder_of_worktrees.substr(1)) + name_for(home) + "-" + identity_of(repo);
}

std::string mark_of(const std::string& path) {
  const auto found = path.find(folder_of_worktrees);
  if (found == std::string::npos) return "";
  // Below FOLDER/NAME it is inside another worktree, whose files are not ours.
  const std::string_view below = std::string_view(path).substr(found + folder_of_worktrees.size());
  return std::count(below.begin(), below.end(), '/') > 1 ? "" : path + ".link";
}

std::string linked_folder(const std::string& link_text) {
  return link_text.starts_with(link_start) ? std::string(trim(link_text.substr(link_start.size()))) : "";
}

std::string linked_home(const std::string& folder) {
  const fs::path common = fs::path(folder).parent_path().parent_path();  // COMMON/worktrees/NAME
  return common.filename() == ".git" ? common.parent_path() : common;
}

Place look_at_place(const Repo& repo, const std::string& path) {
  if (is_free(path)) return Place::free;
  const auto link = read_file_if_there(fs::path(path) / ".git");
  if (!link && !is_there(fs::path(path) / ".git"))
    throw Error(ErrorKind::conflict, "'" + path + "' already exists and is not a worktree", "Choose another path.");
  const std::string folder = linked_folder(link.value_or(""));
  if (!folder.empty() && !is_there(folder)) {
    const std::string mark = mark_of(path);
    if (!mark.empty() && read_file_if_there(mark) == link) return Place::stale;
    throw Error(ErrorKind::conflict,
                "'" + path + "' is a worktree that its repository no longer knows: " + linked_home(folder),
                "remove the folder, or choose another path");
  }
  const Repo found(path);
  if (git_repository_is_worktree(found.handle()) != 1)
    throw Error(ErrorKind::conflict, "'" + path + "' is a repository of its own, not a worktree of " + repo.path(),
                "choose another path: regengine switches only trees made for it");
  if (found.common_folder() != repo.common_folder())
    throw Error(ErrorKind::conflict, "'" + path + "' is a worktree of another repository, not of " + repo.path(),
                "Choose another path.");
  return Place::taken;
}

void make_worktree(const Repo& repo, const std::string& path, const std::string& commit) {
  const fs::path common = repo.common_folder();
  const fs::path registered = common / "worktrees";
  const fs::path link = fs::path(path) / ".git";
  make_folders(path);
  forget_worktree(registered, link);

  const fs::path unfinished = common / ("regengine-" + random_id());
  make_folders(unfinished);
  write_file(unfinished / "gitdir", link.string() + "\n");
  write_file(unfinished / "commondir", "../..\n");
  write_file(unfinished / "HEAD", commit + "\n");
  make_folders(registered);
  fs::path home = registered / name_for(path);
  std::error_code error;
  for (int i = 1; fs::rename(unfinished, home, error), error; ++i) {
    if (!is_there(home)) throw system_error("making " + home.string(), error.value());
    home = registered / (name_for(path) + std::to_string(i));
  }
  const std::string text = std::string(link_start) + home.string() + "\n", mark = mark_of(path);
  if (!mark.empty()) write_file(mark, text);
  const Fd file = open_file(link, O_WRONLY | O_CREAT | O_TRUNC);
  write_all(file.get(), text, link);
}

void remove_worktree(const std::string& path, const std::string& git_folder) {
  if (is_there(fs::path(git_folder) / "locked"))
    throw Error(ErrorKind::conflict, "the worktree '" + path + "' is locked", "Unlock it: git worktree unlock PATH");
  std::error_code error;
  fs::remove_all(path, error);
  if (!error) fs::remove_all(git_folder, error);
  if (error) throw system_error("removing the worktree " + path, error.value());
}

}  // namespace reg::git
