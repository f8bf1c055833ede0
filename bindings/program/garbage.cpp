#include "bindings/program/garbage.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "bindings/program/reader.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/box/landlock.h"
#include "engine/broker/wire.h"
#include "engine/container/pulled.h"
#include "engine/git/made.h"
#include "engine/git/replay.h"
#include "engine/store/output.h"
#include "engine/store/store.h"

namespace reg {
namespace {

namespace fs = std::filesystem;
using broker::Json;

constexpr const char* kInUse = "a running regengine uses it";
constexpr const char* is_answered = "every investigation here has its answer; it is made again when needed";

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

// What the box found; nothing of it is believed beyond that something is needed no more.
Json read_in_box(Guard& guard, const std::string& workspace, const std::vector<git::MadeWorktree>& trees) {
  if (box::landlock_version() == 0) return broker::unpack(read_for_garbage(workspace));
  std::vector<std::string> read;
  for (const git::MadeWorktree& tree : trees) read.push_back(tree.home);
  std::string bytes;
  look_in_box(guard, {"regengine", "gc"}, read, [&](std::string_view text) { bytes = text; });
  if (bytes.empty()) throw Error(ErrorKind::io, "gc: the process that reads the stores of this folder failed");
  return broker::unpack(bytes);
}

class Search {
 public:
  Search(Loop& loop, Guard& guard, std::string workspace)
      : loop_(loop), guard_(guard), workspace_(std::move(workspace)), trees_(git::made_worktrees(workspace_)) {}

  Found take() {
    add_outputs();
    for (const git::MadeWorktree& tree : trees_)
      add({"worktree", fs::relative(tree.path, workspace_), 0,
           tree.stale ? "its repository was removed or replaced: " + tree.home : is_answered,
           [&loop = loop_, &guard = guard_, tree] {
             if (!guard.admit({EffectKind::git, "remove the worktree " + tree.path, {}})) return false;
             wait_for(loop, git::remove_made_worktree(loop, guard, tree));
             return true;
           }},
          tree.path,
          tree.in_use  ? kInUse
          : tree.stale ? ""
                       : needed_by_);
    for (const auto& [home, count] : seen_.at("replayed").items())
      if (count > 0 && is_repository(home))
        add({"commits", fmt::format("{} below refs/regengine/replayed in {}", count.get<int>(), home), 0, is_answered,
             [&guard = guard_, home = home] {
               if (!guard.admit({EffectKind::git, "remove refs in " + home, {}})) return false;
               git::remove_replayed_refs(git::Repo(home));
               return true;
             }},
            "", kept_by(home));
    for (const std::string path : seen_.at("clones"))
      if (real_path(path) == path && fs::path(path).parent_path() == workspace_ + "/.regengine/repos")
        add({"clone", fs::relative(path, workspace_), 0, is_answered,
             [&guard = guard_, path] {
               if (!guard.admit({EffectKind::git, "remove the clone " + path, {}})) return false;
               git::remove_made_clone(path);
               return true;
             }},
            path, kept_by(path));
    add_images(loop_, guard_, workspace_, needed_by_, found_);
    return std::move(found_);
  }

 private:
  // `kept_by`: what needs it; "" if nothing does.
  void add(Garbage garbage, const std::string& folder, const std::string& kept_by) {
    if (!kept_by.empty()) return found_.kept.push_back(fmt::format("{} {}: {}", garbage.kind, garbage.name, kept_by));
    garbage.bytes = bytes_below(folder);
    found_.garbage.push_back(std::move(garbage));
  }

  bool is_repository(const std::string& home) const {
    return home == workspace_ ||
           std::any_of(trees_.begin(), trees_.end(), [&](const git::MadeWorktree& tree) { return tree.home == home; });
  }

  std::string kept_by(const std::string& home) const {
    const auto uses_it = [&](const git::MadeWorktree& tree) { return tree.in_use && tree.home == home; };
    return std::any_of(trees_.begin(), trees_.end(), uses_it) ? kInUse : needed_by_;
  }

  // Locks the stores before the box reads them.
  void add_outputs() {
    std::map<std::string, Fd> locks;
    for (const std::string& name : locked_stores(workspace_)) {
      Fd lock(::open((workspace_ + "/" + name + ".lock").c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW));
      locks[name] = lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) == 0 ? std::move(lock) : Fd();
    }
    seen_ = read_in_box(guard_, workspace_, trees_);
    for (auto& [name, lock] : locks) {
      const std::string path = workspace_ + "/" + name;
      const bool is_there = fs::exists(path), is_store = seen_.at("stores").contains(name);
      if (is_store && !lock) needed_by_ = name + " is in use by " + store::Store::lock_holder(path);
      if (!lock || (is_there && !is_store)) continue;  // no store, or a newer engine's
      const Json store = is_store ? seen_.at("stores").at(name) : Json{{"done", Json::object()}, {"goes_on", ""}};
      if (const std::string one = store.at("goes_on"); !one.empty())
        needed_by_ = fmt::format("the investigation '{}' in {} has no answer yet", one, name);
      add_outputs_of(path, store.at("done"), is_there ? "no trial of " + name + " has it" : "its store is gone");
      found_.held.push_back(std::make_shared<Fd>(std::move(lock)));
    }
  }

  void add_outputs_of(const std::string& path, const std::map<std::string, bool>& done, const std::string& why) {
    std::error_code ignored;
    // A link that came with this folder could name any folder of the user, with all that is in it.
    if (fs::is_symlink(path + ".out")) return;
    for (const auto& entry : fs::directory_iterator(path + ".out", ignored)) {
      const auto trial = done.find(entry.path().filename());
      if (!store::is_made_output(entry.path()) || (trial != done.end() && trial->second)) continue;
      add({"output", fs::relative(entry.path(), workspace_), 0, trial == done.end() ? why : "its trial was interrupted",
           [&guard = guard_, folder = entry.path().string()] {
             return guard.admit({EffectKind::files, "remove " + folder, {}}) && fs::remove_all(folder) > 0;
           }},
          entry.path(), "");
    }
  }

  Loop& loop_;
  Guard& guard_;
  std::string workspace_;
  std::vector<git::MadeWorktree> trees_;
  Json seen_;
  std::string needed_by_;
  Found found_;
};

}  // namespace

Found find_garbage(Loop& loop, Guard& guard, const std::string& workspace) {
  return Search(loop, guard, workspace).take();
}

}  // namespace reg
