#pragma once

#include <sys/types.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
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

/// A counter of one process and all that it starts, in user mode. The process opens it itself, between fork and exec,
/// and hands it over: one that the engine opened would count its later commands as well.
class Counter {
 public:
  explicit Counter(const Counted& counted);

  /// In the child. False with errno if it fails. Only calls that are safe there.
  bool open() const;

  /// In the engine, once the child runs.
  void receive();

  /// nullopt if it did not count all the time, as where others use the hardware.
  std::optional<std::uint64_t> read() const;

 private:
  Counted counted_;
  Fd ours_, childs_;  // a pair of sockets
  Fd counter_;
};

/// How many processes the kernel has killed for lack of memory.
struct OomKills {
  std::int64_t count = 0;
  bool of_machine = false;  ///< no control group counts them, so they may be of any process
};

/// In the control groups of this process.
OomKills oom_kills();

/// What processes run, at the moment of a look: what a thread used since the last one is lost when it ends.
class Programs {
 public:
  /// One that has ended and was not waited for still tells its times; any other adds nothing.
  void look_at(pid_t pid);

  /// Those that were seen, the one with the most CPU time first.
  std::vector<Program> seen() const;

 private:
  struct Thread {
    std::string program;  // the one that it ran last: times go on through an exec
    std::uint64_t cpu_ns = 0, delay_ns = 0;
  };
  using Variables = std::map<std::string, std::string>;

  void add_variables(const std::string& name, Variables variables);
  void add_times(pid_t pid, const std::string& name);

  std::map<pid_t, std::string> names_;
  std::map<pid_t, Thread> threads_;
  std::map<std::string, std::optional<Variables>> variables_;  // by program
};

/// The programs and libraries below some folders that processes map to execute, at the moment of a look.
class Loaded {
 public:
  /// `mounts`: folders by the path at which the processes see them (Command::mounts).
  explicit Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts = {});

  bool wanted() const { return !folders_.empty(); }
  bool any() const { return !files_.empty(); }

  /// Notes what the process maps now. One that has ended, or may not be read, adds nothing.
  void look_at(pid_t pid);

  /// By the path of each file that was seen and is still there: its GNU build-id, or "sha256:..." where it has none. It
  /// reads the files, but none again that has not changed since: for a worker thread.
  std::map<std::string, std::string> ids() const;

 private:
  std::vector<std::string> folders_;  // with a slash at the end
  std::map<std::string, std::string> mounts_;
  std::set<std::string> files_;
};

/// The GNU build-id that the linker put into an ELF file, in hex; "" for any other file.
std::string build_id_of(const std::string& path);

using Clock = std::chrono::steady_clock;

/// When a process ends, noted on a thread of its own: the loop's may be busy at that moment. Until then it is the
/// clock's first moment.
using ExitTime = std::atomic<Clock::time_point>;
std::shared_ptr<const ExitTime> exit_time(Fd pidfd);

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
