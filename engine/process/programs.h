#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
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

}  // namespace reg::process
