#include "engine/git/worktree_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <set>
#include <utility>

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/made.h"
#include "engine/git/needs.h"

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

std::string some_of(const std::vector<std::string>& files) {
  constexpr std::size_t shown = 8;
  std::vector<std::string> first(files.begin(),
                                 files.begin() + static_cast<std::ptrdiff_t>(std::min(shown, files.size())));
  std::string out = join(first, ", ");
  if (files.size() > shown) out += " and " + std::to_string(files.size() - shown) + " more";
  return printable(out);
}

int note_conflict(git_checkout_notify_t, const char* path, const git_diff_file*, const git_diff_file*,
                  const git_diff_file*, void* list) {
  static_cast<std::vector<std::string>*>(list)->emplace_back(path);
  return 0;
}

}  // namespace

struct WorktreeFiles::State {
  std::string path;
  RepositoryPtr repository;
  IndexPtr index;
  std::string git_folder;
  std::string record_file;
  std::string lost_commit;
  std::string output;   // the folder with the output of the trial that has it
  std::string said;     // what was reset, until it is taken
  bool opened = false;  // by this object: it says in the record when it is done
  Record record;        // its tree is "" before the first switch: there are no files

  TreePtr tree(const std::string& id) const {
    if (id.empty()) return nullptr;
    const git_oid oid = parse_id(id);
    return make<TreePtr>("the tree " + id + " for " + path, git_tree_lookup, repository.get(), &oid);
  }

  DiffPtr diff(const std::string& from, const std::string& to) const {
    return make<DiffPtr>("comparing commits for " + path, git_diff_tree_to_tree, repository.get(), tree(from).get(),
                         tree(to).get(), nullptr);
  }

  template <class Use>  // use(delta)
  void for_each_change(const std::string& from, const std::string& to, Use use) const {
    const DiffPtr changes = diff(from, to);
    for (std::size_t i = 0; i < git_diff_num_deltas(changes.get()); ++i) use(*git_diff_get_delta(changes.get(), i));
  }

  void write_files(const std::string& from, const std::string& to, const std::set<std::string>& names, bool force);
  bool is_side(const git_diff_delta& change) const;
  bool lacks_head(const git_oid& head) const;
  std::string tree_of_index() const;
  void finish_killed_switch();
  void arrive();
  void take_stock();
  std::vector<std::string> staged() const;
  std::set<std::string> changed_files(bool submodules, const std::vector<std::string>& without);
  void set_aside(const std::set<std::string>& names);
};

WorktreeFiles::WorktreeFiles(const std::string& path) : state_(std::make_unique<State>()) {
  state_->path = path;
  state_->repository = open_repository(path);
  state_->index = make<IndexPtr>("the index of " + path, git_repository_index, state_->repository.get());
  state_->git_folder = git_repository_path(state_->repository.get());
  state_->record_file = state_->git_folder + "regengine";
}

WorktreeFiles::~WorktreeFiles() = default;

const std::string& WorktreeFiles::git_folder() const { return state_->git_folder; }

std::string WorktreeFiles::head() const {
  git_oid id;
  check(git_reference_name_to_id(&id, state_->repository.get(), "HEAD"), "the HEAD of " + state_->path);
  return hex(id);
}

std::string WorktreeFiles::tree_of(const std::string& commit) const {
  const git_oid id = parse_id(commit);
  const auto found = make<CommitPtr>("the commit " + commit, git_commit_lookup, state_->repository.get(), &id);
  return hex(*git_commit_tree_id(found.get()));
}

std::string WorktreeFiles::with_texts(const std::string& tree, const std::map<std::string, std::string>& texts) const {
  git_repository* repository = state_->repository.get();
  const TreePtr before = state_->tree(tree);
  std::vector<git_tree_update> updates;
  for (const auto& [name, text] : texts) {
    git_tree_entry* entry = nullptr;
    const int code = git_tree_entry_bypath(&entry, before.get(), name.c_str());
    const TreeEntryPtr owner(entry);
    if (code == GIT_ENOTFOUND || (code == 0 && git_tree_entry_type(entry) != GIT_OBJECT_BLOB))
      throw Error(ErrorKind::not_found, "no file '" + name + "' in the commit to check out in '" + state_->path + "'");
    check(code, "'" + name + "' for " + state_->path);
    git_tree_update update{GIT_TREE_UPDATE_UPSERT, {}, git_tree_entry_filemode(entry), name.c_str()};
    check(git_blob_create_from_buffer(&update.id, repository, text.data(), text.size()), "'" + name + "'");
    updates.push_back(update);
  }
  git_oid made;
  check(git_tree_create_updated(&made, repository, before.get(), updates.size(), updates.data()),
        "other texts for " + state_->path);
  return hex(made);
}

// Writes these files, in which the trees differ, and the index. With `force` whatever is at those paths gives way.
void WorktreeFiles::State::write_files(const std::string& from, const std::string& to,
                                       const std::set<std::string>& names, bool force) {
  if (names.empty()) return;
  std::vector<char*> paths;
  for (const std::string& name : names) paths.push_back(const_cast<char*>(name.c_str()));

  std::vector<std::string> in_the_way;
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
  git_attr_cache_flush(repository.get());
  const int code = git_checkout_tree(repository.get(), reinterpret_cast<const git_object*>(after.get()), &options);
  if (code == GIT_ECONFLICT && !record.output.empty()) {  // a build made what the next commit has as tracked files
    set_aside({in_the_way.begin(), in_the_way.end()});
    return write_files(from, to, names, true);
  }
  if (code == GIT_ECONFLICT)
    throw Error(ErrorKind::conflict, "files in '" + path + "' would be overwritten: " + some_of(in_the_way),
                "git does not know them; move them away");
  check(code, "switching '" + path + "'");
}

// Whether the file is what it was before the change or what it is after it, or is not there.
bool WorktreeFiles::State::is_side(const git_diff_delta& change) const {
  const std::string file = std::string(git_repository_workdir(repository.get())) + change.new_file.path;
  struct stat info {};
  if (::lstat(file.c_str(), &info) != 0 || S_ISDIR(info.st_mode)) return true;
  git_oid id;
  if (S_ISLNK(info.st_mode)) {
    const std::string content = fs::read_symlink(file).string();
    check(git_odb_hash(&id, content.data(), content.size(), GIT_OBJECT_BLOB), file);
  } else {
    check(git_repository_hashfile(&id, repository.get(), file.c_str(), GIT_OBJECT_BLOB, change.new_file.path), file);
  }
  return git_oid_equal(&id, &change.old_file.id) != 0 || git_oid_equal(&id, &change.new_file.id) != 0;
}

void WorktreeFiles::State::finish_killed_switch() {
  remove_locks(git_folder);
  check(git_index_read(index.get(), 1), "the index of " + path);
  // A file that became a link comes as two changes. A file that is neither is half written, or was edited since.
  std::set<std::string> all, known, unknown;
  for_each_change(record.tree, record.to_tree, [&](const git_diff_delta& change) {
    all.insert(change.new_file.path);
    if (is_side(change)) known.insert(change.new_file.path);
  });
  std::set_difference(all.begin(), all.end(), known.begin(), known.end(), std::inserter(unknown, unknown.end()));
  set_aside(unknown);
  write_files(record.tree, record.to_tree, all, true);
  const git_oid head = parse_id(record.to_commit);
  check(git_repository_set_head_detached(repository.get(), &head), "the HEAD of " + path);
  arrive();
  write_record(record_file, record);
}

void WorktreeFiles::State::arrive() {
  record.commit = std::exchange(record.to_commit, "");
  record.tree = std::exchange(record.to_tree, "");
}

bool WorktreeFiles::State::lacks_head(const git_oid& head) const {
  git_commit* found = nullptr;
  const int code = git_commit_lookup(&found, repository.get(), &head);
  const CommitPtr owner(found);
  return code == GIT_ENOTFOUND;
}

// The index as trees, made anew: its own memory of trees may name some that are gone. Files' contents are not looked
// for.
std::string WorktreeFiles::State::tree_of_index() const {
  const std::string what = "the index of " + path;
  const auto entries = make<IndexPtr>(what, git_index_new);
  for (std::size_t i = 0; i < git_index_entrycount(index.get()); ++i)
    check(git_index_add(entries.get(), git_index_get_byindex(index.get(), i)), what);
  git_oid id;
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 0);
  const int code = git_index_write_tree_to(&id, entries.get(), repository.get());
  git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 1);
  check(code, what);
  return hex(id);
}

// What the files should be: as recorded, unless somebody has checked out something else by hand since.
void WorktreeFiles::State::take_stock() {
  check(git_index_read(index.get(), 0), "the index of " + path);
  git_oid head;
  check(git_reference_name_to_id(&head, repository.get(), "HEAD"), "the HEAD of " + path);
  if (record.commit == hex(head) && !record.tree.empty() && lacks_head(head)) {
    lost_commit = record.commit;
    record.tree = tree_of_index();
    return;
  }
  const std::string head_tree = [&] {
    const auto commit = make<CommitPtr>("the HEAD of " + path, git_commit_lookup, repository.get(), &head);
    return hex(*git_commit_tree_id(commit.get()));
  }();
  if (record.commit != hex(head)) {
    const bool fresh = record.commit.empty() && ::access((git_folder + "index").c_str(), F_OK) != 0;
    record.commit = hex(head);
    record.tree = fresh ? "" : head_tree;
  }
  if (record.tree.empty() || record.tree == head_tree) return;
  const git_oid recorded = parse_id(record.tree);
  git_tree* found = nullptr;
  if (git_tree_lookup(&found, repository.get(), &recorded) == 0) {
    git_tree_free(found);
    return;
  }
  // Nothing refers to a patched tree, so `git gc` may have dropped it. The index still has its files.
  git_oid written;
  check(git_index_write_tree(&written, index.get()), "the index of " + path);
  if (git_oid_equal(&written, &recorded) == 0) record.tree = head_tree;
}

std::vector<std::string> WorktreeFiles::State::staged() const {
  const auto changes = make<DiffPtr>("the index of " + path, git_diff_tree_to_index, repository.get(),
                                     tree(record.tree).get(), index.get(), nullptr);
  std::vector<std::string> out;
  for (std::size_t i = 0; i < git_diff_num_deltas(changes.get()); ++i)
    out.emplace_back(git_diff_get_delta(changes.get(), i)->new_file.path);
  return out;
}

std::set<std::string> WorktreeFiles::State::changed_files(bool submodules, const std::vector<std::string>& without) {
  std::set<std::string> names;
  for (std::string& name : staged()) names.insert(std::move(name));
  for (std::string& name : modified_files(repository.get(), index.get(), submodules, without))
    names.insert(std::move(name));
  return names;
}

// In the folder "changed" in the output of the trial, or else in the git folder.
void WorktreeFiles::State::set_aside(const std::set<std::string>& names) {
  if (names.empty()) return;
  std::error_code gone;
  const fs::path kept = fs::path(fs::is_directory(record.output, gone) ? record.output : git_folder) / "changed";
  move_files(repository.get(), index.get(), names, kept);
  said = some_of({names.begin(), names.end()}) + " in '" + path + "'; kept in " + kept.string();
}

bool WorktreeFiles::prepare(bool submodules, const std::vector<std::string>& without, bool ran) {
  State& s = *state_;
  s.record = read_record(s.record_file);
  const bool switching = !s.record.to_tree.empty(), ours = ran || (!s.opened && s.record.open);
  if (switching)
    s.finish_killed_switch();
  else if (ours)
    remove_locks(s.git_folder);
  else if (::access((s.git_folder + "index.lock").c_str(), F_OK) == 0)
    throw Error(ErrorKind::conflict, "another git works in '" + s.path + "': there is " + s.git_folder + "index.lock",
                "wait for it; if no git runs there, remove that file");
  if (ours && s.record.output.empty()) s.record.output = s.git_folder;
  s.take_stock();
  const std::set<std::string> changed = s.changed_files(submodules && !switching, without);
  if (!changed.empty() && !ours)
    throw Error(ErrorKind::conflict,
                "uncommitted changes in '" + s.path + "': " + some_of({changed.begin(), changed.end()}),
                "commit or stash them there; regengine resets only what its own builds and tests change");
  s.set_aside(changed);
  if (!s.staged().empty()) {
    check(git_index_read_tree(s.index.get(), s.tree(s.record.tree).get()), "the index of " + s.path);
    check(git_index_write(s.index.get()), "the index of " + s.path);
  }
  s.write_files(s.record.tree, s.record.tree, s.changed_files(false, {}), true);
  return switching || ours || !s.record.output.empty();
}

std::string WorktreeFiles::take_said() { return std::exchange(state_->said, ""); }

void WorktreeFiles::use_output(const std::string& folder, bool from_now) {
  State& s = *state_;
  s.output = folder;
  if (!s.opened || !from_now) return;
  s.record.output = folder;
  write_record(s.record_file, s.record);
}

void WorktreeFiles::close(bool submodules, const std::vector<std::string>& without, bool ran) {
  State& s = *state_;
  if (!s.opened || !s.record.to_tree.empty()) return;
  if (ran) prepare(false, {}, true);
  s.opened = false;
  s.record.open = ran && submodules && !s.changed_files(true, without).empty();  // git resets submodules
  write_record(s.record_file, s.record);
}

const std::string& WorktreeFiles::lost_commit() const { return state_->lost_commit; }

std::string WorktreeFiles::promisor() const {
  const std::vector<std::string> names = promisors(state_->repository.get());
  return names.empty() ? "" : names.front();
}

std::vector<std::string> WorktreeFiles::missing_blobs(const std::string& tree) const {
  const auto odb = make<OdbPtr>("the objects of " + state_->path, git_repository_odb, state_->repository.get());
  std::set<std::string> out;
  state_->for_each_change(state_->record.tree, tree, [&](const git_diff_delta& change) {
    const git_diff_file& file = change.new_file;
    if (change.status == GIT_DELTA_DELETED || file.mode == GIT_FILEMODE_COMMIT) return;
    if (git_odb_exists_ext(odb.get(), &file.id, GIT_ODB_LOOKUP_NO_REFRESH) == 0) out.insert(hex(file.id));
  });
  return {out.begin(), out.end()};
}

void WorktreeFiles::move(const std::string& commit, const std::string& tree) {
  State& s = *state_;
  const Record before = s.record;
  if (before.commit == commit && before.tree == tree) return;
  s.record.to_commit = commit;
  s.record.to_tree = tree;
  write_record(s.record_file, s.record);
  try {
    std::set<std::string> names;
    s.for_each_change(before.tree, tree, [&](const git_diff_delta& change) { names.insert(change.new_file.path); });
    s.write_files(before.tree, tree, names, false);
  } catch (const Error& error) {
    // Found before anything was written. After another failure the record stays, and the next switch mends it.
    if (error.kind() == ErrorKind::conflict) write_record(s.record_file, s.record = before);
    throw;
  }
  const git_oid id = parse_id(commit);
  check(git_repository_set_head_detached(s.repository.get(), &id), "the HEAD of " + s.path);
}

void WorktreeFiles::finish() {
  State& s = *state_;
  if (!s.record.to_tree.empty()) s.arrive();
  s.record.open = s.opened = true;
  if (!s.output.empty() || !s.record.output.empty()) s.record.output = s.output.empty() ? s.git_folder : s.output;
  write_record(s.record_file, s.record);
}

}  // namespace reg::git
