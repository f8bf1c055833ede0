#include "engine/broker/git_requests.h"

#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/temporary_folder.h"
#include "engine/box/reach.h"
#include "engine/broker/client.h"
#include "engine/git/needs.h"
#include "engine/git/private_git.h"
#include "engine/loop/coroutine.h"

namespace reg::git {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fetch, objects, url, filter, have, ids, head, submodule)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fetched, refs, head)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patch, objects, tree, text, promisor)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patched, tree, error)
}  // namespace reg::git

namespace reg::broker {
namespace {

namespace fs = std::filesystem;

// A repository as it is when the request comes: whatever lies at its path later, this one is written to.
class Target {
 public:
  /// `objects`: its folder of objects.
  explicit Target(const std::string& objects) : part_(part_of(objects)) {
    const std::string folder = objects.substr(0, objects.size() - part_.size());
    if (!folder.starts_with('/') || folder.find('\0') != std::string::npos)
      throw Error(ErrorKind::usage, "not an absolute path: '" + folder + "'");
    folder_ = open_file(folder, O_PATH | O_DIRECTORY);
  }

  std::string handle() const { return fmt::format("/proc/self/fd/{}", folder_.get()); }
  std::string path() const { return fs::read_symlink(handle()); }
  std::string objects() const { return path() + part_; }
  /// The folder that it belongs to: worktrees and submodules have theirs inside the .git of another.
  std::string owner() const { return path().substr(0, (path() + "/").find("/.git/")); }

 private:
  static std::string part_of(const std::string& objects) {
    for (const char* part : {"/.git/objects", "/objects"})
      if (objects.ends_with(part)) return part;
    throw Error(ErrorKind::usage, "not the objects of a repository: '" + objects + "'");
  }

  std::string part_;
  Fd folder_;
};

struct Place {
  explicit Place(const Target& target) {
    box::Reach reach{{"/"}, {target.handle(), folder.path()}, box::reach_of_programs().devices};
    landlock = std::make_shared<const box::Landlock>(reach);
  }

  TemporaryFolder folder{fs::temp_directory_path() / "regengine-git-"};
  std::shared_ptr<const box::Landlock> landlock;
};

// A submodule's URL may be any, but not a folder of this machine: that one must be declared.
Need need_of(const git::Fetch& fetch) {
  Need need = git::need_of_url(fetch.url);
  if (fetch.submodule && !need.names.front().starts_with('/')) need.names.emplace_back("submodules");
  return need;
}

template <class What, class Result>
Op<Json> work(Loop& loop, std::shared_ptr<const Target> target, What what,
              Op<Result> (*in)(Loop&, git::PrivatePlace, What)) {
  what.objects = target->objects();
  const Place place(*target);
  const git::PrivatePlace there{place.folder.path(), place.landlock};
  co_return Json(co_await in(loop, there, what));
}

}  // namespace

Op<Json> GitRequests::handle(const Json& request) {
  const auto permitted = [this](const std::string& what, const std::string& objects, std::vector<Need> needs) {
    auto target = std::make_shared<const Target>(objects);
    needs.push_back(uses(target->owner()));
    policy_.permit({EffectKind::git, what, std::move(needs)}, false);
    return target;
  };
  if (request.contains("fetch")) {
    const git::Fetch fetch = request["fetch"];
    return work(loop_, permitted("fetch " + fetch.url, fetch.objects, {need_of(fetch)}), fetch, git::fetch_in);
  }
  const git::Patch patch = request.at("apply");
  std::vector<Need> needs;
  if (!patch.promisor.empty()) needs.push_back(git::need_of_url(patch.promisor));
  return work(loop_, permitted("apply a patch", patch.objects, needs), patch, git::apply_in);
}

void use_broker_for_git(const std::shared_ptr<Client>& client) {
  const auto ask = [client](const char* name, const Json& what, auto read) {
    return client->ask(Json{{"git", {{name, what}}}}, read);
  };
  git::use_git_elsewhere(
      {[ask](const git::Fetch& fetch) {
         return ask("fetch", fetch, std::function([](const Json& json) { return json.get<git::Fetched>(); }));
       },
       [ask](const git::Patch& patch) {
         return ask("apply", patch, std::function([](const Json& json) { return json.get<git::Patched>(); }));
       }});
}

}  // namespace reg::broker
