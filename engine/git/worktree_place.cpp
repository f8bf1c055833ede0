#include "engine/git/worktree_place.h"

#include <fcntl.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <map>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"

namespace reg::git {

namespace fs = std::filesystem;

namespace {

bool is_there(const fs::path& path) { return fs::symlink_status(path).type() != fs::file_type::not_found; }

fs::path common_folder(git_repository* repository) {
  const fs::path common = fs::weakly_canonical(git_repository_commondir(repository));
  return common.has_filename() ? common : common.parent_path();  // "repo/.git/"
}

// Nothing, an empty folder, or one whose making was killed before the link had its text.
bool is_free(const fs::path& path) {
  if (!is_there(path)) return true;
  if (!fs::is_directory(path)) return false;
  for (const auto& entry : fs::directory_iterator(path))
    if (entry.path().filename() != ".git" || !entry.is_regular_file() || entry.file_size() > 0) return false;
  return true;
}

// What git still remembers of a worktree whose folder was deleted by hand.
void forget_worktree(const fs::path& registered, const fs::path& link) {
  if (!fs::is_directory(registered)) return;
  for (const auto& entry : fs::directory_iterator(registered)) {
    const auto where = read_file_if_there(entry.path() / "gitdir");
    if (where && trim(*where) == link.string() && !is_there(entry.path() / "locked")) fs::remove_all(entry.path());
  }
}

constexpr std::string_view folder_of_worktrees = "/.regengine/worktrees/";
constexpr std::string_view link_start = "gitdir: ";

}  // namespace

std::string name_for(const std::string& path) {
  std::string name = fs::path(path).filename();
  for (char& c : name)
    if (!isalnum(static_cast<unsigned char>(c)) && c != '_') c = '-';
  return name;
}

std::string identity_of(const Repo& repo) { return sha256(common_folder(repo.handle()).string()).substr(0, 8); }

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

std::string linked_home(const std::string& link_text) {
  const fs::path common = fs::path(linked_folder(link_text)).parent_path().parent_path();  // COMMON/worktrees/NAME
  return common.filename() == ".git" ? common.parent_path() : common;
}

Place look_at_place(const Repo& repo, const std::string& path) {
  if (is_free(path)) return Place::free;
  const auto link = read_file_if_there(fs::path(path) / ".git");
  if (!link && !is_there(fs::path(path) / ".git"))
    throw Error(ErrorKind::conflict, "'" + path + "' already exists and is not a worktree", "Choose another path.");
  if (link && !linked_folder(*link).empty() && !is_there(linked_folder(*link))) {
    const std::string mark = mark_of(path);
    if (!mark.empty() && read_file_if_there(mark) == link) return Place::stale;
    throw Error(ErrorKind::conflict,
                "'" + path + "' is a worktree that its repository no longer knows: " + linked_home(*link),
                "remove the folder, or choose another path");
  }
  const RepositoryPtr found = open_repository(path);
  if (git_repository_is_worktree(found.get()) != 1)
    throw Error(ErrorKind::conflict, "'" + path + "' is a repository of its own, not a worktree of " + repo.path(),
                "choose another path: regengine switches only trees made for it");
  if (common_folder(found.get()) != common_folder(repo.handle()))
    throw Error(ErrorKind::conflict, "'" + path + "' is a worktree of another repository, not of " + repo.path(),
                "Choose another path.");
  return Place::taken;
}

void make_worktree(const Repo& repo, const std::string& path, const std::string& commit) {
  const fs::path common = common_folder(repo.handle());
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

Record read_record(const std::string& file) {
  std::map<std::string, std::string> fields;
  const std::string text = read_file_if_there(file).value_or("");
  for (const std::string_view line : lines(text)) {
    const std::size_t blank = line.find(' ');
    if (blank != std::string_view::npos) fields.emplace(line.substr(0, blank), line.substr(blank + 1));
  }
  return {fields["commit"],  fields["tree"],          fields["to_commit"],
          fields["to_tree"], fields.contains("open"), fields["output"]};
}

void write_record(const std::string& file, const Record& record) {
  std::string text = "commit " + record.commit + "\ntree " + record.tree + "\n";
  if (!record.to_tree.empty()) text += "to_commit " + record.to_commit + "\nto_tree " + record.to_tree + "\n";
  if (record.open) text += "open yes\n";
  if (!record.output.empty()) text += "output " + record.output + "\n";
  // Not by write_file: against a kill the rename alone is enough, and its fsync would take longer than the switch.
  const std::string beside = file + ".new";
  write_all(open_file(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW).get(), text, beside);
  if (::rename(beside.c_str(), file.c_str()) != 0) throw system_error(file, errno);
}

}  // namespace reg::git
