#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/library.h"
#include "engine/box/box.h"
#include "engine/guard/effect.h"
#include "engine/loop/loop.h"

namespace reg {
struct SandboxSupport;
}

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

/// What the kernel counts of a command, as perf_event_open has it: `type` and `config`.
struct Counted {
  std::uint32_t type;
  std::uint64_t config;
};

extern const Counted kInstructions;

/// Throws Error(unavailable) where this cannot be counted: it is not permitted, or the machine has no counter.
void check_counter(const Counted& counted);

/// GPUs that the command has to itself, and CPUs near them (reg.gpu.lease). Which of several equal ones it got is not
/// part of the identity of what it measures; how many are.
struct Leased {
  std::vector<std::string> uuids;    ///< what visible_devices() is set to
  std::vector<std::string> indexes;  ///< as the driver counts them
  std::vector<int> cpus;             ///< {}: those of Command::on_cpus
};

/// What to run and within which limits. `argv[0]` is looked up in PATH; no shell is involved.
struct Command {
  std::vector<std::string> argv;
  std::map<std::string, std::string> env;  ///< set on top of the engine's own environment
  std::vector<std::string> unset;          ///< names taken out of it
  std::string cwd;                         ///< "" = the engine's
  std::string input;                       ///< given on stdin; stdin is /dev/null when empty
  /// Folders by the path at which the command alone sees them (Mounts). Of a `client_of`: those of the container, which
  /// has them already.
  std::map<std::string, std::string> mounts;
  std::vector<int> on_cpus;  ///< {} = all that the engine may use
  std::optional<Leased> leased;
  std::optional<Bounds> bounds;              ///< it runs in the sandbox with these; absent: outside
  std::shared_ptr<const box::Landlock> box;  ///< that of the sandbox, once the command is to be started
  std::optional<double> timeout_s;           ///< then TERM to the whole tree, and KILL after kill_after_s
  double kill_after_s = 2;
  /// The same when its processes have read next to nothing for so long: from the network, a pipe or a file.
  std::optional<double> stall_s;
  /// The command alone is signalled by a time-out or a cancel, and what it leaves behind stays: `podman run` leaves a
  /// monitor that must outlive it. It carries no REGENGINE_RUN mark. If the engine dies, it gets TERM, not KILL: only
  /// so it removes what it had half made.
  bool alone = false;
  std::string out_file;  ///< stdout also goes to this file, as it comes; "" = to memory alone
  std::string err_file;  ///< the same for stderr; equal to out_file: both in one file, in order of arrival
  /// What its processes load from below these folders is noted; {} = nothing is. One is seen that runs at least as long
  /// as everything before it, or four seconds.
  std::vector<std::string> loaded_below;
  bool programs = false;  ///< note what its processes run (Outcome::programs)
  /// Counted in user mode of it and its children, if the machine can: see check_counter().
  std::optional<Counted> count;
  pid_t client_of = 0;  ///< a process of the container in which the command itself runs; 0 = it runs here
  std::size_t keep_bytes = std::size_t{1} << 20;        ///< of each stream in memory: its first quarter and its end
  std::uint64_t file_bytes = std::uint64_t{256} << 20;  ///< of each stream in its file; the rest is counted, not kept
};

/// How it went. A non-zero code, a signal or a time-out is data, not an error.
struct Outcome {
  int code = 0;    ///< exit code; 128 + signal when a signal ended it, as a shell says it
  int signal = 0;  ///< 0 when it exited by itself
  bool timed_out = false;
  bool stalled = false;  ///< it timed out by Command::stall_s
  /// If it failed: what one of the file systems that it writes to lacks (shortage_at), or "".
  std::string shortage;
  /// The kernel killed one of its processes for lack of memory, whatever its exit code says. Where no control group
  /// counts that, only a command that was killed itself, or says so with its code.
  bool oom = false;
  std::string out;  ///< stdout, shortened in its middle when longer than keep_bytes (a line says by how much)
  std::string err;
  std::uint64_t out_bytes = 0;  ///< what was really written
  std::uint64_t err_bytes = 0;
  double wall_s = 0;
  double user_s = 0;  ///< the command and every child it waited for
  double sys_s = 0;
  std::int64_t minor_faults = 0;  ///< page faults and context switches, of the same processes; these read no disk
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;  ///< it waited for something
  std::int64_t involuntary_switches = 0;
  /// The largest resident size among them. Never below the engine's own at the start: Linux counts the forked copy.
  std::int64_t peak_bytes = 0;
  /// Of Command::count; nullopt where the hardware was shared with other counters.
  std::optional<std::uint64_t> counted;
  /// Programs and libraries below Command::loaded_below that were loaded, with their build-ids (Loaded::ids).
  std::map<std::string, std::string> loaded;
  /// Of Command::programs. What a process used after the last look, an eighth of the time at most, is missing.
  std::vector<Program> programs;
};

/// Rejects with not_found / permission when it cannot be started, unavailable where Command::count cannot be counted,
/// io when a file cannot be written, and `cancelled` after cancel(), which ends the tree as a time-out does. When it
/// ends by itself, whatever it left behind is ended too: it would disturb the next measurement.
Op<Outcome> run(Loop& loop, Command command);

/// How this machine runs the programs of untrusted scripts.
SandboxSupport sandbox_support();

/// How many processes in the control groups of process `pid` the kernel has killed for lack of memory; nullopt where
/// none counts them, or it is a process of another host.
std::optional<std::int64_t> oom_kills_beside(int pid);

/// Makes the sandbox of a command that has bounds (Policy::bounds): Landlock, a temporary folder of its own, a home in
/// the workspace, and an environment without secrets and without the addresses of agents and buses. run() does so.
void put_into_sandbox(Command& command);

/// From now on run() hands each command to `elsewhere`: this process is boxed and may start none itself.
void run_elsewhere(std::function<Op<Outcome>(Command)> elsewhere);

/// This child of the engine is not a command: nothing here ends it or takes its exit code.
void leave_alone(pid_t child);

/// Ends every process tree of this engine at once with KILL: the second Ctrl-C.
void kill_everything();

/// Commands with `alone` of engines that died: they were asked to end, and may still be at it.
std::vector<pid_t> orphans_alone();

/// What running the command reaches. Its program is known by the name in argv[0] where the engine's own PATH leads
/// there, and else by its path: nothing turns "make" into something else. A variable that makes programs load or run
/// others (LD_PRELOAD, PATH, ...) is a need of its own, "LD_PRELOAD=", and so are output files and ends of mounts.
Effect effect_of(const Command& command);

/// The engine's own PATH.
std::string own_path();

/// The PATH that the command's program is looked for in: its own, or the engine's.
std::string path_of(const Command& command);

/// The file that a command runs, for what is permitted and what is started; "" for a bare word that is not in its PATH.
std::string find_program(const Command& command);

}  // namespace reg::process
