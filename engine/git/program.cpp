#include "engine/git/program.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "engine/base/text.h"
#include "engine/git/remote.h"

namespace reg::git {

namespace {

// ext:: runs any command, and a URL or a .gitmodules file is data from outside. Hooks and file monitors are programs
// that nobody asked for here.
constexpr std::array<const char*, 7> kGit{
    "git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};

// A clone of a large repository is silent for long.
constexpr double remote_limit_s = 2 * 3600;

// What git and its helpers say of a remote that is out of reach for now. curl has the same words for a name that does
// not exist and for a name server that does not answer.
bool remote_may_recover(const process::Outcome& outcome) {
  return outcome.timed_out || says_network_failed(outcome.err) ||
         contains_any(outcome.err,
                      {"Could not resolve host", "Couldn't connect to server", "Failed to connect", "early EOF",
                       "the remote end hung up unexpectedly", "SSL_ERROR_SYSCALL", "Recv failure"});
}

// On one line, without the advice that git prints below every failure to read from a remote.
std::string words_of(const std::string& err) {
  constexpr std::size_t kMost = 8;  // lines
  const std::string last = tail(err, kMost);
  std::string words;
  for (const std::string_view line : lines(last)) {
    const std::string_view text = trim(line);
    if (text.empty() || text.starts_with("Please make sure you have the correct access rights") ||
        text == "and the repository exists." || words.find(text) != std::string::npos)
      continue;
    if (!words.empty()) words += "; ";
    words += printable(text);
  }
  return words;
}

// What to do, by what git and ssh say where they would have asked or written something.
std::string advice_on(const process::Outcome& outcome) {
  constexpr std::array<std::array<const char*, 2>, 4> kAdvice{
      {{"Host key verification failed", "Connect once by hand, so that ssh knows the host."},
       {"Permission denied (publickey", "git asks for nothing here: load the key into ssh-agent."},
       {"terminal prompts disabled", "git asks for nothing here: set up a credential helper (git help credentials)."},
       {"unix_listener: cannot bind",
        "ssh can make no control socket here: connect once by hand, or set ControlMaster=no."}}};
  for (const auto& [said, advice] : kAdvice)
    if (outcome.err.find(said) != std::string::npos) return advice;
  return "git ended with code " + std::to_string(outcome.code) + "; the same command by hand shows more.";
}

Op<std::string> run_once(Loop& loop, process::Command command, bool remotely) {
  const auto run = process::run(loop, command);
  const process::Outcome outcome = co_await run;
  if (outcome.code == 0 && !outcome.timed_out) co_return outcome.out;
  const bool may_recover = remotely && remote_may_recover(outcome);
  command.argv.erase(command.argv.begin(), command.argv.begin() + std::ssize(kGit));
  throw Error(may_recover ? ErrorKind::network : ErrorKind::io,
              "git " + shell_words(command.argv) + (command.cwd.empty() ? "" : " in " + command.cwd) + ": " +
                  (outcome.timed_out ? "no answer; stopped" : words_of(outcome.err)),
              may_recover ? "" : advice_on(outcome));
}

}  // namespace

process::Command git_command(const std::string& folder, const std::vector<std::string>& words) {
  process::Command command;
  command.argv.assign(kGit.begin(), kGit.end());
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  command.cwd = folder;
  command.env["GIT_TERMINAL_PROMPT"] = "0";
  command.unset = {"GIT_DIR",        "GIT_WORK_TREE",
                   "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY",
                   "GIT_COMMON_DIR", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
                   "GIT_NAMESPACE",  "GIT_PREFIX"};
  return command;
}

Op<std::string> run_git(Loop& loop, process::Command command) { return run_once(loop, std::move(command), false); }

Op<std::string> run_git_remotely(Loop& loop, process::Command command, double most_s) {
  if (!command.timeout_s) command.timeout_s = remote_limit_s;
  return with_retries<std::string>(
      loop, [&loop, command] { return run_once(loop, command, true); }, most_s);
}

static void check_id(const std::string& id) {
  const bool hex = id.find_first_not_of("0123456789abcdef") == std::string::npos;
  if (!hex || (id.size() != 40 && id.size() != 64))
    throw Error(ErrorKind::usage, "not a valid id: '" + printable(id) + "'");
}

static std::string quoted(const std::string& value) {
  std::string text = "\"";
  for (const char c : value) text += c == '"' || c == '\\' ? std::string{'\\', c} : std::string{c};
  return text + "\"";
}

// Nothing in it comes from the other repository.
static void make_repository(const std::string& folder, const std::string& url, bool partial) {
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
static process::Command command_in(const PrivatePlace& place, const std::string& objects,
                                   const std::vector<std::string>& words) {
  process::Command command = git_command("", words);
  command.env.insert({{"GIT_DIR", place.folder},
                      {"GIT_OBJECT_DIRECTORY", objects},
                      {"GIT_ALLOW_PROTOCOL", "file:git:http:https:ssh"}});
  if (!place.remote)
    command.env.insert({{"HOME", place.folder}, {"XDG_CONFIG_HOME", place.folder}, {"GIT_CONFIG_NOSYSTEM", "1"}});
  command.box = place.box;
  return command;
}

// The socket that ssh shares among connections cannot be made here; one that is there is used.
static Op<std::string> ssh_without_new_socket(Loop& loop, PrivatePlace place) {
  for (const char* own : {"GIT_SSH_COMMAND", "GIT_SSH"})
    if (const char* value = std::getenv(own); value != nullptr) co_return "";
  process::Command ask = command_in(place, place.folder + "/objects", {"config", "--get", "core.sshCommand"});
  const process::Outcome own = co_await process::run(loop, std::move(ask));
  co_return own.code == 1 ? "ssh -o ControlMaster=no" : "";
}

// "ref: refs/heads/main\tHEAD"
static std::string head_from(const std::string& printed) {
  constexpr std::string_view kStart = "ref: ", kEnd = "\tHEAD";
  for (const std::string_view line : lines(printed))
    if (line.starts_with(kStart) && line.ends_with(kEnd))
      return std::string(line.substr(kStart.size(), line.size() - kStart.size() - kEnd.size()));
  return {};
}

Op<Fetched> fetch_in(Loop& loop, PrivatePlace place, Fetch what) {
  check_url(what.url);
  check_filter(what.filter);
  for (const auto* list : {&what.have, &what.ids}) std::for_each(list->begin(), list->end(), check_id);
  const bool partial = !what.filter.empty();
  make_repository(place.folder, what.url, partial);

  std::vector<std::string> argv{"fetch", "--quiet", "--no-recurse-submodules"};
  if (partial) argv.push_back("--filter=" + what.filter);
  if (what.ids.empty()) {
    for (const std::string& id : what.have) argv.push_back("--negotiation-tip=" + id);
    argv.insert(argv.end(), {"--", "origin", "+refs/heads/*:refs/heads/*"});
  } else {
    argv.insert(argv.begin(), {"-c", "fetch.negotiationAlgorithm=noop"});
    argv.insert(argv.end(), {"--no-tags", "--stdin", "--", "origin"});
  }
  process::Command fetch = command_in(place, what.objects, argv);
  if (!what.ids.empty()) fetch.input = join(what.ids, "\n") + "\n";
  fetch.env["GIT_NO_LAZY_FETCH"] = "1";
  std::map<std::string, std::string> for_ssh;
  if (place.remote)
    if (const std::string ssh = co_await ssh_without_new_socket(loop, place); !ssh.empty())
      for_ssh = {{"GIT_SSH_COMMAND", ssh}};
  fetch.env.insert(for_ssh.begin(), for_ssh.end());
  co_await run_git_remotely(loop, std::move(fetch), what.submodule ? kReachSubmodule_s : 1e9);
  Fetched fetched;
  if (!what.ids.empty()) co_return fetched;
  process::Command list = command_in(place, what.objects, {"for-each-ref", "--format=%(objectname) %(refname)"});
  const std::string listed = co_await run_git(loop, std::move(list));
  for (const std::string_view line : lines(listed))
    fetched.refs.emplace(line.substr(line.find(' ') + 1), line.substr(0, line.find(' ')));
  if (!what.head) co_return fetched;
  process::Command ask = command_in(place, what.objects, {"ls-remote", "--symref", "--", "origin", "HEAD"});
  ask.env.insert(for_ssh.begin(), for_ssh.end());
  fetched.head = head_from(co_await run_git_remotely(loop, std::move(ask)));
  co_return fetched;
}

Op<Patched> apply_in(Loop& loop, PrivatePlace place, Patch what) {
  check_id(what.tree);
  make_repository(place.folder, "", false);
  const std::string file = place.folder + "/patch";
  write_file(file, what.text);
  process::Command read = command_in(place, what.objects, {"read-tree", what.tree});
  co_await run_git(loop, std::move(read));
  process::Command apply = command_in(place, what.objects, {"apply", "--cached", "--whitespace=nowarn", "--", file});
  const process::Outcome applied = co_await process::run(loop, std::move(apply));
  Patched out;
  if (applied.code == 0) {
    process::Command write = command_in(place, what.objects, {"write-tree", "--missing-ok"});
    out.tree = trim(co_await run_git(loop, std::move(write)));
  } else {
    out.error = trim(printable(tail(applied.err, 8)));
  }
  co_return out;
}

}  // namespace reg::git
