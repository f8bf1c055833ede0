#include "engine/git/worktree_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>

#include "engine/base/file.h"
#include "engine/base/text.h"

namespace reg::git {
namespace {

namespace fs = std::filesystem;

// Locks of a git that was killed; called only where the record says that it was ours.
void remove_locks(const std::string& git_folder) {
  for (const char* name : {"index.lock", "HEAD.lock"}) ::unlink((git_folder + name).c_str());
  std::error_code error;
  for (fs::recursive_directory_iterator it(git_folder + "modules", error), end; !error && it != end;
       it.increment(error))
    if (it->path().filename() == "index.lock" || it->path().filename() == "HEAD.lock") ::unlink(it->path().c_str());
}

std::string some_of(const std::set<std::string>& files) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> first(files.begin(), files.end());
  if (first.size() > shown) first.resize(shown);
  return printable(join(first, ", ") +
                   (files.size() > shown ? " and " + std::to_string(files.size() - shown) + " more" : ""));
}

int note_conflict(git_checkout_notify_t, const char* path, const git_diff_file*, const git_diff_file*,
                  const git_diff_file*, void* names) {
  static_cast<std::set<std::string>*>(names)->emplace(path);
  return 0;
}

}  // namespace

WorktreeFiles::WorktreeFiles(const std::string& path)
    : path_(path),
      repository_(open_repository(path)),
      index_(make<IndexPtr>("the index of " + path, git_repository_index, repository_.get())),
      git_folder_(git_repository_path(repository_.get())),
      record_file_(git_folder_ + "regengine") {}

std::string WorktreeFiles::head() const {
  git_oid id;
  check(git_reference_name_to_id(&id, repository_.get(), "HEAD"), "the HEAD of " + path_);
  return hex(id);
}

void WorktreeFiles::set_head(const std::string& commit) const {
  const git_oid id = parse_id(commit);
  check(git_repository_set_head_detached(repository_.get(), &id), "the HEAD of " + path_);
}

std::string WorktreeFiles::tree_of(const std::string& commit) const {
  return hex(*git_commit_tree_id(commit_of(repository_.get(), commit, "the commit " + commit).get()));
}

TreePtr WorktreeFiles::tree(const std::string& id) const {
  if (id.empty()) return nullptr;
  const git_oid oid = parse_id(id);
  return make<TreePtr>("the tree " + id + " for " + path_, git_tree_lookup, repository_.get(), &oid);
}

DiffPtr WorktreeFiles::diff(const std::string& from, const std::string& to) const {
  return make<DiffPtr>("comparing commits for " + path_, git_diff_tree_to_tree, repository_.get(), tree(from).get(),
                       tree(to).get(), nullptr);
}

void WorktreeFiles::read_record() {
  record_ = {};
  const std::string text = read_file_if_there(record_file_).value_or("");
  for (const std::string_view line : lines(text)) {
    const std::string_view name = line.substr(0, line.find(' '));
    const std::string value(line.substr(std::min(name.size() + 1, line.size())));
    for (const auto& [field, member] : {std::pair{"commit", &record_.commit},
                                        {"tree", &record_.tree},
                                        {"to_commit", &record_.to_commit},
                                        {"to_tree", &record_.to_tree},
                                        {"output", &record_.output}})
      if (name == field) *member = value;
    record_.open |= name == "open";
  }
}

void WorktreeFiles::write_record() const {
  const Record& r = record_;
  std::string text = "commit " + r.commit + "\ntree " + r.tree + "\n";
  if (!r.to_tree.empty()) text += "to_commit " + r.to_commit + "\nto_tree " + r.to_tree + "\n";
  if (r.open) text += "open yes\n";
  if (!r.output.empty()) text += "output " + r.output + "\n";
  // Not by write_file: against a kill the rename alone is enough, and its fsync would take longer than the switch.
  const std::string beside = record_file_ + ".new";
  write_all(open_file(beside, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW).get(), text, beside);
  if (::rename(beside.c_str(), record_file_.c_str()) != 0) throw system_error(record_file_, errno);
}

std::string WorktreeFiles::with_texts(const std::string& id, const std::map<std::string, std::string>& texts) const {
  const TreePtr before = tree(id);
  std::vector<git_tree_update> updates;
  for (const auto& [name, text] : texts) {
    const auto entry = try_make<TreeEntryPtr>(git_tree_entry_bypath, before.get(), name.c_str());
    if (!entry || git_tree_entry_type(entry.get()) != GIT_OBJECT_BLOB)
      throw Error(ErrorKind::not_found, "no file '" + name + "' in the commit to check out in '" + path_ + "'");
    git_tree_update update{GIT_TREE_UPDATE_UPSERT, {}, git_tree_entry_filemode(entry.get()), name.c_str()};
    check(git_blob_create_from_buffer(&update.id, repository_.get(), text.data(), text.size()), "'" + name + "'");
    updates.push_back(update);
  }
  git_oid made;
  check(git_tree_create_updated(&made, repository_.get(), before.get(), updates.size(), updates.data()),
        "other texts for " + path_);
  return hex(made);
}

// Writes these files, in which the trees differ, and the index. With `force` whatever is at those paths gives way.
void WorktreeFiles::write_files(const std::string& from, const std::string& to, const std::set<std::string>& names,
                                bool force) {
  if (names.empty()) return;
  std::vector<char*> paths;
  for (const std::string& name : names) paths.push_back(const_cast<char*>(name.c_str()));

  std::set<std::string> in_the_way;
  git_checkout_options options = GIT_CHECKOUT_OPTIONS_INIT;
  // Without the list of paths libgit2 would walk the whole folder, build outputs included.
  options.checkout_strategy =
      (force ? GIT_CHECKOUT_FORCE : GIT_CHECKOUT_SAFE) | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH | GIT_CHECKOUT_NO_REFRESH;
  options.paths = {paths.data(), paths.size()};
  options.notify_flags = GIT_CHECKOUT_NOTIFY_CONFLICT;
  options.notify_cb = note_conflict;
  options.notify_payload = &in_the_way;
  const TreePtr before = tree(from), after = tree(to);
  IndexPtr nothing;
  if (before) {
    options.baseline = before.get();
  } else {
    nothing = make<IndexPtr>("an empty index", git_index_new);
    options.baseline_index = nothing.get();
  }
  git_attr_cache_flush(repository_.get());
  const int code = git_checkout_tree(repository_.get(), reinterpret_cast<const git_object*>(after.get()), &options);
  if (code == GIT_ECONFLICT && !record_.output.empty()) {  // a build made what the next commit has as tracked files
    set_aside(in_the_way);
    return write_files(from, to, names, true);
  }
  if (code == GIT_ECONFLICT)
    throw Error(ErrorKind::conflict, "files in '" + path_ + "' would be overwritten: " + some_of(in_the_way),
                "git does not know them; move them away");
  check(code, "switching '" + path_ + "'");
}

// Whether the file is what it was before the change or what it is after it, or is not there.
bool WorktreeFiles::is_side(const git_diff_delta& change) const {
  const std::string file = std::string(git_repository_workdir(repository_.get())) + change.new_file.path;
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return true;
  git_oid id;
  if (S_ISLNK(info.st_mode)) {
    const std::string content = fs::read_symlink(file).string();
    check(git_odb_hash(&id, content.data(), content.size(), GIT_OBJECT_BLOB), file);
  } else {
    check(git_repository_hashfile(&id, repository_.get(), file.c_str(), GIT_OBJECT_BLOB, change.new_file.path), file);
  }
  return git_oid_equal(&id, &change.old_file.id) != 0 || git_oid_equal(&id, &change.new_file.id) != 0;
}

void WorktreeFiles::finish_killed_switch() {
  remove_locks(git_folder_);
  check(git_index_read(index_.get(), 1), "the index of " + path_);
  // A file that became a link comes as two changes. A file that is neither is half written, or was edited since.
  const DiffPtr changes = diff(record_.tree, record_.to_tree);
  const std::set<std::string> all = names_in(changes);
  std::set<std::string> unknown = all;
  each_change(changes, [&](const git_diff_delta& change) {
    if (is_side(change)) unknown.erase(change.new_file.path);
  });
  set_aside(unknown);
  write_files(record_.tree, record_.to_tree, all, true);
  set_head(record_.to_commit);
  arrive();
  write_record();
}

void WorktreeFiles::arrive() {
  record_.commit = std::exchange(record_.to_commit, "");
  record_.tree = std::exchange(record_.to_tree, "");
}

// The index as trees, made anew: its own memory of trees may name some that are gone. Files' contents are not looked
// for.
std::string WorktreeFiles::tree_of_index() const {
  const std::string what = "the index of " + path_;
  const auto entries = make<IndexPtr>(what, git_index_new);
  each_entry(index_.get(), [&](const git_index_entry& entry) { check(git_index_add(entries.get(), &entry), what); });
  git_oid id;
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
  const int code = git_index_write_tree_to(&id, entries.get(), repository_.get());
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 1);
  check(code, what);
  return hex(id);
}

// What the files should be: as recorded, unless somebody has checked out something else by hand since.
void WorktreeFiles::take_stock() {
  check(git_index_read(index_.get(), 0), "the index of " + path_);
  const std::string now = head();
  if (record_.commit == now && !record_.tree.empty() && !has_commit(repository_.get(), parse_id(now))) {
    record_.tree = tree_of_index();  // git gc took it
    return;
  }
  const std::string head_tree = tree_of(now);
  if (record_.commit != now) {
    const bool fresh = record_.commit.empty() && ::access((git_folder_ + "index").c_str(), F_OK) != 0;
    record_.commit = now;
    record_.tree = fresh ? "" : head_tree;
  }
  if (record_.tree.empty() || record_.tree == head_tree) return;
  const git_oid recorded = parse_id(record_.tree);
  if (try_make<TreePtr>(git_tree_lookup, repository_.get(), &recorded)) return;
  // Nothing refers to a patched tree, so `git gc` may have dropped it. The index still has its files.
  git_oid written;
  check(git_index_write_tree(&written, index_.get()), "the index of " + path_);
  if (git_oid_equal(&written, &recorded) == 0) record_.tree = head_tree;
}

std::set<std::string> WorktreeFiles::staged() const {
  return names_in(make<DiffPtr>("the index of " + path_, git_diff_tree_to_index, repository_.get(),
                                tree(record_.tree).get(), index_.get(), nullptr));
}

std::set<std::string> WorktreeFiles::changed_files(bool submodules, const std::vector<std::string>& without) {
  std::set<std::string> names = staged();
  names.merge(modified_files(repository_.get(), index_.get(), submodules, without));
  return names;
}

// In the folder "changed" in the output of the trial, or else in the git folder, in place of what is there. Of a folder
// that became a link it is the link: what that leads to stays. Submodules stay; files of more than 16 MiB are removed.
void WorktreeFiles::set_aside(const std::set<std::string>& names) {
  if (names.empty()) return;
  constexpr std::uintmax_t most = 16 << 20;  // bytes
  std::error_code gone;
  const fs::path kept = fs::path(fs::is_directory(record_.output, gone) ? record_.output : git_folder_) / "changed";
  for (const std::string& name : names) {
    const auto* entry = git_index_get_bypath(index_.get(), name.c_str(), 0);
    if (entry != nullptr && entry->mode == GIT_FILEMODE_COMMIT) continue;
    fs::path at = git_repository_workdir(repository_.get()), to = kept;
    for (const fs::path& part : fs::path(name))
      if (to /= part, at /= part; fs::is_symlink(at)) break;
    const auto type = fs::symlink_status(at).type();
    if (type == fs::file_type::not_found) continue;
    fs::create_directories(to.parent_path());
    fs::remove_all(to);
    std::error_code across;  // to another file system
    if (type != fs::file_type::regular || fs::file_size(at) <= most) fs::rename(at, to, across);
    if (across) fs::copy(at, to, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
    fs::remove_all(at);
  }
  said_ = some_of(names) + " in '" + path_ + "'; kept in " + kept.string();
}

bool WorktreeFiles::prepare(bool submodules, const std::vector<std::string>& without, bool ran) {
  read_record();
  const bool switching = !record_.to_tree.empty(), ours = ran || (!opened_ && record_.open);
  if (switching)
    finish_killed_switch();
  else if (ours)
    remove_locks(git_folder_);
  else if (::access((git_folder_ + "index.lock").c_str(), F_OK) == 0)
    throw Error(ErrorKind::conflict, "another git works in '" + path_ + "': there is " + git_folder_ + "index.lock",
                "wait for it; if no git runs there, remove that file");
  if (ours && record_.output.empty()) record_.output = git_folder_;
  take_stock();
  const std::set<std::string> changed = changed_files(submodules && !switching, without);
  if (!changed.empty() && !ours)
    throw Error(ErrorKind::conflict, "uncommitted changes in '" + path_ + "': " + some_of(changed),
                "commit or stash them there; regengine resets only what its own builds and tests change");
  set_aside(changed);
  if (!staged().empty()) {
    check(git_index_read_tree(index_.get(), tree(record_.tree).get()), "the index of " + path_);
    check(git_index_write(index_.get()), "the index of " + path_);
  }
  write_files(record_.tree, record_.tree, changed_files(false, {}), true);
  return switching || ours || !record_.output.empty();
}

void WorktreeFiles::use_output(const std::string& folder, bool from_now) {
  output_ = folder;
  if (!opened_ || !from_now) return;
  record_.output = folder;
  write_record();
}

void WorktreeFiles::close(bool submodules, const std::vector<std::string>& without, bool ran) {
  if (!opened_ || !record_.to_tree.empty()) return;
  if (ran) prepare(false, {}, true);
  opened_ = false;
  record_.open = ran && submodules && !changed_files(true, without).empty();  // git resets submodules
  write_record();
}

std::vector<std::string> WorktreeFiles::missing_blobs(const std::string& id) const {
  const auto odb = make<OdbPtr>("the objects of " + path_, git_repository_odb, repository_.get());
  std::set<std::string> out;
  each_change(diff(record_.tree, id), [&](const git_diff_delta& change) {
    const git_diff_file& file = change.new_file;
    if (change.status == GIT_DELTA_DELETED || file.mode == GIT_FILEMODE_COMMIT) return;
    if (git_odb_exists_ext(odb.get(), &file.id, GIT_ODB_LOOKUP_NO_REFRESH) == 0) out.insert(hex(file.id));
  });
  return {out.begin(), out.end()};
}

void WorktreeFiles::move(const std::string& commit, const std::string& to) {
  const Record before = record_;
  if (before.commit == commit && before.tree == to) return;
  record_.to_commit = commit;
  record_.to_tree = to;
  write_record();
  try {
    write_files(before.tree, to, names_in(diff(before.tree, to)), false);
  } catch (const Error& error) {
    // Found before anything was written. After another failure the record stays, and the next switch mends it.
    if (error.kind() == ErrorKind::conflict) {
      record_ = before;
      write_record();
    }
    throw;
  }
  set_head(commit);
}

void WorktreeFiles::finish() {
  if (!record_.to_tree.empty()) arrive();
  record_.open = opened_ = true;
  if (!output_.empty() || !record_.output.empty()) record_.output = output_.empty() ? git_folder_ : output_;
  write_record();
}

}  // namespace reg::git
