---@meta

--- Messages to the user on stderr; results go to stdout with `print`.
--- ```lua
--- reg.log.info("%d nights to test", 30)
--- reg.log.warn("no number in the output of %s", "2023-08-25")
--- reg.log.debug "cache hit"
--- ```
---@class reg.log
reg.log = {}

--- A message. `--quiet` suppresses it. With more than one argument the first is a string.format format.
---@param format any
---@param ... any
function reg.log.info(format, ...) end

--- A message that begins with "warning:"; `--quiet` does not suppress it. Arguments as in reg.log.info.
---@param format any
---@param ... any
function reg.log.warn(format, ...) end

--- A message that begins with "debug:", shown if the environment variable REGENGINE_DEBUG is set. Arguments as in
--- reg.log.info.
---@param format any
---@param ... any
function reg.log.debug(format, ...) end

---@class reg.ProgressOptions
---@field total? integer how many there are; without it only `done` is shown
---@field title? string shown before the bar
---@field done? integer finished by an earlier run; does not count for the time left
---@field unit? string "run" if `total` is an estimate, which is then shown as "run 12 of about 30"

--- Starts a progress display: in a terminal a bar with the current subject, the latest result and the time left;
--- elsewhere a line on stderr each time `done` or `best` changes; nothing with `--quiet`. Close it, or declare it
--- `<close>`.
--- ```lua
--- local p <close> = reg.progress { total = 30, title = "nights" }
--- ```
---@param options? reg.ProgressOptions
---@return reg.Progress
function reg.progress(options) end

--- A progress display; `reg.progress` makes one.
--- ```lua
--- local p = reg.progress { total = 2 }
--- p:update { done = 1, subject = "2023-08-24", note = "587.9 mlups" }
--- p:close()
--- ```
---@class reg.Progress: reg.Closable
local Progress = {}

---@class reg.ProgressUpdate
---@field done? integer how many are finished
---@field total? integer if it changed
---@field subject? string the current subject, or the one just finished
---@field doing? string what happens to it now, such as "building"; given with `subject`
---@field note? string the latest result: "587.9 mlups", "build failed"
---@field running? integer how many run now; 1 by default
---@field best? string the best answer so far, in a few words
---@field left? number seconds left, in place of an estimate by the pace so far
---@field left_now? number of these, how many the current run takes

--- Updates the display; absent fields stay as they are.
---@param what reg.ProgressUpdate
function Progress:update(what) end

--- The next line of standard input without its line break, nil at its end; other tasks run while it waits. For a script
--- that another program talks to. Raises usage if another task is reading, io if reading fails.
--- ```lua
--- for line in reg.read_line do print("heard " .. line) end
--- ```
---@return string? line
function reg.read_line() end
