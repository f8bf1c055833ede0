#include <algorithm>
#include <filesystem>
#include <string_view>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/handles.h"
#include "engine/git/repo.h"

namespace reg::git {
namespace {

namespace fs = std::filesystem;

// "" where it is on another machine.
std::string local_path(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return real_path(url.substr(scheme.size()));
  if (url.find("://") != std::string::npos) return {};
  const auto colon = url.find(':');  // "host:path", unless a slash comes first
  return colon == std::string::npos || url.find('/') < colon ? real_path(url) : std::string();
}

// The links among what git reads.
void add_links(const std::string& folder, std::vector<Need>& needs) {
  for (const char* name : {"HEAD", "config", "config.worktree", "index", "info", "info/exclude", "logs", "modules",
                           "objects", "objects/info", "objects/info/alternates", "objects/pack", "packed-refs", "refs",
                           "refs/heads", "refs/remotes", "refs/tags", "shallow", "worktrees"}) {
    const fs::path path = fs::path(folder) / name;
    std::error_code error;
    if (fs::is_symlink(path, error)) needs.push_back(reading(path.string()));
  }
  for (const char* name : {"refs", "objects"}) {
    std::error_code error;
    for (fs::recursive_directory_iterator it(fs::path(folder) / name, error), end; !error && it != end;
         it.increment(error))
      if (it->is_symlink(error)) needs.push_back(reading(it->path().string()));
  }
}

// The repository whose objects these are; "" for a folder of another form.
std::string owner_of(const std::string& objects) {
  for (const std::string_view part : {"/.git/objects", "/objects"})
    if (objects.ends_with(part)) return objects.substr(0, objects.size() - part.size());
  return {};
}

void add_alternates(const std::string& objects, std::vector<Need>& needs, int depth) {
  constexpr int kDeepest = 5;  // as git
  const std::string text = read_file_if_there(objects + "/info/alternates").value_or("");
  for (const std::string_view line : lines(text)) {
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '"') {  // git takes it for a quoted path, which may be any
      needs.push_back(reading("/"));
      continue;
    }
    const std::string other = (fs::path(objects) / line).lexically_normal().string();
    needs.push_back(reading(other));
    if (const std::string owner = owner_of(needs.back().names.front()); !owner.empty())
      needs.back().names.push_back(owner);
    if (depth < kDeepest) add_alternates(other, needs, depth + 1);
  }
}

}  // namespace

Need reading(const std::string& path) { return {EffectKind::git, {real_path(path)}, false, true}; }

void check_url(const std::string& url) {
  refuse_option("url", url);
  if (std::any_of(url.begin(), url.end(), [](unsigned char c) { return c < 0x20 || c == 0x7f; }))
    throw Error(ErrorKind::usage, "the url '" + printable(url) + "' has a control character in it");
  const auto name = url.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-.");
  if (name != std::string::npos && name > 0 && url.compare(name, 2, "::") == 0)
    throw Error(ErrorKind::usage, "the url '" + url + "' names a helper program for git to run",
                "https://, ssh:// and file:// are URLs, and so are HOST:PATH and a path");
  if (!local_path(url).empty()) return;
  std::string path = in_small_letters(url);
  for (auto at = path.find("%2e"); at != std::string::npos; at = path.find("%2e")) path.replace(at, 3, ".");
  std::replace(path.begin(), path.end(), ':', '/');
  std::replace(path.begin(), path.end(), '\\', '/');
  const auto parts = split(path, '/');
  if (std::find(parts.begin(), parts.end(), "..") != parts.end())
    throw Error(ErrorKind::usage, "the url '" + url + "' has '..' in it", "write where it leads");
}

Need need_of_url(const std::string& url) {
  check_url(url);
  const std::string path = local_path(url);
  return {EffectKind::git, {path.empty() ? url : path}};
}

std::vector<Need> needs_to_read(const Repo& repo) {
  std::vector<Need> needs{reading(repo.path())};
  if (needs.front().names.front() != repo.home()) needs.push_back(reading(repo.home()));
  // What git reads elsewhere for it: where a link in its folder leads, and alternates.
  const std::string common = git_repository_commondir(repo.handle()), own = git_repository_path(repo.handle());
  add_links(common, needs);
  if (own != common) add_links(own, needs);
  add_alternates(common + "objects", needs, 1);
  return needs;
}

std::vector<Need> needs_to_switch(const Repo& repo) {
  std::vector<Need> needs = needs_of_programs(repo);
  needs.push_back({EffectKind::git, {repo.home()}});
  if (const auto url = repo.url_of("origin")) needs.back().names.push_back(*url);
  for (const std::string& name : promisors(repo.handle()))
    needs.push_back(need_of_url(repo.url_of(name).value_or(name)));
  return needs;
}

// Keys of a configuration, in small letters, whose value is a program or leads to other configuration.
static bool names_program(std::string_view key) {
  constexpr std::string_view kKeys =
      "core.sshcommand core.gitproxy core.askpass core.editor core.pager core.worktree diff.external sequence.editor "
      "gpg.program core.alternaterefscommand uploadpack.packobjectshook";
  constexpr std::string_view kFirst = "alias credential filter include includeif";
  constexpr std::string_view kLast = "uploadpack receivepack vcs proxy update helper program textconv command driver";
  // A remote whose name is a URL stands in for that URL.
  if (key.starts_with("remote.") && key.find_first_of("/:") != std::string_view::npos) return true;
  return has_word(kKeys, key) || has_word(kFirst, key.substr(0, key.find('.'))) ||
         has_word(kLast, key.substr(key.rfind('.') + 1));
}

// Remotes that git reads and libgit2 does not.
static bool has_remotes_elsewhere(const std::string& folder) {
  std::error_code error;
  for (const char* name : {"remotes", "branches"})
    if (fs::path path = fs::path(folder) / name; fs::exists(path, error) && !fs::is_empty(path, error)) return true;
  return false;
}

static ConfigPtr configuration_of(git_repository* repository) {
  return make<ConfigPtr>(std::string("the configuration of ") + git_repository_path(repository),
                         git_repository_config_snapshot, repository);
}

std::vector<Need> needs_of_alternates(const std::string& objects) {
  std::vector<Need> needs;
  add_alternates(objects, needs, 1);
  return needs;
}

std::vector<Need> needs_of_programs(const Repo& repo) {
  bool found = has_remotes_elsewhere(git_repository_commondir(repo.handle()));
  each_entry(configuration_of(repo.handle()), [&](const git_config_entry& entry) {
    found = found || (entry.level == GIT_CONFIG_LEVEL_LOCAL && names_program(entry.name));
  });
  // git reads this one too, libgit2 does not.
  const std::string of_worktree = std::string(git_repository_path(repo.handle())) + "config.worktree";
  if (std::error_code error; fs::exists(of_worktree, error))
    each_entry(make<ConfigPtr>(of_worktree, git_config_open_ondisk, of_worktree.c_str()),
               [&](const git_config_entry& entry) {
                 const std::string_view name = entry.name;
                 found = found || names_program(name) || name.starts_with("remote.") || name.starts_with("url.");
               });
  return found ? std::vector<Need>{{EffectKind::unboxed, {"sh"}}} : std::vector<Need>{};
}

// Not by libgit2's own pattern: that one leaks at every name that does not match (1.5).
std::vector<std::string> promisors(git_repository* repository) {
  constexpr std::string_view kFirst = "remote.", kLast = ".promisor";
  std::vector<std::string> names;
  each_entry(configuration_of(repository), [&](const git_config_entry& entry) {
    const std::string_view key = entry.name;
    if (key == "extensions.partialclone")
      names.emplace_back(entry.value != nullptr ? entry.value : "");
    else if (key.starts_with(kFirst) && key.ends_with(kLast) && key.size() > kFirst.size() + kLast.size())
      names.emplace_back(key.substr(kFirst.size(), key.size() - kFirst.size() - kLast.size()));
  });
  return names;
}

}  // namespace reg::git
