#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/file.h"
#include "engine/process/command.h"

namespace reg::process {

/// The processes of one command: its session, everything they started, whatever left the session but carries the
/// command's mark in its environment, and, if no other command runs, orphans without a mark.
class Tree {
 public:
  /// `leader` leads a session of its own; `mark` is the value of REGENGINE_RUN in its environment. Without a mark, what
  /// the command leaves behind stays.
  Tree(pid_t leader, std::string mark);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Sends the signal to every member.
  void signal(int number) const;

  /// The leader and what descends from it now, without orphans: not a look at every process of the machine.
  std::vector<pid_t> descendants() const;

  /// Once the leader has been waited for: ends what is left with KILL, until nothing is.
  void end_leftovers() const;

 private:
  std::vector<pid_t> members() const;
  bool may_have_leftovers() const;

  pid_t leader_;
  std::string mark_;
};

/// Those in the pid namespace of `pid`, which is one of a container: none if it is this process's own.
std::vector<pid_t> pids_inside(pid_t pid);

/// The threads of a process; one that has ended and was not waited for has its first.
std::vector<pid_t> threads_of(pid_t pid);

/// A new mark: this engine's id and a number.
std::string next_mark();

/// Before each command: makes its orphans come back to this process, so that they can be found and waited for. Before
/// the first, it ends what dead engines left running, which would disturb already the first measurement.
void adopt_orphans();

/// Before a command is started in the sandbox: from now on a process that gave up new privileges, as such a command
/// does for good, is never the guardian of another engine, whatever its environment says.
void expect_sandboxed();

/// A command that was started: its pid, which nobody has waited for yet, and our ends of its pipes.
struct Child {
  pid_t pid = -1;
  Fd in;  ///< only where the command has input
  Fd out;
  Fd err;
};

/// Starts it as the leader of a session of its own. If this engine dies, it is killed, or with Command::alone asked to
/// end. `mark` becomes REGENGINE_RUN in its environment; without one, REGENGINE_CLIENT names this engine. Throws
/// not_found, permission or io. `counter`: that of Command::count, to be received from the child then, or nullptr.
Child spawn(Loop& loop, const Command& command, const std::string& mark, const Counter* counter);

/// One stream of a command as it comes: whole (up to a limit) into a file, and its first quarter and its end into
/// memory, however much there is of it.
class Output {
 public:
  Output(std::size_t keep_bytes, std::uint64_t file_bytes);

  /// Also writes to `file`, which another stream may share.
  void to_file(std::shared_ptr<Fd> file, std::string path);

  /// Throws io when the file cannot be written; what was written stays.
  void add(std::string_view data);

  std::uint64_t bytes() const { return bytes_; }

  /// What is in memory, a line in the place of what was left out.
  std::string text() const;

 private:
  std::size_t keep_;
  std::uint64_t file_left_;
  std::uint64_t bytes_ = 0;
  std::string head_;
  std::string tail_;
  std::shared_ptr<Fd> file_;
  std::string path_;
};

}  // namespace reg::process
