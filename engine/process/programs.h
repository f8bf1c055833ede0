#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace reg::process {

/// What was seen of the processes that run one program.
struct Program {
  std::string name;        ///< the last part of its path
  double cpu_s = 0;        ///< summed over their threads
  double cpu_delay_s = 0;  ///< their threads were ready to run, and waited for a CPU; also summed
  /// With which all of them were started: variables that two of them have with different values are left out. Absent if
  /// they may not be read, or are none.
  std::optional<std::map<std::string, std::string>> variables;
};

/// What processes run, seen from outside: it sees what is there at the moment of a look, and what a thread used since
/// the last one is lost when it ends. Who looks, and when, is the caller's matter.
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

/// What processes load from below some folders: the programs and libraries that they map to execute. It sees what is
/// mapped at the moment of a look; who looks, and when, is the caller's matter.
class Loaded {
 public:
  /// `mounts`: folders by the path at which the processes see them (Command::mounts).
  explicit Loaded(const std::vector<std::string>& folders, const std::map<std::string, std::string>& mounts = {});

  bool wanted() const { return !folders_.empty(); }
  bool any() const { return !files_.empty(); }

  /// Notes what the process maps now. One that has ended, or may not be read, adds nothing.
  void look_at(pid_t pid);

  /// Of each file that was seen, by path: its GNU build-id, or "sha256:..." of a file that has none. A file that is
  /// gone is not among them. It reads the files, but none again that has not changed since: for a worker thread.
  std::map<std::string, std::string> ids() const;

 private:
  std::vector<std::string> folders_;  // with a slash at the end
  std::map<std::string, std::string> mounts_;
  std::set<std::string> files_;
};

/// The GNU build-id that the linker put into a 64-bit ELF file, in hex; "" for a file without one, and for any other
/// file. It reads no more than the headers and the notes, and trusts none of them.
std::string build_id_of(const std::string& path);

}  // namespace reg::process
