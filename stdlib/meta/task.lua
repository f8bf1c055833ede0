---@meta

--- Waits. Other tasks go on meanwhile. Raises usage where it is no duration.
--- ```lua
--- reg.sleep "30s"
--- ```
---@param duration number|string seconds, or "250ms", "1h"
function reg.sleep(duration) end

--- Starts a function as a task of its own: it runs while other tasks wait (for a command, a container, a sleep). The
--- script ends when all its tasks have; an error in one that nobody waited for fails the script.
--- ```lua
--- local task = reg.spawn(function(a, b) reg.sleep(1) return a + b end, 1, 2)
--- print(task:wait())
--- ```
---@param f function
---@param ... any its arguments
---@return reg.Task task
function reg.spawn(f, ...) end

---@class reg.ParallelOptions
---@field at_most? integer how many at a time; 8 when absent

--- Calls f(item, index) for every item of the list, several at a time, and returns the results in the list's order. The
--- first error stops the others and is raised.
--- ```lua
--- local doubled = reg.parallel({ 1, 2, 3 }, function(n) reg.sleep(1) return 2 * n end, { at_most = 2 })
--- ```
---@param list any[]
---@param f fun(item: any, index: integer): any
---@param options? reg.ParallelOptions
---@return any[] results
function reg.parallel(list, f, options) end

--- A function that runs on its own; `reg.spawn` starts one.
---@class reg.Task
local Task = {}

--- Waits for its end and returns what it returned. Raises what it raised, and `cancelled` where it was cancelled.
--- ```lua
--- local task = reg.spawn(function() return 1 end)
--- print(task:wait())
--- ```
---@return any ...
function Task:wait() end

--- Stops it where it waits; what it holds is closed. Stopping twice, or after its end, does nothing.
--- ```lua
--- local task = reg.spawn(function() reg.sleep "1h" end)
--- task:cancel()
--- ```
function Task:cancel() end

--- Whether it has ended.
--- ```lua
--- local task = reg.spawn(function() end)
--- print(task:done())
--- ```
---@return boolean done
function Task:done() end
