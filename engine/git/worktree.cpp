#include "engine/git/worktree.h"

#include <fcntl.h>
#include <sys/file.h>

#include <filesystem>

#include "engine/base/ids.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/made.h"
#include "engine/git/program.h"
#include "engine/git/remote.h"
#include "engine/git/repo.h"
#include "engine/git/worktree_files.h"
#include "engine/nvtx/nvtx.h"

namespace reg::git {

namespace fs = std::filesystem;

namespace {

// In a repository of its own: whether the patch applies is known before a file is touched, and what it makes is one
// more tree to switch to. By git, which also finds a hunk's place when it has moved; libgit2 does not.
Op<Patched> apply_patch(Loop& loop, std::shared_ptr<Repo> repo, std::string tree, std::string patch) {
  const Patch what{repo->objects(), tree, read_file(patch)};
  if (const auto& git = git_elsewhere()) co_return co_await git->apply(what);
  const TemporaryFolder folder(fs::temp_directory_path() / "regengine-git-");
  const PrivatePlace place{folder.path(), nullptr, true};
  co_return co_await apply_in(loop, place, what);
}

// As git itself does in a partial clone, all at once. libgit2 would only say that they are missing.
Op<Nothing> fetch_blobs(Loop& loop, std::shared_ptr<Repo> repo, std::string folder, std::string remote,
                        std::vector<std::string> ids) {
  if (const auto& git = git_elsewhere()) {
    const Fetch what{
        repo->objects(), repo->url_of(remote).value_or(remote), "blob:none", {}, std::move(ids), false, false};
    co_await git->fetch(what);
    co_return;
  }
  process::Command command = git_command(
      folder, {"-c", "fetch.negotiationAlgorithm=noop", "fetch", "--quiet", "--no-tags", "--no-write-fetch-head",
               "--recurse-submodules=no", "--filter=blob:none", "--stdin", "--", remote});
  command.input = join(ids, "\n") + "\n";
  co_await run_git_remotely(loop, std::move(command));
}

// By git, or in a boxed engine by update_submodules(). `force`: what differs in them is ours.
Op<Nothing> switch_submodules(Loop& loop, std::string folder, std::vector<std::string> without, bool force) {
  try {
    if (git_elsewhere()) {
      co_await update_submodules(loop, folder, without);
      co_return;
    }
    co_await reach_submodules(loop, folder, without);
    process::Command update = git_command(folder, {"submodule", "--quiet", "update", "--init", "--recursive"});
    if (force) update.argv.emplace_back("--force");
    if (!without.empty()) update.argv.emplace_back("--");
    for (const std::string& name : without) update.argv.push_back(":(exclude,literal)" + name);
    co_await run_git_remotely(loop, std::move(update));
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::network && error.kind() != ErrorKind::io && error.kind() != ErrorKind::not_found)
      throw;
    throw Error(error.kind(), "cannot fetch submodules in '" + folder + "': " + error.what(),
                "If the build does not need it, pass --no-submodules, or --submodules with the paths that it needs.");
  }
}

// A patch may bring them.
bool may_have_submodules(const Repo& repo, const std::string& commit, const std::string& patch) {
  if (!patch.empty()) return true;
  return try_make<ObjectPtr>(git_revparse_single, repo.handle(), (commit + ":.gitmodules").c_str()) != nullptr;
}

}  // namespace

Worktree::Worktree(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string path)
    : loop_(loop), guard_(guard), repo_(std::move(repo)), path_(std::move(path)) {}

Worktree::~Worktree() {
  try {
    if (files_) files_->close(submodules_, without_, ran());
  } catch (const std::exception&) {  // as if the engine were killed now
  }
}

std::vector<Need> Worktree::needs() const {
  std::vector<Need> needs = needs_to_switch(*repo_);
  needs.push_back(uses(path_));
  return needs;
}

// One piece of work at a time. It also keeps what it works on when that is closed meanwhile.
std::shared_ptr<void> Worktree::busy() {
  if (std::exchange(busy_, true))
    throw Error(ErrorKind::conflict, "the worktree '" + path_ + "' is being switched already",
                "wait for that checkout, or use a worktree for each");
  return {nullptr, [tree = shared_from_this()](void*) { tree->busy_ = false; }};
}

bool Worktree::hold() {
  auto files = std::make_unique<WorktreeFiles>(path_);
  const auto locked = [](Fd& lock, const std::string& file) {
    lock = file.empty() ? Fd() : open_file(file, O_RDWR | O_CREAT | O_NOFOLLOW);
    return !lock || flock(lock.get(), LOCK_EX | LOCK_NB) == 0;
  };
  if (!locked(lock_, files->git_folder() + "regengine.lock") || !locked(mark_lock_, mark_of(path_))) return false;
  files_ = std::move(files);
  return true;
}

void Worktree::tell() {
  const std::string said = files_->take_said();
  if (!said.empty() && !told_) notify("reset what a build or test changed: " + said);
  told_ |= !said.empty();
}

Op<std::shared_ptr<Worktree>> Worktree::open(Loop& loop, Guard& guard, std::shared_ptr<Repo> repo, std::string path) {
  if (path.empty()) throw Error(ErrorKind::usage, "an empty path");
  fs::path absolute = fs::absolute(path).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // "dir/"
  const std::string start = repo->resolve(repo->default_branch()).id;
  std::shared_ptr<Worktree> tree(new Worktree(loop, guard, repo, absolute.string()));
  guard.admit({EffectKind::git, "look for the worktree " + tree->path_, {uses(tree->path_)}, false});
  const Place place = look_at_place(*repo, tree->path_);
  if (place != Place::taken) {
    if (!guard.admit({EffectKind::git, "worktree add " + tree->path_, tree->needs()})) {
      tree->pretended_head_ = start;
      co_return tree;
    }
    if (place == Place::stale) {
      notify("remaking the worktree " + tree->path_ + ": its repository was removed or replaced");
      fs::remove_all(tree->path_);
    }
    make_worktree(*repo, tree->path_, start);
  }
  // A child of an engine that was just killed shares its lock until it becomes the program it was started for.
  constexpr int attempts = 20;
  for (int i = 1; !tree->hold(); ++i) {
    if (i == attempts)
      throw Error(ErrorKind::conflict, "the worktree '" + tree->path_ + "' is in use by another script",
                  "Wait until that one has ended, or start this one in another folder.");
    co_await sleep(loop, 0.05);
  }
  co_return tree;
}

Commit Worktree::head() const { return repo_->resolve(pretended_head_.empty() ? files_->head() : pretended_head_); }

Op<Commit> Worktree::checkout(std::string revision, CheckoutOptions options) {
  Commit commit = repo_->resolve(revision);
  Effect effect{EffectKind::git, "checkout " + commit.id.substr(0, 10) + " in " + path_, needs()};
  if (options.submodules && may_have_submodules(*repo_, commit.id, options.patch))
    effect.needs.push_back({EffectKind::git, {"submodules"}});
  effect.folder = path_;
  effect.identity = "checkout " + commit.id + " as " + fs::path(path_).filename().string() +
                    (options.submodules ? " with submodules" : "");
  for (const std::string& name : options.only) effect.identity += " " + name;
  for (const std::string& name : options.without) effect.identity += " without " + name;
  for (const auto& [name, text] : options.files) effect.identity += " with " + name + " as " + sha256(text);
  if (!options.patch.empty()) {
    effect.what += " with " + options.patch;
    effect.needs.push_back(reads(options.patch));
    options.patch = fs::absolute(options.patch).string();
    try {
      effect.identity += " with " + sha256(read_file(options.patch));
    } catch (const Error&) {
      guard_.policy().permit(effect, false);  // the box refuses without saying what to declare
      throw;
    }
  }
  if (guard_.admit(effect)) {
    const auto switched = switch_to(commit, std::move(options));
    co_return co_await switched;
  }
  if (!guard_.rehearsing()) pretended_head_ = commit.id;
  co_return commit;
}

void Worktree::leave_out(const CheckoutOptions& options) {
  without_ = options.without;
  if (options.only.empty()) return;
  for (std::string& name : submodules_except(path_, options.only)) without_.push_back(std::move(name));
}

Op<Commit> Worktree::switch_to(Commit commit, CheckoutOptions options) {
  const auto held = busy();
  const nvtx::Range phase("checkout", commit.id.substr(0, 10) + " in " + path_);
  WorktreeFiles& files = *files_;
  submodules_ = options.submodules;
  leave_out(options);
  const auto prepared =
      on_worker(loop_, [this, &files, had = ran()] { return files.prepare(submodules_, without_, had); });
  const bool force_submodules = co_await prepared;
  tell();

  std::string tree = files.tree_of(commit.id);
  if (!options.files.empty()) tree = files.with_texts(tree, options.files);
  // Before the patch, which git applies without a remote where the script is boxed.
  const std::vector<std::string> remotes = promisors(repo_->handle());
  if (!remotes.empty()) {
    const auto looked = on_worker(loop_, [&files, &tree] { return files.missing_blobs(tree); });
    const std::vector<std::string> missing = co_await looked;
    if (!missing.empty()) co_await fetch_blobs(loop_, repo_, path_, remotes.front(), missing);
  }

  Patched patched;
  if (!options.patch.empty()) patched = co_await apply_patch(loop_, repo_, tree, options.patch);
  if (!patched.tree.empty()) tree = patched.tree;

  const auto moved = on_worker(loop_, [&files, &commit, &tree] { files.move(commit.id, tree); });
  co_await moved;
  tell();

  if (options.submodules && fs::exists(fs::path(path_) / ".gitmodules")) {
    leave_out(options);
    for (const std::string& name : options.only)
      if (!fs::is_directory(fs::path(path_) / name) && missing_.insert(name).second)
        notify("no submodule '" + name + "' in commit " + commit.id.substr(0, 10));
    co_await switch_submodules(loop_, path_, without_, force_submodules);
  }
  files.finish();
  commands_ = guard_.commands();
  if (!patched.error.empty() && !shortage_in(patched.error).empty())
    throw Error(ErrorKind::io, "cannot apply the patch '" + options.patch + "': " + patched.error);
  if (!patched.error.empty())
    throw Error(ErrorKind::failed_trial,
                "the patch '" + options.patch + "' does not apply to " + commit.id.substr(0, 10) + ": " + patched.error,
                "'" + path_ + "' is at that commit, without the patch");
  co_return commit;
}

void Worktree::keep_changes_in(const std::string& folder, bool from_now) {
  if (files_ && !busy_) files_->use_output(fs::absolute(folder), from_now);
}

Op<Nothing> Worktree::remove() {
  if (!guard_.admit({EffectKind::git, "worktree remove " + path_, needs()})) co_return;
  const auto held = busy();
  const auto removed = on_worker(loop_, [this] {
    files_->prepare(true, {}, ran());
    remove_worktree(path_, files_->git_folder());
  });
  co_await removed;
  if (const std::string mark = mark_of(path_); !mark.empty()) ::unlink(mark.c_str());
}

}  // namespace reg::git
