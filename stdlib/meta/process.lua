---@meta

--- Commands on this machine. A command's tree of processes is one thing: a time-out, a Ctrl-C and the command's own end stop
--- all of it, also what detached itself, so that nothing left behind disturbs the next measurement.
---@class reg.process
reg.process = {}

---@class process.RunOptions
---@field cmd? string[] command and arguments, run as they are; either this or shell
---@field shell? string a line for /bin/sh
---@field env? table<string, string> variables set on top of the engine's own
---@field unset? string[] names of variables taken out
---@field cwd? string folder it starts in; the one the engine was started in when absent
---@field stdin? string what it reads; nothing when absent
---@field timeout_s? number|string seconds or "10m"; then TERM, and KILL two seconds later
---@field out? string file that stdout also goes to as it comes, up to 256 MiB
---@field err? string file for stderr; the same as `out` for both in their order
---@field keep_bytes? integer of each stream kept in the result: its first quarter and its end (1 MiB)

---@class process.Result
---@field ok boolean code 0 and not timed out
---@field code integer exit code; 128 + signal when a signal ended it
---@field signal integer 0 when it exited by itself
---@field timed_out boolean
---@field oom boolean the kernel killed a process of it for want of memory
---@field stdout string shortened in its middle beyond keep_bytes
---@field stderr string
---@field stdout_bytes integer what was really written
---@field stderr_bytes integer
---@field wall_s number seconds from start to end
---@field user_s number processor seconds of it and of the children it waited for
---@field sys_s number the same in the kernel
---@field peak_bytes integer largest resident size of one process among them; never below the engine's own at the start
---@field dry? boolean true in a dry run: nothing happened

--- Runs a command to its end; other tasks go on meanwhile. An exit code, a signal and a time-out (in seconds) are values.
--- Raises usage for options that make no sense, not_found for a program or a folder that is not there, permission for one
--- that may not be executed or entered, io when an output file cannot be written, and cancelled on Ctrl-C.
--- ```lua
--- local run = reg.process.run { cmd = { "make", "-j8" }, cwd = "build", env = { CC = "clang" }, timeout_s = "10m" }
--- if not run.ok then print(run.code, run.stderr) end
--- ```
---@param options process.RunOptions
---@return process.Result result
function reg.process.run(options) end
