---@meta

--- Waits while other tasks run. Raises usage for an invalid duration.
--- ```lua
--- reg.sleep "30s"
--- ```
---@param duration number|string seconds, or "250ms", "1h"
function reg.sleep(duration) end

--- Starts a function as a task: it runs while other tasks wait (for a command, a container, a sleep). The script ends
--- when all its tasks have ended. An error in a task that nobody waits for fails the script.
--- ```lua
--- local task = reg.spawn(function(a, b) reg.sleep(1) return a + b end, 1, 2)
--- print(task:wait())
--- ```
---@param f function
---@param ... any its arguments
---@return reg.Task task
function reg.spawn(f, ...) end

--- A function that runs concurrently; `reg.spawn` starts one.
--- ```lua
--- local task = reg.spawn(function() reg.sleep "1h" end)
--- if not task:done() then task:cancel() end
--- print(task:wait())
--- ```
---@class reg.Task
local Task = {}

--- Waits for the task to end and returns its results. Raises its error, or `cancelled` if it was cancelled.
---@return any ...
function Task:wait() end

--- Stops the task where it waits and closes what it holds. Does nothing the second time or after the end.
function Task:cancel() end

--- Whether the task has ended.
---@return boolean done
function Task:done() end

--- What holds something until it is closed. Objects made in a cuda.Context keep it open.
---@class reg.Closable
---@field close fun(self) lets it go, as `<close>` does; closing twice does nothing
