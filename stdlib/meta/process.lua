---@meta

--- Supervised commands on this machine. A command owns its process tree: a time-out, Ctrl-C and the end of the command
--- stop all of it, including detached processes, so that nothing is left to disturb the next measurement.
---@class reg.process
reg.process = {}

---@class process.Call
---@field cmd? string[] command and arguments; either this or shell
---@field shell? string a command line for /bin/sh
---@field timeout_s? number|string seconds or "10m"; then TERM, and KILL after two seconds, also inside a container
---@field out? string file that stdout is also written to, as it comes; of a command on this machine up to 256 MiB
---@field err? string file for stderr; may be the same as `out`
---@field keep_bytes? integer of each stream kept in the result: the first quarter and the end; default 1 MiB

---@class process.RunOptions: process.Call
---@field env? table<string, string> variables added to the engine's
---@field unset? string[] variables to remove
---@field cwd? string working directory; default: that of the engine
---@field stdin? string standard input; default: empty
---@field lease? gpu.Lease GPUs that it sees, and CPUs near them that it runs on
---@field mounts? table<string, string> folders by absolute path: where the command, and what it starts, sees each
---@field loaded_below? string[] folders: what the command loads from below them is in `loaded` of the result
---@field programs? boolean return what its processes run as `programs` of the result; not for untrusted scripts
---@field reads? boolean it changes nothing, so that a dry run runs it, too
---@field instructions? boolean count those of it and its children in user mode; raises unavailable if it cannot

---@class process.Program
---@field name string last part of its path
---@field cpu_s number processor seconds, summed over the threads of all processes that ran it
---@field cpu_delay_s number seconds in which these threads could run and waited for a CPU, also summed
---@field variables? table<string, string> with which all these processes were started, without those that differ;
--- absent if they may not be read, or there are none

---@class process.Ended
---@field ok boolean code 0 and not timed out
---@field code integer exit code; 128 + signal when a signal ended it
---@field signal integer that signal; 0 if it exited by itself
---@field timed_out boolean
---@field oom boolean the kernel killed one of its processes: out of memory
---@field shortage? string of a failed run: a file system that it writes to is full, and which
---@field stdout string cut in the middle beyond keep_bytes
---@field stderr string
---@field stdout_bytes integer written in total
---@field stderr_bytes integer
---@field wall_s number seconds from start to end; of a container from its start
---@field dry? boolean true in a dry run: nothing ran

---@class process.Result: process.Ended
---@field user_s number processor seconds of it and its waited-for children
---@field sys_s number the same in the kernel
---@field peak_bytes integer largest resident size of one of them; at least the engine's own at the start
---@field minor_faults integer page faults of the same processes, without reading a disk
---@field major_faults integer
---@field voluntary_switches integer context switches: it waited for something
---@field involuntary_switches integer another program got the CPU
---@field instructions? integer|false if they were to be counted; false if other programs used the counters meanwhile
---@field loaded? table<string, string> build-ids of what was loaded from `loaded_below`, by path; absent if none was
---@field programs? process.Program[] if wanted: the one with the most CPU time first; absent if none was seen

--- Runs a command to its end while other tasks run. Exit code, signal and time-out (in seconds) are part of the result.
--- With `loaded_below`, so are the programs and libraries in these folders that its processes load: by path, the GNU
--- build-id, or "sha256:..." of a file that has none. A process is seen if it runs at least as long as everything
--- before it, or four seconds. With `programs`, the result has what its processes ran, how long they waited for a CPU,
--- and their variables, which may come from a script around them. The processes are looked at again and again; what one
--- of them used after the last look, up to an eighth of the time, is missing. Raises usage for invalid options,
--- not_found for a missing program or folder, permission for one that may not be executed or entered, io if an output
--- file cannot be written, unavailable if the machine refuses `mounts`, and cancelled on Ctrl-C.
--- ```lua
--- local run = reg.process.run { cmd = { "make", "-j8" }, cwd = "build", env = { CC = "clang" }, timeout_s = "10m" }
--- if not run.ok then print(run.code, run.stderr) end
--- ```
---@param options process.RunOptions
---@return process.Result result
function reg.process.run(options) end
