-- reg.host: the host costs of a command.

local costs = require "lib/host/costs"
local findings = require "lib/host/findings"

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

--- What a command costs the host: CPU time, page faults, context switches, instructions, and the time that Python takes
--- to import modules.
---@class reg.host
local host = {}

---@class host.CollectOptions: process.RunOptions, container.RunOptions

---@class host.Module
---@field name string
---@field self_s number seconds without the modules that it imports
---@field total_s number with them

---@class host.Imports
---@field total_s number seconds, summed over its processes
---@field modules host.Module[] longest self time first

---@class host.Run
---@field wall_s? number seconds
---@field user_s? number processor seconds of the command and the children that it waited for; so are the counts
---@field sys_s? number the same in the kernel
---@field peak_bytes? integer largest resident size of one process
---@field minor_faults? integer page faults that read no disk
---@field major_faults? integer
---@field voluntary_switches? integer context switches: it waited for something
---@field involuntary_switches? integer another program got the CPU
---@field instructions? integer in user mode, where the machine lets them be counted
---@field load number load average of the machine before the run
---@field cpu_delay_s? number seconds in which its threads could run and waited for a CPU, summed; not of a container
---@field crowded_s? number seconds of the run in which some program of the machine waited for a CPU
---@field imports? host.Imports of Python 3.7 or newer
---@field missing table<string, string> why a number is absent, by its name
---@field dry? boolean true in a dry run: nothing ran

--- Runs a command as reg.process.run does, or with `image` as reg.container.run does, and returns what it cost. It sets
--- PYTHONPROFILEIMPORTTIME: Python writes a line to stderr for each import, which takes it a few percent longer.
--- Raises as those two do, and failed_trial if the command fails or times out.
--- ```lua
--- local run = reg.host.collect { cmd = { "python3", "train.py", "--steps", "1" } }
--- print(run.user_s, run.minor_faults, run.imports and run.imports.total_s)
--- ```
---@param options host.CollectOptions
---@return host.Run run
function host.collect(options)
  if type(options) ~= "table" then
    core.fail("usage", "host.collect: takes a table of options, as reg.process.run or reg.container.run")
  end
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  local run = costs(call, execute)
  if run.dry then return { dry = true, missing = { command = "dry run" } } end
  if not run.ok then
    core.fail("failed_trial", "host.collect: the command " .. (run.timed_out and "timed out"
      or "failed with exit code " .. run.code), run.stderr:match "([^\n]+)%s*$")
  end
  return run.host
end

--- What differs between two ends, each a list of runs, at least two: times first, the largest difference first, and
--- imports before the times that they consist of. A command waits for data, in a sleep, or for a CPU that others use:
--- the finding says how long it waited for a CPU if that is most of the time, and of a container only that programs of
--- the machine waited for one. A command that computes more then waits for a CPU more, and both are one finding.
--- A number is a finding if the smallest difference between the ends exceeds 1.5 times the largest within an end, and
--- what such numbers usually vary by: 5 % of CPU time, 50 % of page faults and of context switches. On a busy
--- machine, pass more runs. `share` is seconds against the seconds of the whole difference: of imports where these
--- come first, else of CPU times and waiting, if the command computes on one CPU at a time. Raises usage.
--- ```lua
--- local good, bad = { cmd = { "venv-a/bin/python", "x.py" } }, { cmd = { "venv-b/bin/python", "x.py" } }
--- local function twice(command) return { reg.host.collect(command), reg.host.collect(command) } end
--- for _, finding in ipairs(reg.host.diff(twice(good), twice(bad))) do print(finding.what, finding.share) end
--- -- import takes 0.9 s more, 0.8 s of it in jax.numpy itself
--- ```
---@param before host.Run|host.Run[]
---@param after host.Run|host.Run[]
---@return environment.Finding[] findings
host.diff = findings

return host
