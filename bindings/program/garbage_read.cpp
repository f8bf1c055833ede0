#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bindings/program/garbage.h"
#include "engine/base/error.h"
#include "engine/broker/wire.h"
#include "engine/git/made.h"
#include "engine/git/replay.h"
#include "engine/store/open.h"

namespace reg {
namespace {

namespace fs = std::filesystem;
using broker::Json;

constexpr double kGoesOn_s = 14 * 86400;  // an investigation without an answer that nobody touched for longer is over

// The trials that have a folder, and the investigation that has no answer yet, if there is one.
Json read_store(const std::string& path) {
  const auto store = store::Store::try_open(path, store::Access::read);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  store::Statement goes_on(store->writer().handle(),
                           "SELECT i.name FROM investigations i WHERE i.ended IS NULL AND "
                           "max(i.started, coalesce((SELECT max(coalesce(t.ended, t.started)) FROM trials t "
                           "WHERE t.investigation = i.id), 0)) > ? ORDER BY i.id DESC");
  std::map<std::string, bool> done;
  const std::string name = goes_on.bind(1, now - kGoesOn_s).step() ? std::string(goes_on.text(0)) : "";
  store::Statement trials(store->writer().handle(), "SELECT folder, status FROM trials WHERE folder IS NOT NULL");
  while (trials.step())
    done[std::string(trials.text(0))] = trials.text(1) != "running" && trials.text(1) != "interrupted";
  return {{"done", done}, {"goes_on", name}};
}

}  // namespace

std::vector<std::string> locked_stores(const std::string& workspace) {
  std::vector<std::string> found;
  for (const fs::path folder : {"", store::kOwnFolder}) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(workspace / folder, ignored))
      if (entry.path().extension() == ".lock" && entry.is_regular_file(ignored))
        found.push_back((folder / entry.path().stem()).string());
  }
  return found;
}

std::string read_for_garbage(const std::string& workspace) {
  Json stores = Json::object(), replayed = Json::object();
  std::vector<std::string> homes{workspace};
  for (const git::MadeWorktree& tree : git::made_worktrees(workspace)) homes.push_back(tree.home);
  for (const std::string& home : homes) {
    try {
      replayed[home] = git::replayed_refs(git::Repo(home)).size();
    } catch (const Error&) {
      continue;  // no repository
    }
  }
  for (const std::string& name : locked_stores(workspace)) {
    try {
      stores[name] = read_store(fs::path(workspace) / name);
    } catch (const Error&) {
      continue;  // no store, or a newer engine's
    }
  }
  return broker::pack({{"stores", stores}, {"replayed", replayed}, {"clones", git::made_clones(workspace)}});
}

}  // namespace reg
