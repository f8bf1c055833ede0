#include <fcntl.h>
#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/box/box.h"
#include "engine/broker/broker.h"
#include "engine/git/made.h"
#include "engine/git/program.h"
#include "engine/git/repo.h"

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

Fd open_folder(const std::string& path) {
  if (!path.starts_with('/') || path.find('\0') != std::string::npos)
    throw Error(ErrorKind::usage, "not an absolute path: '" + path + "'");
  return open_file(path, O_PATH | O_DIRECTORY);
}

std::string path_of(const Fd& folder) { return fs::read_symlink(handle_of(folder)); }

// The repositories of a request as they are when it comes: whatever lies at their paths later, these are changed and
// read.
struct Repositories {
  // `folder`: of objects, of the one to change. `url`: of the one to fetch from; "" for none.
  Repositories(const std::string& folder, std::string url) : from(std::move(url)) {
    part = folder.ends_with("/.git/objects") ? "/.git/objects" : "/objects";
    if (!folder.ends_with(part)) throw Error(ErrorKind::usage, "not the objects of a repository: '" + folder + "'");
    target = open_folder(folder.substr(0, folder.size() - part.size()));
    const std::string place = from.empty() ? "" : git::need_of_url(from).names.front();
    if (place.starts_with('/')) from = path_of(source = open_folder(place));
    alternates = git::needs_of_alternates(objects());
  }

  std::string objects() const { return path_of(target) + part; }
  bool remote() const { return !from.empty() && !source; }

  std::vector<Need> needs(bool of_submodule) const {
    std::vector<Need> needs;
    if (!from.empty()) needs.push_back({EffectKind::git, {from}});
    // It may be any remote one, but not a folder of this machine: that one must be declared.
    if (of_submodule && remote()) needs.back().names.emplace_back("submodules");
    // Worktrees and submodules have theirs inside the .git of another.
    const std::string path = path_of(target);
    needs.push_back(uses(path.substr(0, (path + "/").find("/.git/"))));
    needs.insert(needs.end(), alternates.begin(), alternates.end());
    return needs;
  }

  std::string part, from;
  Fd target, source;
  std::vector<Need> alternates;
};

// What git may reach. To speak to a remote it reads all that its user may: settings, credentials, helpers, keys. Else a
// link or an alternate could lead it to any repository of the user, so it reads this folder, the source, and the
// alternates that are permitted.
std::shared_ptr<const box::Landlock> box_of(const Repositories& of, const std::string& folder) {
  box::Reach reach{{"/"}, {handle_of(of.target), folder}, box::reach_of_programs().devices};
  if (!of.remote()) {
    reach.read = box::reach_of_programs().read;
    reach.read.push_back(real_path("."));
    if (of.source) reach.read.push_back(handle_of(of.source));
    for (const Need& need : of.alternates) reach.read.push_back(need.names.front());
  }
  return std::make_shared<const box::Landlock>(reach);
}

template <class What, class Result>
Op<Json> work(Loop& loop, std::shared_ptr<const Repositories> of, What what,
              Op<Result> (*in)(Loop&, git::PrivatePlace, What)) {
  what.objects = of->objects();
  const TemporaryFolder folder(fs::temp_directory_path() / "regengine-git-");
  const git::PrivatePlace there{folder.path(), box_of(*of, folder.path()), of->remote()};
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

void add_git(Requests& requests, Loop& loop, Guard& guard) {
  const auto permitted = [&guard](const std::string& what, const std::string& objects, const std::string& url,
                                  bool of_submodule) {
    auto of = std::make_shared<const Repositories>(objects, url);
    guard.admit({EffectKind::git, what, of->needs(of_submodule)});
    return of;
  };
  requests["fetch"] = [&loop, permitted](const Request& request) {
    git::Fetch fetch = request.what();
    const auto of = permitted("fetch " + fetch.url, fetch.objects, fetch.url, fetch.submodule);
    fetch.url = of->from;
    return work(loop, of, fetch, git::fetch_in);
  };
  requests["apply"] = [&loop, permitted](const Request& request) {
    const git::Patch patch = request.what();
    return work(loop, permitted("apply a patch", patch.objects, "", false), patch, git::apply_in);
  };
}

void use_broker_for_git(const std::shared_ptr<Client>& client) {
  git::git_elsewhere() =
      git::GitElsewhere{[client](const git::Fetch& fetch) {
                          refuse_shallow(fetch.objects);
                          return client->ask<git::Fetched>("fetch", fetch);
                        },
                        [client](const git::Patch& patch) { return client->ask<git::Patched>("apply", patch); }};
}

}  // namespace reg::broker
