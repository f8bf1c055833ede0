#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>
#include <set>

#include "bindings/program/program.h"
#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/time.h"
#include "engine/box/box.h"
#include "engine/broker/broker.h"
#include "engine/container/runtimes.h"
#include "engine/git/made.h"
#include "engine/store/open.h"
#include "engine/store/store.h"
#include "engine/terminal/console.h"

namespace reg {
namespace {

namespace fs = std::filesystem;
using broker::Json;

// Something that regengine made.
struct Made {
  std::string kind;  // worktree, clone, output, image
  std::string name;
  std::string why;        // it can be removed
  std::string needed_by;  // "": it can be
  std::function<void()> remove;
  std::uint64_t bytes = 0;
};

constexpr UnixTime kGoesOn_s = 14 * 86400;  // an investigation without an answer that nobody touched for longer is over

// The trials that have a folder, and the investigation that has no answer yet, if there is one.
Json read_store(const std::string& path) {
  const auto store = store::Store::try_open(path, store::Access::read);
  store::Statement goes_on(store->writer().handle(),
                           "SELECT i.name FROM investigations i WHERE i.ended IS NULL AND "
                           "max(i.started, coalesce((SELECT max(coalesce(t.ended, t.started)) FROM trials t "
                           "WHERE t.investigation = i.id), 0)) > ? ORDER BY i.id DESC");
  std::map<std::string, bool> done;
  const std::string name = goes_on.bind(1, now() - kGoesOn_s).step() ? std::string(goes_on.text(0)) : "";
  store::Statement trials(store->writer().handle(), "SELECT folder, status FROM trials WHERE folder IS NOT NULL");
  while (trials.step())
    done[std::string(trials.text(0))] = trials.text(1) != "running" && trials.text(1) != "interrupted";
  return {{"done", done}, {"goes_on", name}};
}

// Where a store has been open to write, in the workspace and in the engine's folder there: relative to the workspace.
std::vector<std::string> locked_stores(const std::string& workspace) {
  std::vector<std::string> found;
  std::error_code ignored;
  for (const fs::path folder : {"", store::kOwnFolder})
    for (const fs::path file : entries(workspace / folder))
      if (file.extension() == ".lock" && fs::is_regular_file(file, ignored))
        found.push_back((folder / file.stem()).string());
  return found;
}

// The part that reads what somebody else may have made, stores and repositories. It runs in the box if there is one,
// with the stores locked by Search.
std::string read_for_garbage(const std::string& workspace) {
  Json stores = Json::object();
  for (const std::string& name : locked_stores(workspace))  // not a store, or that of a newer engine: skipped
    try_to([&] { stores[name] = read_store(fs::path(workspace) / name); });
  return broker::pack({{"stores", stores}, {"clones", git::made_clones(workspace)}});
}

constexpr const char* kInUse = "a running regengine uses it";
constexpr const char* kAnswered = "every investigation here has its answer; it is made again when needed";

std::uint64_t bytes_below(const std::string& folder) {
  std::uint64_t bytes = 0;
  std::error_code error, gone;
  for (fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, error), end;
       !error && at != end; at.increment(error)) {
    const auto size = at->is_regular_file(gone) && !at->is_symlink(gone) ? at->file_size(gone) : 0;
    if (!gone) bytes += size;
  }
  return bytes;
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

// Looks at the worktrees, clones and stores of one workspace, and at the images that were pulled for it. Never removes
// what another engine holds, an image that was there before, or a folder that regengine did not make.
class Search {
 public:
  std::vector<Made> made;

  Search(Loop& loop, Guard& guard, std::string workspace)
      : loop_(loop), guard_(guard), workspace_(std::move(workspace)), trees_(git::made_worktrees(workspace_)) {
    add_outputs();
    add_repositories();
    add_images();
  }

 private:
  void add(const char* kind, const std::string& path, const std::string& why, const std::string& needed_by,
           std::function<void()> remove) {
    made.push_back({kind, fs::relative(path, workspace_), why, needed_by, std::move(remove),
                    needed_by.empty() ? bytes_below(path) : 0});
  }

  void add_repositories() {
    std::set<std::string> in_use;
    for (const git::MadeWorktree& tree : trees_) {
      if (tree.in_use) in_use.insert(tree.home);
      add("worktree", tree.path, tree.stale ? "its repository was removed or replaced: " + tree.home : kAnswered,
          tree.in_use  ? kInUse
          : tree.stale ? ""
                       : needed_by_,
          [this, tree] { loop_.wait_for(git::remove_made_worktree(loop_, guard_, tree)); });
    }
    for (const std::string path : seen_.at("clones"))
      if (real_path(path) == path && fs::path(path).parent_path() == workspace_ + "/.regengine/repos")
        add("clone", path, kAnswered, in_use.contains(path) ? kInUse : needed_by_,
            [path] { git::remove_made_clone(path); });
  }

  void add_images() {
    for (const container::Pulled& pulled : container::pulled_images()) {
      const bool here = pulled.workspace == workspace_;
      if (!here && fs::exists(pulled.workspace)) continue;
      Made image{"image", pulled.image,
                 here ? "regengine pulled it, and every investigation here has its answer"
                      : "regengine pulled it for a folder that is gone: " + pulled.workspace,
                 here ? needed_by_ : "", [this, pulled] { loop_.wait_for(container::remove_pulled(loop_, pulled)); }};
      try {
        const auto bytes = loop_.wait_for(container::size_of_pulled(loop_, pulled));
        image.bytes = bytes.value_or(0);
        if (!bytes && guard_.admit({EffectKind::files, "forget the image " + pulled.image, {}}))
          container::forget_pulled(pulled);
        if (!bytes) continue;
      } catch (const Error& error) {
        if (error.kind() == ErrorKind::cancelled) throw;
        image.needed_by = error.what();
      }
      made.push_back(image);
    }
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
      held_.push_back(std::move(lock));
    }
  }

  void add_outputs_of(const std::string& path, const std::map<std::string, bool>& done, const std::string& why) {
    // A link that came with this folder could name any folder of the user, with all that is in it.
    if (fs::is_symlink(path + ".out")) return;
    for (const std::string& folder : entries(path + ".out")) {
      const auto trial = done.find(fs::path(folder).filename());
      if (store::is_made_output(folder) && (trial == done.end() || !trial->second))
        add("output", folder, trial == done.end() ? why : "its trial was interrupted", "",
            [folder] { fs::remove_all(folder); });
    }
  }

  Loop& loop_;
  Guard& guard_;
  std::string workspace_;
  std::vector<git::MadeWorktree> trees_;
  Json seen_;
  std::string needed_by_;
  std::vector<Fd> held_;  // locks against engines that would use it again
};

std::string size_words(std::uint64_t bytes) {
  constexpr std::array kUnits{"B", "kB", "MB", "GB", "TB"};
  auto size = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; size >= 1000 && unit + 1 < kUnits.size(); ++unit) size /= 1000;
  return fmt::format("{:.3g} {}", size, kUnits[unit]);
}

int remove_all(Guard& guard, const std::vector<Made>& garbage) {
  int code = 0;
  for (const Made& one : garbage) {
    try {
      const EffectKind kind = one.kind == "image" ? EffectKind::container : EffectKind::files;
      if (!guard.admit({kind, "remove the " + one.kind + " " + one.name, {}})) continue;
      one.remove();
      terminal::console().write_out(fmt::format("removed  {}\n", one.name));
    } catch (const Error& error) {
      if (error.kind() == ErrorKind::cancelled) throw;
      terminal::console().write_out(fmt::format("not removed  {}: {}\n", one.name, error.what()));
      code = 1;
    }
  }
  return code;
}

}  // namespace

int run_gc(const std::vector<std::string>& words, Loop& loop, Guard& guard) {
  const bool told = !words.empty() && words[0] == "--remove";
  if (words.size() > (told ? 1 : 0))
    throw Error(ErrorKind::usage, "gc: unknown argument '" + words[told ? 1 : 0] + "'",
                "usage: regengine gc [--remove]");
  const std::string workspace = std::filesystem::canonical(".");
  if (is_boxed()) return guard.policy().writes("", read_for_garbage(workspace)) ? 0 : 1;
  const Search found(loop, guard, workspace);
  std::vector<Made> garbage;
  std::uint64_t bytes = 0;
  std::string kept;
  terminal::Console& console = terminal::console();
  for (const Made& one : found.made) {
    if (!one.needed_by.empty()) {
      kept += fmt::format("kept      {} {}: {}\n", one.kind, one.name, one.needed_by);
      continue;
    }
    console.write_out(fmt::format("{:<8}  {:>7}  {}  ({})\n", one.kind, size_words(one.bytes), one.name, one.why));
    bytes += one.bytes;
    garbage.push_back(one);
  }
  console.write_out(kept + (garbage.empty() ? "nothing to remove\n" : ""));
  if (garbage.empty()) return 0;
  const std::string sum = fmt::format("{} to remove, {}", garbage.size(), size_words(bytes));
  const auto answer = told ? Answer::yes : ask_at_terminal({sum, {}, "", "Remove them?"});
  if (!answer) console.write_out(sum + ". Run regengine gc --remove to remove them.\n");
  return answer == Answer::yes ? remove_all(guard, garbage) : 0;
}

}  // namespace reg
