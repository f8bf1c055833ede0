-- reg.host: the host costs of a command.

local costs = require "lib/host_costs"
local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local values = require "lib/values"

local find, merged, sort_by, sorted_names = values.find, values.merged, values.sort_by, values.sorted_names

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
  local run = instrumented.check("host.collect: the command", costs(merged(options), instrumented.execute))
  return run.dry and { dry = true, missing = { command = "dry run" } } or run.host
end

-- Time in which it neither computed nor let the kernel work; nil for a program that computes on several CPUs at a time.
local function waiting(one)
  local waited = one.user_s and one.sys_s and one.wall_s - one.user_s - one.sys_s
  return waited and waited >= 0 and waited or nil
end

local function number(name) return function(one) return one[name] end end

-- Name, what is read from a collected run, the words of a finding, and the least difference that counts, also as a part
-- of the larger end: on a machine in ordinary use such numbers vary by less. A busy one makes all commands wait.
local TIMES <const> = {
  { "import", function(one) return one.imports and one.imports.total_s end, "import takes %s %s", 0.05, 0.1 },
  { "user", number "user_s", "%s %s CPU time in user mode", 0.03, 0.05 },
  { "system", number "sys_s", "%s %s CPU time in the kernel", 0.03, 0.1 },
  { "waiting", waiting, "waits %s %s", 0.1, 0.2 },
}
local COUNTS <const> = {
  { "instructions", number "instructions", "as many", 1e6, 0.01 },
  { "minor page faults", number "minor_faults", "as many", 1000, 0.5 },  -- 27 % of JAX's, with load
  { "major page faults", number "major_faults", "as many", 50, 0.5 },
  { "voluntary context switches", number "voluntary_switches", "as many", 200, 0.5 },
  { "involuntary context switches", number "involuntary_switches", "as many", 200, 0.5 },
  { "peak memory in MiB", number "peak_bytes", "as much", 16 << 20, 0.1, 1 << 20 },
  { "load average of the machine", number "load", "as high", 1, 0.3 },
}

local MOST <const> = 0.5

local function seconds(x) return string.format("%.3g s", math.abs(x)) end

local function own_times(one)
  local times = {}
  for _, module in ipairs(one.imports.modules) do times[module.name] = module.self_s end
  return times
end

-- Imports are a cause if at least half of what they take more is in modules that are new, or in this many others. On a
-- machine that is slower, or with more processes, all modules take longer.
local MOST_MODULES <const> = 3

-- Whether imports are slower as all else is.
local function is_general(one, other)
  if other.imports.total_s <= one.imports.total_s then return false end
  local old, special, changes = own_times(one), 0, {}
  for name, took in pairs(own_times(other)) do
    if old[name] then changes[#changes + 1] = took - old[name] else special = special + took end
  end
  table.sort(changes, function(x, y) return x > y end)
  for i = 1, math.min(MOST_MODULES, #changes) do special = special + math.max(0, changes[i]) end
  return special < (other.imports.total_s - one.imports.total_s) / 2
end

-- The module whose own time grew, or shrank, by most.
local function of_modules(a, b)
  local before, after, most, name_of_most = own_times(a[1]), own_times(b[1]), 0, nil
  for _, name in ipairs(sorted_names(merged(before, after))) do
    local change = (after[name] or 0) - (before[name] or 0)
    if math.abs(change) > math.abs(most) then most, name_of_most = change, name end
  end
  return name_of_most and string.format(", %s of it in %s itself", seconds(most), name_of_most) or ""
end

-- Says it where most of the time by which B waits longer is time in which its threads could run, and waited for a CPU:
-- it is not the command that sleeps, or reads. Of a container only that of all programs of the machine is known.
local function for_cpu(a, b, longer)
  local delay = ends.difference(a, b, number "cpu_delay_s")
  local waited = delay or ends.difference(a, b, number "crowded_s")
  if longer <= 0 or not waited or waited <= MOST * longer then return nil end
  return delay and string.format(", %s of it for a CPU", seconds(math.min(delay, longer)))
    or ", while programs wait for a CPU"
end

-- A program that computes more waits for a CPU as much more, where others use them: waiting is added to the CPU time
-- that it follows from.
local function join(found)
  local waits, at = find(found, function(one) return one.crowded end)
  local user = find(found, function(one) return one.name == "user" end)
  local is_one = waits and user and user.after > user.before
    and user.after / user.before > MOST * waits.after / math.max(waits.before, waits.least)
  if not is_one then return end
  user.what = string.format("%s, and waits %s longer for a CPU", user.what, seconds(waits.after - waits.before))
  user.before, user.after = user.before + waits.before, user.after + waits.after
  table.remove(found, at)
end

local function times(a, b)
  local found = values.map(TIMES, function(row)
    local name, read, words, least, part = table.unpack(row)
    local before, after, confidence = ends.moved(a, b, read, least, part)
    if not before or name == "import" and is_general(a[1], b[1]) then return nil end
    local more = name == "waiting" and "longer" or "more"
    local what = words:format(seconds(after - before), after > before and more or "less")
    if name == "import" then what = what .. of_modules(a, b) end
    local crowded = name == "waiting" and for_cpu(a, b, after - before) or nil
    return { level = "host", what = what .. (crowded or ""), before = before, after = after, unit = "s", name = name,
      confidence = confidence, crowded = crowded, least = least }
  end)
  join(found)
  -- Imports consist of the other times and say more than they do: half as much makes them the first.
  return sort_by(found, function(one) return -math.abs(one.after - one.before) * (one.name == "import" and 2 or 1) end)
end

-- How much of the difference in time each is. Shares add up: imports consist of the other times, so either these have
-- shares or imports, whichever comes first. CPU times of a program that uses several CPUs at a time have none.
local function give_shares(found, a, b)
  local before, after = ends.moved(a, b, number "wall_s", 0, 0)
  if not before then return end
  local difference = after - before
  local serial = #ends.numbers(a, waiting) == #a and #ends.numbers(b, waiting) == #b
  local imported = found[1] and found[1].name == "import"
  for _, one in ipairs(found) do
    local share, is_import = (one.after - one.before) / difference, one.name == "import"
    local counts = imported == is_import and (is_import or serial)
    if counts and share > 0 then one.share = math.min(share, 1) end
  end
end

local TIMES_AS_MANY <const> = 1.5

local function counted(row, a, b)
  local name, read, as_many, least, part, unit = table.unpack(row)
  local before, after, confidence = ends.moved(a, b, read, least, part)
  if not before then return nil end
  local function words(x) return string.format(x >= 1000 and "%.0f" or "%.4g", x / (unit or 1)) end
  local what = string.format("%s %s -> %s", name, words(before), words(after))
  if before > 0 and after / before >= TIMES_AS_MANY then
    what = string.format("%s, %.2g times %s", what, after / before, as_many)
  end
  return { level = "host", what = what, before = before, after = after, confidence = confidence }
end

--- What differs between two ends, each a list of runs, at least two: times first, the largest difference first, and
--- imports before the times that they consist of, unless all modules are slower alike. A command waits for data, in a
--- sleep, or for a CPU that others use: the finding says how long it waited for a CPU if that is most of the time, and
--- of a container only that programs of the machine waited for one. A command that computes more then waits for a CPU
--- more, and both are one finding. A number is a finding if the smallest difference between the ends exceeds 1.5 times
--- the largest within an end, and what such numbers usually vary by: 5 % of CPU time, 50 % of page faults and of
--- context switches. On a busy machine, pass more runs. `share` is seconds against the seconds of the whole difference:
--- of imports where these come first, else of CPU times and waiting, if the command computes on one CPU at a time.
--- Raises usage.
--- ```lua
--- local good, bad = { cmd = { "venv-a/bin/python", "x.py" } }, { cmd = { "venv-b/bin/python", "x.py" } }
--- local function twice(command) return { reg.host.collect(command), reg.host.collect(command) } end
--- for _, finding in ipairs(reg.host.diff(twice(good), twice(bad))) do print(finding.what, finding.share) end
--- -- import takes 0.9 s more, 0.8 s of it in jax.numpy itself
--- ```
---@param before host.Run|host.Run[]
---@param after host.Run|host.Run[]
---@return environment.Finding[] findings
function host.diff(a, b)
  a, b = ends.lists("host.diff", a, b)
  local found = times(a, b)
  give_shares(found, a, b)
  for _, one in ipairs(found) do one.name, one.crowded, one.least = nil, nil, nil end
  return values.flat { found, values.map(COUNTS, function(row) return counted(row, a, b) end) }
end

return host
