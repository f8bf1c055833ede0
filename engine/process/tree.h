#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace reg::process {

/// The processes of one command: its session, everything they started, whatever left the session but carries the
/// command's mark in its environment, and, if no other command runs, orphans without a mark. It finds and signals them;
/// it starts and waits for nothing.
class Tree {
 public:
  /// `leader` leads a session of its own; `mark` is the value of REGENGINE_RUN in its environment. Without a mark, what
  /// the command leaves behind stays.
  Tree(pid_t leader, std::string mark);
  ~Tree();
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;

  /// Sends the signal to every member; the count of those it reached.
  int signal(int number) const;

  /// The leader and what descends from it now, without a look at every process of the machine: for a look now and
  /// then. An orphan is not among them.
  std::vector<pid_t> descendants() const;

  /// Once the leader has been waited for: ends what is left with KILL, until nothing is.
  void end_leftovers() const;

 private:
  std::vector<pid_t> members() const;
  bool may_have_leftovers() const;

  pid_t leader_;
  std::string mark_;
};

/// Every process that this one can see.
std::vector<pid_t> all_pids();

/// Those in the pid namespace of `pid`, which is one of a container: none if it is this process's own.
std::vector<pid_t> pids_inside(pid_t pid);

/// The threads of a process; one that has ended and was not waited for has its first.
std::vector<pid_t> threads_of(pid_t pid);

/// A new mark: this engine's id and a number.
std::string next_mark();

/// Before each command: makes its orphans come back to this process, so that they can be found and waited for.
void adopt_orphans();

/// Before a command is started in the sandbox: from now on a process that gave up new privileges, as such a command
/// does for good, is never the guardian of another engine, whatever its environment says.
void expect_sandboxed();

}  // namespace reg::process
