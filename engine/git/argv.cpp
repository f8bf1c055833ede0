#include "engine/git/argv.h"

#include <array>

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/loop/retry.h"

namespace reg::git {

Op<process::Outcome> try_git(Loop& loop, GitCommand command) {
  process::Command run;
  // ext:: runs any command, and a URL or a .gitmodules file is data from outside. Hooks and file monitors are programs
  // that nobody asked for here.
  run.argv = {"git", "-c", "protocol.ext.allow=never", "-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"};
  if (!command.folder.empty()) run.argv.insert(run.argv.end(), {"-C", command.folder});
  run.argv.insert(run.argv.end(), command.argv.begin(), command.argv.end());
  run.env = std::move(command.env);
  run.env["GIT_TERMINAL_PROMPT"] = "0";
  for (const char* name : {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR",
                           "GIT_ALTERNATE_OBJECT_DIRECTORIES", "GIT_NAMESPACE", "GIT_PREFIX"})
    if (!run.env.contains(name)) run.unset.emplace_back(name);
  run.input = std::move(command.input);
  run.timeout_s = command.timeout_s;
  run.box = std::move(command.box);
  return process::run(loop, std::move(run));
}

namespace {

// A clone of a large repository is silent for long.
constexpr double remote_limit_s = 2 * 3600;

// What git and its helpers say of a remote that is out of reach for now. curl has the same words for a name that does
// not exist and for a name server that does not answer.
bool remote_may_recover(const process::Outcome& outcome) {
  if (outcome.timed_out) return true;
  for (const char* words : {"Could not resolve host", "Couldn't connect to server", "Failed to connect", "early EOF",
                            "the remote end hung up unexpectedly", "SSL_ERROR_SYSCALL", "Recv failure"})
    if (outcome.err.find(words) != std::string::npos) return true;
  return says_network_failed(outcome.err);
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

std::string checked(const GitCommand& command, const process::Outcome& outcome, ErrorKind kind) {
  if (outcome.code == 0 && !outcome.timed_out) return outcome.out;
  throw Error(kind,
              "git " + shell_words(command.argv) + (command.folder.empty() ? "" : " in " + command.folder) + ": " +
                  (outcome.timed_out ? "no answer; stopped" : words_of(outcome.err)),
              kind == ErrorKind::network ? "" : advice_on(outcome));
}

Op<std::string> try_remotely(Loop& loop, GitCommand command) {
  const auto run = try_git(loop, command);
  const process::Outcome outcome = co_await run;
  co_return checked(command, outcome, remote_may_recover(outcome) ? ErrorKind::network : ErrorKind::io);
}

}  // namespace

Op<std::string> run_git(Loop& loop, GitCommand command) {
  const auto run = try_git(loop, command);
  const process::Outcome outcome = co_await run;
  co_return checked(command, outcome, ErrorKind::io);
}

Op<std::string> run_git_remotely(Loop& loop, GitCommand command, double most_s) {
  if (!command.timeout_s) command.timeout_s = remote_limit_s;
  return with_retries<std::string>(
      loop, [&loop, command] { return try_remotely(loop, command); }, most_s);
}

}  // namespace reg::git
