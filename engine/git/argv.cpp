#include "engine/git/argv.h"

#include "engine/base/error.h"
#include "engine/base/text.h"
#include "engine/loop/coroutine.h"

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
  return process::run(loop, std::move(run));
}

Op<std::string> run_git(Loop& loop, GitCommand command) {
  const std::string words = shell_words(command.argv), folder = command.folder;
  const process::Outcome outcome = co_await try_git(loop, std::move(command));
  if (outcome.code != 0)
    throw Error(ErrorKind::io,
                "git " + words + (folder.empty() ? "" : " in " + folder) + ": " +
                    std::string(trim(printable(tail(outcome.err, 8)))),
                "git ended with code " + std::to_string(outcome.code) + "; the same command by hand shows more");
  co_return outcome.out;
}

}  // namespace reg::git
