---@meta

--- Numbers out of a test's output. A pattern is a text with {number} where the number stands, or a Lua pattern with one
--- capture. What gives no finite number raises a failed trial (see reg.skip), which a sweep records before it goes on; a
--- pattern that is none raises usage.
---@class reg.metric
reg.metric = {}

--- The first number the pattern finds, in the unit the output has it; a unit may stand right behind it. Raises a failed trial
--- where the pattern finds nothing, or nan or inf.
--- ```lua
--- local mlups = reg.metric.find("MLUPS: 587.9", "MLUPS: {number}")
--- ```
---@param text string
---@param pattern string
---@return number value
function reg.metric.find(text, pattern) end

--- Every number the pattern finds, in order: several samples of one run. Raises a failed trial as reg.metric.find does.
--- ```lua
--- local steps_ms = reg.metric.all("step 12ms\nstep 13ms\n", "step {number}ms")
--- ```
---@param text string
---@param pattern string
---@return number[] values
function reg.metric.all(text, pattern) end

--- A number within JSON: the text is JSON as a whole, or its last line that is JSON counts. List elements count from 1.
--- Raises a failed trial where there is no JSON, nothing at the path, or no number there.
--- ```lua
--- local p50_ms = reg.metric.json('{"results":[{"p50_ms":3.5}]}', "results[1].p50_ms")
--- ```
---@param text string
---@param path string
---@return number value
function reg.metric.json(text, path) end

--- Several metrics at once, by name, each as reg.metric.find gives it; raises a failed trial where one is missing.
--- ```lua
--- local values = reg.metric.table("a: 1\nb: 2\n", { first = "a: {number}", second = "b: {number}" })
--- ```
---@param text string
---@param patterns table<string, string>
---@return table<string, number> values
function reg.metric.table(text, patterns) end

--- A short name for what a pattern finds: the words it begins with, "value" where it begins with none. For tables and
--- stores; it has no unit of its own. Raises usage where it is no pattern.
--- ```lua
--- print(reg.metric.name "MLUPS: {number}")  --> MLUPS
--- ```
---@param pattern string
---@return string name
function reg.metric.name(pattern) end
