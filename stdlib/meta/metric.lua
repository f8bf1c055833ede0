---@meta

--- Takes numbers out of a test's output. A pattern is text with {number} in place of the number, in which a blank
--- matches any blanks and tabs, or a Lua pattern with one capture. If it captures no number, the functions raise a
--- failed trial (see reg.skip), which a sweep records before it goes on; of NaN and infinity its status is not_finite,
--- "the loss became NaN". An invalid pattern, or one that captures no number, raises usage.
---@class reg.metric
reg.metric = {}

--- The first number that the pattern matches, in the unit of the output; a unit may follow the number directly. Raises
--- a failed trial if nothing matches, or for nan and inf.
--- ```lua
--- local mlups = reg.metric.find("MLUPS: 587.9", "MLUPS: {number}")
--- ```
---@param text string
---@param pattern string
---@return number value
function reg.metric.find(text, pattern) end

---@class metric.Choice
---@field metric string the pattern; or what Trial:test measures: @wall, @cpu, @time (in reg.sweep, reg.bisect and
--- reg.ab the quietest of wall time, CPU time and instructions; else wall time), @gpu_time in seconds, @peak_memory,
--- @gpu_memory in bytes, @gpu_cycles, @instructions, or what reg.hlo.count, reg.jit.traces and reg.jit.compiles return
---@field take? "first"|"last"|"median"|"min" which number to use if there are several
---@field drop? integer ignore the first N matches, such as those of warm-up steps; 0 by default

---@class metric.Quieter
---@field noise number run-to-run noise of the time that was compared, relative
---@field other "CPU time"|"instructions" the number beside it that takes fewest runs
---@field other_noise number that number's noise
---@field runs? integer about how many runs or pairs it would take by the other number
---@field unit? "run"|"pair" of `runs`
---@field taken? "wall time"|"CPU time"|"instructions" with --metric @time: which one it is
---@field why? "waits"|"disagrees"|"louder"|"unknown" why it is the wall time: the test mostly waits; the ends do not
--- clearly differ in CPU time, or not as in wall time; neither is quieter; too few runs tell

--- The number that the options --metric, --take and --drop pick out of what a command printed: its stdout, and then its
--- stderr. Units are those of the output. Or a number that was measured of the command. Raises a failed trial if
--- nothing matches, for nan and inf, if `drop` leaves nothing, if the number may be in output that was too long to be
--- kept (see keep_bytes of reg.process.run), and for several matches without `take`. If no earlier run of a sweep gave
--- a number, the sweep stops there with a usage error that shows three of the matches. Raises usage for what is not
--- measured. In a dry run, in which commands print nothing, it returns 1.
--- ```lua
--- local opt = { metric = "step time: {number} ms", take = "median", drop = 10 }
--- local ms = reg.metric.of({ stdout = ("step time: 12.5 ms\n"):rep(11), stderr = "" }, opt)
--- ```
---@param run process.Result|container.Result
---@param opt metric.Choice
---@return number value
function reg.metric.of(run, opt) end

--- Every number that the pattern matches, in order: several samples of one run. Raises what reg.metric.find raises.
--- ```lua
--- local steps_ms = reg.metric.all("step 12ms\nstep 13ms\n", "step {number}ms")
--- ```
---@param text string
---@param pattern string
---@return number[] values
function reg.metric.all(text, pattern) end

--- A number in JSON: either the whole text is JSON, or its last JSON line is used. List elements count from 1. Raises a
--- failed trial if there is no JSON, nothing at the path, or no number there.
--- ```lua
--- local p50_ms = reg.metric.json('{"results":[{"p50_ms":3.5}]}', "results[1].p50_ms")
--- ```
---@param text string
---@param path string
---@return number value
function reg.metric.json(text, path) end

--- Several metrics by name, each as reg.metric.find returns it. Raises a failed trial if one is missing.
--- ```lua
--- local values = reg.metric.table("a: 1\nb: 2\n", { first = "a: {number}", second = "b: {number}" })
--- ```
---@param text string
---@param patterns table<string, string>
---@return table<string, number> values
function reg.metric.table(text, patterns) end

--- The name of a metric, for tables and stores: the words its pattern begins with, or "value" if there are none. Text
--- without a pattern is the name itself. It has no unit. Raises usage for anything but a string.
--- ```lua
--- print(reg.metric.name "MLUPS: {number}")  --> MLUPS
--- ```
---@param pattern string
---@return string name
function reg.metric.name(pattern) end
