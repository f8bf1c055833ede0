#include "engine/git/private_git.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "engine/base/error.h"
#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/git/needs.h"
#include "engine/git/remote.h"
#include "engine/loop/coroutine.h"

namespace reg::git {
namespace {

GitElsewhere& elsewhere() {
  static GitElsewhere doers;
  return doers;
}

void check_id(const std::string& id) {
  const bool hex =
      std::all_of(id.begin(), id.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
  if (!hex || (id.size() != 40 && id.size() != 64))
    throw Error(ErrorKind::usage, "not a valid id: '" + printable(id) + "'");
}

std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text + "\"";
}

// Nothing in it comes from the other repository.
void make_repository(const std::string& folder, const std::string& url, bool partial) {
  for (const char* part : {"/refs", "/objects"}) make_folders(folder + part);
  std::string config = "[core]\n\tbare = true\n\trepositoryformatversion = " + std::string(partial ? "1" : "0") +
                       "\n[gc]\n\tauto = 0\n[maintenance]\n\tauto = false\n";
  if (!url.empty()) config += "[remote \"origin\"]\n\turl = " + quoted(url) + "\n";
  if (partial) config += "\tpromisor = true\n\tpartialclonefilter = blob:none\n[extensions]\n\tpartialClone = origin\n";
  write_file(folder + "/config", config);
  write_file(folder + "/.gitconfig", "[safe]\n\tdirectory = *\n");  // where it is its HOME
  write_file(folder + "/HEAD", "ref: refs/heads/none\n");
}

// Its objects are read as they come, in a repository that anybody may have made: no helper program, and no fetch that
// it asks for by itself.
GitCommand command_in(const PrivatePlace& place, const std::string& objects, std::vector<std::string> argv) {
  GitCommand command{"", std::move(argv)};
  command.env = {
      {"GIT_DIR", place.folder}, {"GIT_OBJECT_DIRECTORY", objects}, {"GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"}};
  if (!place.remote)
    command.env.insert({{"HOME", place.folder}, {"XDG_CONFIG_HOME", place.folder}, {"GIT_CONFIG_NOSYSTEM", "1"}});
  command.box = place.box;
  return command;
}

// The socket that ssh shares among connections cannot be made here; one that is there is used.
Op<std::string> ssh_without_new_socket(Loop& loop, PrivatePlace place) {
  for (const char* own : {"GIT_SSH_COMMAND", "GIT_SSH"})
    if (const char* value = std::getenv(own); value != nullptr) co_return "";
  GitCommand ask = command_in(place, place.folder + "/objects", {"config", "--get", "core.sshCommand"});
  const process::Outcome own = co_await try_git(loop, std::move(ask));
  co_return own.code == 1 ? "ssh -o ControlMaster=no" : "";
}

// "ref: refs/heads/main\tHEAD"
std::string head_from(const std::string& printed) {
  constexpr std::string_view kStart = "ref: ", kEnd = "\tHEAD";
  for (const std::string_view line : lines(printed))
    if (line.starts_with(kStart) && line.ends_with(kEnd))
      return std::string(line.substr(kStart.size(), line.size() - kStart.size() - kEnd.size()));
  return {};
}

}  // namespace

void use_git_elsewhere(GitElsewhere doers) { elsewhere() = std::move(doers); }

const GitElsewhere* git_elsewhere() { return elsewhere().fetch ? &elsewhere() : nullptr; }

Op<Fetched> fetch_in(Loop& loop, PrivatePlace place, Fetch what) {
  check_url(what.url);
  check_filter(what.filter);
  for (const auto* list : {&what.have, &what.ids}) std::for_each(list->begin(), list->end(), check_id);
  const bool partial = !what.filter.empty();
  make_repository(place.folder, what.url, partial);

  std::vector<std::string> argv{"fetch", "--quiet", "--no-recurse-submodules"};
  if (partial) argv.push_back("--filter=" + what.filter);
  GitCommand fetch;
  if (what.ids.empty()) {
    for (const std::string& id : what.have) argv.push_back("--negotiation-tip=" + id);
    argv.insert(argv.end(), {"--", "origin", "+refs/heads/*:refs/heads/*"});
    fetch = command_in(place, what.objects, std::move(argv));
  } else {
    argv.insert(argv.begin(), {"-c", "fetch.negotiationAlgorithm=noop"});
    argv.insert(argv.end(), {"--no-tags", "--stdin", "--", "origin"});
    fetch = command_in(place, what.objects, std::move(argv));
    fetch.input = join(what.ids, "\n") + "\n";
  }
  fetch.env["GIT_NO_LAZY_FETCH"] = "1";
  std::map<std::string, std::string> for_ssh;
  if (place.remote)
    if (const std::string ssh = co_await ssh_without_new_socket(loop, place); !ssh.empty())
      for_ssh = {{"GIT_SSH_COMMAND", ssh}};
  fetch.env.insert(for_ssh.begin(), for_ssh.end());
  co_await run_git_remotely(loop, std::move(fetch), what.submodule ? kReachSubmodule_s : 1e9);
  Fetched fetched;
  if (!what.ids.empty()) co_return fetched;
  GitCommand list = command_in(place, what.objects, {"for-each-ref", "--format=%(objectname) %(refname)"});
  const std::string listed = co_await run_git(loop, std::move(list));
  for (const std::string_view line : lines(listed))
    fetched.refs.emplace(line.substr(line.find(' ') + 1), line.substr(0, line.find(' ')));
  if (!what.head) co_return fetched;
  GitCommand ask = command_in(place, what.objects, {"ls-remote", "--symref", "--", "origin", "HEAD"});
  ask.env.insert(for_ssh.begin(), for_ssh.end());
  fetched.head = head_from(co_await run_git_remotely(loop, std::move(ask)));
  co_return fetched;
}

Op<Patched> apply_in(Loop& loop, PrivatePlace place, Patch what) {
  check_id(what.tree);
  make_repository(place.folder, "", false);
  const std::string file = place.folder + "/patch";
  write_file(file, what.text);
  GitCommand read = command_in(place, what.objects, {"read-tree", what.tree});
  co_await run_git(loop, std::move(read));
  GitCommand apply = command_in(place, what.objects, {"apply", "--cached", "--whitespace=nowarn", "--", file});
  const process::Outcome applied = co_await try_git(loop, std::move(apply));
  Patched out;
  if (applied.code == 0) {
    GitCommand write = command_in(place, what.objects, {"write-tree", "--missing-ok"});
    out.tree = trim(co_await run_git(loop, std::move(write)));
  } else {
    out.error = trim(printable(tail(applied.err, 8)));
  }
  co_return out;
}

}  // namespace reg::git
