-- reg.results.processes: the samples of result files as reg.compare takes them, one list for each process, grouped by
-- workload and configuration.

---@class results.ProcessesOptions
---@field files? string[] files or stores
---@field store? string|store.Store
---@field metric? string default "total_time", or the time in a file of another benchmark program
---@field warmup? integer number of first values of a run that do not count; default 3
---@field ignore? string[] fields in which the runs of a group may differ

---@class results.Field
---@field name string
---@field value string

---@class results.Group
---@field key string equal for the same configuration in every file
---@field model string
---@field fields results.Field[] the content of `key`: model and experiment
---@field processes number[][] the samples of each run, as reg.compare takes them
---@field load number[] load average before each process, of those that tell
---@field failed string[] why other runs have no samples

---@class results.Processes
---@field metric string
---@field unit? string its unit, if the records tell
---@field better? "lower"|"higher" if the file says so
---@field more? string of a file of another benchmark program: how to get more samples
---@field groups results.Group[] in order of first appearance
---@field notes results.Note[]

local good_runs = require "lib/results/good_runs"
local check_keys = core.check_keys
local null = reg.json.null

-- Fields of the experiment that do not describe what ran.
local IGNORED = { outputs_file = true }

local function add_fields(fields, from, left_out)
  local names = {}
  for name in pairs(from) do
    if not left_out[name] and not IGNORED[name] then names[#names + 1] = name end
  end
  table.sort(names)
  for _, name in ipairs(names) do
    fields[#fields + 1] = { name = name, value = from[name] == null and "null" or tostring(from[name]) }
  end
end

local function key_of(fields)
  local parts = {}
  for i, field in ipairs(fields) do parts[i] = field.name .. "=" .. field.value end
  return table.concat(parts, "\n")
end

-- The metric's values, all positive numbers; or nil and why there are none.
local function values_of(run, name)
  if run.error ~= nil then return nil, "failed: " .. tostring(run.error):match "[^\n]*" end
  for _, metric in ipairs(run.metrics) do
    if metric.name == name then
      for _, value in ipairs(metric.values) do
        if not (value > 0 and value < math.huge) then return nil, name .. " has a value that is not positive" end
      end
      return metric.values
    end
  end
  return nil, "no " .. name
end

-- The number of values of one process, and of its warm-up values. A record is one process, except that suite.lua's
-- records say how many values each of their processes reported; a single value is not warm-up, which ran before it.
local function division(run, values, warmup)
  local each = run.more.values_per_process
  if math.type(each) ~= "integer" or each < 1 or #values % each ~= 0 then return #values, warmup end
  return each, each == 1 and 0 or warmup
end

-- A nested field of the record; {} without one.
local function nested(run, field)
  local text = run.more[field]
  local ok, value = pcall(reg.json.decode, type(text) == "string" and text or "")
  return ok and type(value) == "table" and value or {}
end

-- One that has a value for each process.
local function of_processes(run, field, count)
  local list = nested(run, field)
  return #list == count and list or {}
end

-- Adds the processes of a record to its group, or returns why there are none.
local function add_processes(group, run, o)
  local values, why = values_of(run, o.metric)
  if not values then return why end
  local each, warmup = division(run, values, o.warmup)
  if each <= warmup then
    return string.format("%s has %d values, but the first %d are warm-up", o.metric, each, warmup)
  end
  local count = #values // each
  -- A process in two records - of 4 repeats, and later of 10 - counts once.
  local starts, load = of_processes(run, "process_started", count), of_processes(run, "process_load", count)
  for process = 1, count do
    local started = starts[process]
    if not (started and group.seen[started]) then
      if type(load[process]) == "number" then table.insert(group.load, load[process]) end
      table.insert(group.processes, table.move(values, (process - 1) * each + warmup + 1, process * each, 1, {}))
    end
    if started then group.seen[started] = true end
  end
end

local function usage(message, hint) core.fail("usage", "results.processes: " .. message, hint) end

return function(runs, o)
  check_keys("results.processes", o, { "files", "store", "metric", "warmup", "ignore" })
  local warmup, metric = o.warmup or 3, o.metric or "total_time"
  if math.type(warmup) ~= "integer" or warmup < 0 then usage "warmup must be an integer of at least 0" end
  local left_out, groups, by_key = {}, {}, {}
  for _, name in ipairs(o.ignore or {}) do left_out[name] = true end
  local each, notes = good_runs(runs, o)
  local unit
  for run, note in each do
    unit = unit or nested(run, "units")[metric]
    local fields = {}
    add_fields(fields, run.model, left_out)
    add_fields(fields, run.experiment, left_out)
    local key = key_of(fields)
    local group = by_key[key]
    if not group then
      group = { key = key, model = tostring(run.model.model_name or "?"), fields = fields, processes = {}, failed = {},
        load = {}, seen = {} }
      by_key[key], groups[#groups + 1] = group, group
    end
    local why = add_processes(group, run, { metric = metric, warmup = warmup })
    if why then
      table.insert(group.failed, why)
      note(why)
    end
  end
  for _, group in ipairs(groups) do group.seen = nil end
  return { metric = metric, unit = type(unit) == "string" and unit or nil, groups = groups, notes = notes }
end
