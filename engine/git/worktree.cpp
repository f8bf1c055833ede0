#include "engine/git/worktree.h"

#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>
#include <optional>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/argv.h"
#include "engine/git/handles.h"
#include "engine/git/worktree_files.h"
#include "engine/loop/then.h"

namespace reg::git {

namespace fs = std::filesystem;

// What a running switch needs even when its Worktree was closed meanwhile.
struct Worktree::Held {
  explicit Held(const std::string& path) : files(path) {}
  WorktreeFiles files;
  Fd lock;
  bool busy = false;
};

// One checkout under way: what its steps hand on to each other.
struct Worktree::Switch : std::enable_shared_from_this<Switch> {
  Switch(Loop& l, std::shared_ptr<Held> h, std::string p, Commit c, CheckoutOptions o)
      : loop(l), held(std::move(h)), path(std::move(p)), commit(std::move(c)), options(std::move(o)) {}

  Loop& loop;
  std::shared_ptr<Held> held;
  std::string path;
  Commit commit;
  CheckoutOptions options;
  std::string tree;  // the commit's, or that with the patch
  bool killed_before = false;
  std::optional<Error> patch_error;

  Op<Nothing> prepare();
  Op<Nothing> apply_patch();
  Op<Nothing> fetch_missing();
  Op<Nothing> move();
  Op<Nothing> update_submodules();
};

namespace {

bool is_there(const fs::path& path) { return fs::symlink_status(path).type() != fs::file_type::not_found; }

std::string common_folder(git_repository* repository) {
  return fs::weakly_canonical(git_repository_commondir(repository)).string();
}

// True: a worktree of `repo` is at `path`; false: nothing is. Else throws.
bool find_worktree(const Repo& repo, const std::string& path) {
  if (!is_there(path)) return false;
  const bool folder = fs::is_directory(path);
  if (folder && fs::is_empty(path)) return false;
  const fs::path link = fs::path(path) / ".git";
  if (!folder || !is_there(link))
    throw Error(ErrorKind::conflict, "'" + path + "' is there already and is no worktree", "choose another path");
  RepositoryPtr found;
  try {
    found = open_repository(path);
  } catch (const Error&) {
    // `git worktree add` was killed: its link is all there is.
    if (std::distance(fs::directory_iterator(path), {}) > 1 || !fs::is_regular_file(link)) throw;
    fs::remove(link);
    return false;
  }
  if (git_repository_is_worktree(found.get()) != 1)
    throw Error(ErrorKind::conflict, "'" + path + "' is a repository of its own, not a worktree of " + repo.path(),
                "choose another path: regengine switches only trees made for it");
  if (common_folder(found.get()) != common_folder(repo.handle()))
    throw Error(ErrorKind::conflict, "'" + path + "' is a worktree of another repository, not of " + repo.path(),
                "choose another path");
  return true;
}

}  // namespace

Worktree::Worktree(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string path)
    : loop_(loop), guard_(guard), repo_(std::move(repo)), path_(std::move(path)) {}

void Worktree::hold() {
  held_ = std::make_shared<Held>(path_);
  const std::string file = held_->files.git_folder() + "regengine.lock";
  held_->lock = open_file(file, O_RDWR | O_CREAT);
  if (flock(held_->lock.get(), LOCK_EX | LOCK_NB) != 0)
    throw Error(ErrorKind::conflict, "the worktree '" + path_ + "' is in use by regengine already",
                "close it there, or take another path");
}

Op<std::shared_ptr<Worktree>> Worktree::open(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo,
                                             const std::string& path) {
  if (path.empty()) throw Error(ErrorKind::usage, "an empty path");
  fs::path absolute = fs::absolute(path).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();
  const std::string start = repo->resolve(repo->default_branch()).id;
  const std::string repo_path = repo->path();
  std::shared_ptr<Worktree> tree(new Worktree(loop, guard, std::move(repo), absolute.string()));
  if (find_worktree(*tree->repo_, tree->path_)) {
    tree->hold();
    return ready(tree);
  }
  if (!guard.admit({EffectKind::git, "worktree add " + tree->path_})) {
    tree->pretended_head_ = start;
    return ready(tree);
  }
  // Empty: the first checkout fills it, and no hook of the user's runs. --force: its folder may have been deleted by
  // hand.
  return then(run_git(loop, {repo_path,
                             {"-c", "core.hooksPath=/dev/null", "worktree", "add", "--quiet", "--detach",
                              "--no-checkout", "--force", "--", tree->path_, start}}),
              [tree](const std::string&) {
                tree->hold();
                return ready(tree);
              });
}

Commit Worktree::head() const {
  return repo_->resolve(pretended_head_.empty() ? held_->files.head() : pretended_head_);
}

void Worktree::begin_work() {
  if (held_->busy)
    throw Error(ErrorKind::conflict, "the worktree '" + path_ + "' is being switched already",
                "wait for that checkout, or use a worktree for each");
  held_->busy = true;
}

template <class T>
Op<T> Worktree::end_work_with(Op<T> op) {
  auto whole = std::make_shared<Operation<T>>();
  whole->on_cancel([op] { op->cancel(); });
  op->then([op, whole, held = held_] {
    held->busy = false;
    try {
      whole->resolve(op->take());
    } catch (const std::exception&) {
      whole->reject(std::current_exception());
    }
  });
  return whole;
}

Op<Commit> Worktree::checkout(const std::string& revision, const CheckoutOptions& options) {
  Commit commit = repo_->resolve(revision);
  CheckoutOptions wanted = options;
  std::string effect = "checkout " + commit.id.substr(0, 10) + " in " + path_;
  if (!wanted.patch.empty()) {
    wanted.patch = fs::absolute(wanted.patch).string();
    open_file(wanted.patch, O_RDONLY);
    effect += " with " + options.patch;
  }
  if (!guard_.admit({EffectKind::git, effect})) {
    pretended_head_ = commit.id;
    return ready(commit);
  }
  begin_work();
  auto s = std::make_shared<Switch>(loop_, held_, path_, std::move(commit), std::move(wanted));
  auto moved = then(
      then(then(s->prepare(), [s](Nothing) { return s->apply_patch(); }), [s](Nothing) { return s->fetch_missing(); }),
      [s](Nothing) { return s->move(); });
  return end_work_with(then(then(moved, [s](Nothing) { return s->update_submodules(); }), [s](Nothing) {
    s->held->files.finish();
    if (s->patch_error) throw Error(*s->patch_error);
    return ready(s->commit);
  }));
}

Op<Nothing> Worktree::Switch::prepare() {
  return on_worker(loop, [self = shared_from_this()] {
    self->killed_before = self->held->files.prepare(self->options.submodules);
    self->tree = self->held->files.tree_of(self->commit.id);
    return Nothing{};
  });
}

// In an index of its own: whether the patch applies is known before a file is touched, and what it makes is one more
// tree to switch to. By git, which also finds a hunk's place when it has moved; libgit2 does not.
Op<Nothing> Worktree::Switch::apply_patch() {
  if (options.patch.empty()) return ready(Nothing{});
  const std::string index = held->files.git_folder() + "regengine-index";
  const auto in_index = [&loop = loop, index, folder = path](std::vector<std::string> argv) {
    return GitCommand{folder, std::move(argv), "", {{"GIT_INDEX_FILE", index}}};
  };
  const auto self = shared_from_this();
  auto read = run_git(loop, in_index({"read-tree", commit.id}));
  auto applied = then(read, [self, in_index](const std::string&) {
    return try_git(self->loop, in_index({"apply", "--cached", "--whitespace=nowarn", "--", self->options.patch}));
  });
  auto written = then(applied, [self, in_index](const process::Outcome& outcome) {
    if (outcome.code == 0) return run_git(self->loop, in_index({"write-tree"}));
    self->patch_error.emplace(ErrorKind::conflict,
                              "the patch '" + self->options.patch + "' does not apply to " +
                                  self->commit.id.substr(0, 10) + ": " +
                                  std::string(trim(printable(tail(outcome.err, 8)))),
                              "'" + self->path + "' is at that commit, without the patch");
    return ready(std::string());
  });
  return then(written, [self, index](const std::string& tree_id) {
    ::unlink(index.c_str());
    if (!tree_id.empty()) self->tree = trim(tree_id);
    return ready(Nothing{});
  });
}

Op<Nothing> Worktree::Switch::fetch_missing() {
  const std::string remote = held->files.promisor();
  if (remote.empty()) return ready(Nothing{});
  const auto self = shared_from_this();
  auto missing = on_worker(loop, [self] { return self->held->files.missing_blobs(self->tree); });
  return then(missing, [self, remote](const std::vector<std::string>& ids) {
    if (ids.empty()) return ready(Nothing{});
    GitCommand command{
        self->path,
        {"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
         "--recurse-submodules=no", "--filter=blob:none", "--stdin", "--", remote},
        join(ids, "\n") + "\n"};
    return then(run_git(self->loop, std::move(command)), [](const std::string&) { return ready(Nothing{}); });
  });
}

Op<Nothing> Worktree::Switch::move() {
  return on_worker(loop, [self = shared_from_this()] {
    self->held->files.move(self->commit.id, self->tree);
    return Nothing{};
  });
}

Op<Nothing> Worktree::Switch::update_submodules() {
  if (!options.submodules) return ready(Nothing{});
  GitCommand command{path, {"submodule", "--quiet", "update", "--init", "--recursive"}};
  // They were clean before that switch, so what differs now is its own half-done work.
  if (killed_before) command.argv.emplace_back("--force");
  return then(run_git(loop, std::move(command)), [](const std::string&) { return ready(Nothing{}); });
}

Op<Nothing> Worktree::remove() {
  if (!guard_.admit({EffectKind::git, "worktree remove " + path_})) return ready(Nothing{});
  begin_work();
  auto clean = on_worker(loop_, [held = held_] {
    held->files.prepare(true);
    return Nothing{};
  });
  // Twice --force: untracked files go too, and so does the lock of a `worktree add` that was killed.
  return end_work_with(then(clean, [&loop = loop_, folder = repo_->path(), path = path_](Nothing) {
    return then(run_git(loop, {folder, {"worktree", "remove", "--force", "--force", "--", path}}),
                [](const std::string&) { return ready(Nothing{}); });
  }));
}

}  // namespace reg::git
