#include "engine/git/needs.h"

#include <algorithm>
#include <filesystem>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/beyond.h"

namespace reg::git {
namespace {

// "" where it is on another machine.
std::string local_path(const std::string& url) {
  constexpr std::string_view scheme = "file://";
  if (url.starts_with(scheme)) return real_path(url.substr(scheme.size()));
  if (url.find("://") != std::string::npos) return {};
  const auto colon = url.find(':');  // "host:path", unless a slash comes first
  return colon == std::string::npos || url.find('/') < colon ? real_path(url) : std::string();
}

}  // namespace

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
  std::vector<Need> needs;
  for (const std::string& path : {real_path(repo.path()), repo.home()}) {
    if (!needs.empty() && needs.front().names.front() == path) continue;
    needs.push_back({EffectKind::git, {path}, false, true});
  }
  const std::vector<Need> links = needs_of_links(repo);
  needs.insert(needs.end(), links.begin(), links.end());
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

}  // namespace reg::git
