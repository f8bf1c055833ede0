#include "bindings/program/garbage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <map>
#include <set>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/container/pulled.h"
#include "engine/git/made_clones.h"
#include "engine/git/made_worktrees.h"
#include "engine/git/replay.h"
#include "engine/store/output.h"
#include "engine/store/store.h"

namespace reg {
namespace {

namespace fs = std::filesystem;

constexpr const char* is_answered = "every investigation here has its answer; it is made again when needed";
constexpr double goes_on_s = 14 * 86400;  // an investigation without an answer that nobody touched for longer is over

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error;
  for (auto at = fs::recursive_directory_iterator(folder, fs::directory_options::skip_permission_denied, error);
       !error && at != fs::recursive_directory_iterator(); at.increment(error)) {
    std::error_code gone;
    if (at->is_symlink(gone) || !at->is_regular_file(gone)) continue;
    const auto size = at->file_size(gone);
    if (!gone) bytes += size;
  }
  return bytes;
}

template <class T>
T wait_for(Loop& loop, const Op<T>& op) {
  loop.run_until([&] { return op->done(); });
  return op->take();
}

// The outputs of a store, and whether its investigations go on.
class Stores {
 public:
  Stores(std::string workspace, Guard& guard, Found& found)
      : workspace_(std::move(workspace)), guard_(guard), found_(found) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(workspace_, ignored)) {
      const std::string name = entry.path().filename();
      constexpr std::string_view ending = ".lock";
      if (name.ends_with(ending) && entry.is_regular_file())
        look_at(entry.path().string().substr(0, entry.path().string().size() - ending.size()));
    }
  }

  /// What needs the worktrees and images of this workspace; "" if nothing does.
  const std::string& needed_by() const { return needed_by_; }

 private:
  void look_at(const std::string& path) {
    if (fs::exists(path)) return look_at_store(path);
    const auto lock = std::make_shared<Fd>(::open((path + ".lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
    if (!*lock || ::flock(lock->get(), LOCK_EX | LOCK_NB) != 0) return;
    found_.held.push_back(lock);
    add_outputs(path, {}, "its store is gone");
  }

  void look_at_store(const std::string& path) {
    std::shared_ptr<store::Store> store;
    std::error_code unseen;
    if (fs::file_size(path, unseen) == 0) return;  // opening it would make it a store
    try {
      store = store::Store::try_open(path);
    } catch (const Error&) {
      return;  // no store, or a newer engine's
    }
    const std::string name = fs::path(path).filename();
    if (!store) {
      needed_by_ = name + " is in use by " + store::Store::lock_holder(path);
      return;
    }
    found_.held.push_back(store);
    const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
    store::Statement goes_on(store->writer().handle(),
                             "SELECT i.name FROM investigations i WHERE i.ended IS NULL AND "
                             "max(i.started, coalesce((SELECT max(coalesce(t.ended, t.started)) FROM trials t "
                             "WHERE t.investigation = i.id), 0)) > ? ORDER BY i.id DESC");
    if (goes_on.bind(1, now - goes_on_s).step())
      needed_by_ = fmt::format("the investigation '{}' in {} has no answer yet", goes_on.text(0), name);
    std::map<std::string, std::string> status;
    store::Statement trials(store->writer().handle(), "SELECT folder, status FROM trials WHERE folder IS NOT NULL");
    while (trials.step()) status[std::string(trials.text(0))] = trials.text(1);
    add_outputs(path, status, "no trial of " + name + " has it");
  }

  void add_outputs(const std::string& path, const std::map<std::string, std::string>& status, const std::string& why) {
    std::error_code ignored;
    // A link that came with this folder could name any folder of the user, with all that is in it.
    if (fs::is_symlink(path + ".out")) return;
    for (const auto& entry : fs::directory_iterator(path + ".out", ignored)) {
      if (!store::is_made_output(entry.path())) continue;
      const auto trial = status.find(entry.path().filename());
      if (trial != status.end() && trial->second != "interrupted") continue;
      const std::string folder = entry.path();
      const std::string reason = trial == status.end() ? why : "its trial was interrupted";
      found_.garbage.push_back(
          {"output", fs::relative(folder, workspace_), bytes_below(folder), reason, [&guard = guard_, folder] {
             return guard.admit({EffectKind::files, "remove " + folder, {}}) && fs::remove_all(folder) > 0;
           }});
    }
  }

  std::string workspace_;
  Guard& guard_;
  Found& found_;
  std::string needed_by_;
};

void add_worktrees(Loop& loop, Guard& guard, const std::string& workspace, const std::string& needed_by,
                   const std::vector<git::MadeWorktree>& trees, Found& found) {
  for (const git::MadeWorktree& tree : trees) {
    const std::string name = fs::relative(tree.path, workspace);
    const std::string kept_by = tree.in_use ? "a running regengine uses it" : tree.stale ? "" : needed_by;
    if (!kept_by.empty()) {
      found.kept.push_back(fmt::format("worktree {}: {}", name, kept_by));
      continue;
    }
    const std::string why = tree.stale ? "its repository was removed or replaced: " + tree.home : is_answered;
    found.garbage.push_back({"worktree", name, bytes_below(tree.path), why, [&loop, &guard, tree] {
                               if (!guard.admit({EffectKind::git, "remove the worktree " + tree.path, {}}))
                                 return false;
                               wait_for(loop, git::remove_made_worktree(loop, guard, tree));
                               return true;
                             }});
  }
}

// What needs a repository; "" if nothing does.
std::string kept_by(const std::string& home, const std::vector<git::MadeWorktree>& trees,
                    const std::string& needed_by) {
  const auto uses_it = [&](const git::MadeWorktree& tree) { return tree.in_use && tree.home == home; };
  return std::any_of(trees.begin(), trees.end(), uses_it) ? "a running regengine uses it" : needed_by;
}

// The commits that were made to prove one, in the workspace itself and in the repositories of its worktrees.
void add_replayed(Guard& guard, const std::string& workspace, const std::string& needed_by,
                  const std::vector<git::MadeWorktree>& trees, Found& found) {
  std::set<std::string> homes{workspace};
  for (const git::MadeWorktree& tree : trees)
    if (!tree.stale) homes.insert(tree.home);
  for (const std::string& home : homes) {
    std::shared_ptr<git::Repo> repo;
    try {
      repo = std::make_shared<git::Repo>(home);
    } catch (const Error&) {
      continue;  // no repository
    }
    const std::size_t count = git::replayed_refs(*repo).size();
    if (count == 0) continue;
    const std::string name = fmt::format("{} below refs/regengine/replayed in {}", count, home);
    if (const std::string by = kept_by(home, trees, needed_by); !by.empty()) {
      found.kept.push_back(fmt::format("commits {}: {}", name, by));
      continue;
    }
    found.garbage.push_back({"commits", name, 0, is_answered, [&guard, repo] {
                               if (!guard.admit({EffectKind::git, "remove refs in " + repo->path(), {}})) return false;
                               git::remove_replayed_refs(*repo);
                               return true;
                             }});
  }
}

void add_clones(Guard& guard, const std::string& workspace, const std::string& needed_by,
                const std::vector<git::MadeWorktree>& trees, Found& found) {
  for (const std::string& path : git::made_clones(workspace)) {
    const std::string name = fs::relative(path, workspace);
    if (const std::string by = kept_by(path, trees, needed_by); !by.empty()) {
      found.kept.push_back(fmt::format("clone {}: {}", name, by));
      continue;
    }
    found.garbage.push_back({"clone", name, bytes_below(path), is_answered, [&guard, path] {
                               if (!guard.admit({EffectKind::git, "remove the clone " + path, {}})) return false;
                               git::remove_made_clone(path);
                               return true;
                             }});
  }
}

void add_images(Loop& loop, Guard& guard, const std::string& workspace, const std::string& needed_by, Found& found) {
  for (const container::Pulled& pulled : container::pulled_images()) {
    const bool here = pulled.workspace == workspace;
    if (!here && fs::exists(pulled.workspace)) continue;
    std::optional<std::uint64_t> bytes;
    try {
      bytes = wait_for(loop, container::size_of_pulled(loop, pulled));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      found.kept.push_back(fmt::format("image {}: {}", pulled.image, error.what()));
      continue;
    }
    if (!bytes) {
      if (guard.admit({EffectKind::files, "forget the image " + pulled.image, {}})) container::forget_pulled(pulled);
    } else if (here && !needed_by.empty()) {
      found.kept.push_back(fmt::format("image {}: {}", pulled.image, needed_by));
    } else {
      const std::string why = here ? "regengine pulled it, and every investigation here has its answer"
                                   : "regengine pulled it for a folder that is gone: " + pulled.workspace;
      found.garbage.push_back({"image", pulled.image, *bytes, why, [&loop, &guard, pulled] {
                                 if (!guard.admit({EffectKind::container, "remove the image " + pulled.image, {}}))
                                   return false;
                                 wait_for(loop, container::remove_pulled(loop, pulled));
                                 return true;
                               }});
    }
  }
}

}  // namespace

Found find_garbage(Loop& loop, Guard& guard, const std::string& workspace) {
  Found found;
  const Stores stores(workspace, guard, found);
  const auto trees = git::made_worktrees(workspace);
  add_worktrees(loop, guard, workspace, stores.needed_by(), trees, found);
  add_replayed(guard, workspace, stores.needed_by(), trees, found);
  add_clones(guard, workspace, stores.needed_by(), trees, found);
  add_images(loop, guard, workspace, stores.needed_by(), found);
  return found;
}

}  // namespace reg
