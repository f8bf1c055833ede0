#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/box/landlock.h"
#include "engine/broker/client.h"
#include "engine/broker/wire.h"
#include "engine/git/made.h"
#include "engine/git/needs.h"
#include "engine/git/private_git.h"

namespace reg::git {
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fetch, objects, url, filter, have, ids, head, submodule)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Fetched, refs, head)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patch, objects, tree, text)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patched, tree, error)
}  // namespace reg::git

namespace reg::broker {
namespace {

namespace fs = std::filesystem;

std::string handle_of(const Fd& folder) { return fmt::format("/proc/self/fd/{}", folder.get()); }

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

  std::string handle() const { return handle_of(folder_); }
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

// The repository to fetch from. One on this machine is opened as the target is.
class Source {
 public:
  /// `url`: "" for none.
  explicit Source(std::string url) : url_(std::move(url)) {
    if (url_.empty()) return;
    const std::string place = git::need_of_url(url_).names.front();
    remote_ = !place.starts_with('/');
    if (remote_) return;
    folder_ = open_file(place, O_PATH | O_DIRECTORY);
    url_ = fs::read_symlink(handle_of(folder_)).string();
  }

  /// Of a submodule it may be any remote one, but not a folder of this machine: that one must be declared.
  std::vector<Need> needs(bool of_submodule) const {
    if (url_.empty()) return {};
    Need need{EffectKind::git, {url_}};
    if (of_submodule && remote_) need.names.emplace_back("submodules");
    return {need};
  }

  const std::string& url() const { return url_; }
  bool remote() const { return remote_; }
  std::string handle() const { return folder_ ? handle_of(folder_) : ""; }

 private:
  std::string url_;
  bool remote_ = false;
  Fd folder_;
};

struct Repositories {
  Repositories(const std::string& objects, const std::string& url)
      : target(objects), source(url), alternates(git::needs_of_alternates(target.objects())) {}
  Target target;
  Source source;
  std::vector<Need> alternates;
};

// What git may reach. To speak to a remote it reads all that its user may: settings, credentials, helpers, keys. Else a
// link or an alternate could lead it to any repository of the user, so it reads this folder, the source, and the
// alternates that are permitted.
struct GitBox {
  explicit GitBox(const Repositories& of) {
    const auto& [target, source, alternates] = of;
    box::Reach reach{{"/"}, {target.handle(), folder.path()}, box::reach_of_programs().devices};
    if (!source.remote()) {
      reach.read = box::reach_of_programs().read;
      reach.read.insert(reach.read.end(), {real_path("."), source.handle()});
      for (const Need& need : alternates) reach.read.push_back(need.names.front());
    }
    landlock = std::make_shared<const box::Landlock>(reach);
  }

  TemporaryFolder folder{fs::temp_directory_path() / "regengine-git-"};
  std::shared_ptr<const box::Landlock> landlock;
};

template <class What, class Result>
Op<Json> work(Loop& loop, std::shared_ptr<const Repositories> of, What what,
              Op<Result> (*in)(Loop&, git::PrivatePlace, What)) {
  what.objects = of->target.objects();
  const GitBox box(*of);
  const git::PrivatePlace there{box.folder.path(), box.landlock, of->source.remote()};
  co_return Json(co_await in(loop, there, what));
}

// The private repository knows no borders of history.
void refuse_shallow(const std::string& objects) {
  const fs::path repository = fs::path(objects).parent_path();
  const std::string origin = git::origin_of_private_clone(repository);
  std::error_code unseen;
  if (fs::exists(repository / "shallow", unseen))
    throw Error(
        ErrorKind::usage,
        "cannot fetch for a shallow clone in the sandbox: '" + (origin.empty() ? repository.string() : origin) + "'",
        "Run git fetch --unshallow there, or clone it without --depth.");
}

}  // namespace

void add_git(Requests& requests, Loop& loop, Policy& policy) {
  const auto permitted = [&policy](const std::string& what, const std::string& objects, const std::string& url,
                                   bool of_submodule) {
    auto of = std::make_shared<const Repositories>(objects, url);
    Effect effect{EffectKind::git, what, of->source.needs(of_submodule)};
    effect.needs.push_back(uses(of->target.owner()));
    effect.needs.insert(effect.needs.end(), of->alternates.begin(), of->alternates.end());
    policy.permit(effect, false);
    return of;
  };
  requests["fetch"] = [&loop, permitted](const Request& request) {
    git::Fetch fetch = request.what();
    const auto of = permitted("fetch " + fetch.url, fetch.objects, fetch.url, fetch.submodule);
    fetch.url = of->source.url();
    return work(loop, of, fetch, git::fetch_in);
  };
  requests["apply"] = [&loop, permitted](const Request& request) {
    const git::Patch patch = request.what();
    return work(loop, permitted("apply a patch", patch.objects, "", false), patch, git::apply_in);
  };
}

void use_broker_for_git(const std::shared_ptr<Client>& client) {
  git::use_git_elsewhere(
      {[client](const git::Fetch& fetch) {
         refuse_shallow(fetch.objects);
         return client->ask<git::Fetched>(call("fetch", fetch));
       },
       [client](const git::Patch& patch) { return client->ask<git::Patched>(call("apply", patch)); }});
}

}  // namespace reg::broker
