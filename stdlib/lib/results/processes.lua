-- reg.results.processes: the samples of result files as reg.compare takes them, by workload and configuration.

---@class results.ProcessesOptions: results.Source
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

local json = require("lib/report/read").json
local values = require "lib/values"
local null = reg.json.null

local processes = {}

--- Fields of an experiment that pytorch/xla's benchmarks write; all others are axes of a suite.
processes.XLA_FIELDS = { "accelerator", "accelerator_model", "xla", "xla_flags", "dynamo", "torch_xla2",
  "keep_model_data_on_cuda", "test", "batch_size", "enable_functionalization", "outputs_file" }
local NOT_AXES = values.set(processes.XLA_FIELDS)

--- The names of a suite's own axes, sorted.
function processes.axes(experiment)
  return values.map(values.sorted_names(experiment), function(name) return not NOT_AXES[name] and name or nil end)
end

--- Iterates over the valid runs of the files and stores in `o`; `metric`: the only one that is read. Returns an
--- iterator of a run and a function that adds a note to its line, and the notes.
function processes.runs(o, metric)
  local notes, reader = {}, core.nouns.results.runs { files = o.files, store = o.store, metric = metric }
  local function good()
    for run in reader.next, reader do
      local function note(text) notes[#notes + 1] = { file = run.file, line = run.line, message = text } end
      if not run.bad then return run, note end
      note("not a valid result: " .. (run.truncated and "incomplete line" or run.message))
    end
  end
  return good, notes
end

--- The group of a model with these fields, { name =, value = }, made if new. `name`: the beginning of its key, or nil.
function processes.group(found, model, fields, name)
  local parts = values.map(fields, function(field) return field.name .. "=" .. field.value end)
  if name then table.insert(parts, 1, name) end
  local key = table.concat(parts, "\n")
  local group = found.by_key[key]
  if not group then
    group = { key = key, model = model, fields = fields, processes = {}, failed = {}, load = {} }
    found.by_key[key], found.groups[#found.groups + 1] = group, group
  end
  return group
end

--- The fields of a table as { name =, value = }, by name, without those that are in `left_out`.
function processes.fields(from, left_out)
  return values.map(values.sorted_names(from), function(name)
    local value = from[name] == null and "null" or tostring(from[name])
    return not left_out[name] and { name = name, value = value } or nil
  end)
end

-- The metric's values, all positive numbers; or nil and why there are none.
local function values_of(run, name)
  if run.error ~= nil then return nil, "failed: " .. tostring(run.error):match "[^\n]*" end
  local metric = values.find(run.metrics, function(one) return one.name == name end)
  if not metric then return nil, "no " .. name end
  local function is_bad(value) return not (value > 0 and value < math.huge) end
  if values.find(metric.values, is_bad) then return nil, name .. " has a value that is not positive" end
  return metric.values
end

-- The number of values of one process, and of its warm-up values. A record is one process, except that suite.lua's
-- records say how many values each of their processes reported; a single value is not warm-up, which ran before it.
local function division(run, count, warmup)
  local each = run.more.values_per_process
  if math.type(each) ~= "integer" or each < 1 or count % each ~= 0 then return count, warmup end
  return each, each == 1 and 0 or warmup
end

-- Adds the processes of a record to its group, or returns why there are none.
local function add_processes(group, seen, run, metric, usual_warmup)
  local samples, why = values_of(run, metric)
  if not samples then return why end
  local each, warmup = division(run, #samples, usual_warmup)
  if each <= warmup then
    return string.format("%s has %d values, but the first %d are warm-up", metric, each, warmup)
  end
  local count = #samples // each
  -- A process in two records - of 4 repeats, and later of 10 - counts once.
  local starts, load = json(run.more.process_started), json(run.more.process_load)
  for process = 1, count do
    local started = #starts == count and starts[process]
    if not (started and seen[started]) then
      if #load == count and type(load[process]) == "number" then table.insert(group.load, load[process]) end
      table.insert(group.processes, table.move(samples, (process - 1) * each + warmup + 1, process * each, 1, {}))
    end
    if started then seen[started] = true end
  end
end

--- What `o.files` and `o.store` hold, if they are records of benchmark suites.
function processes.of(o)
  core.check_keys("results.processes", o, { "files", "store", "metric", "warmup", "ignore" })
  o = values.merged({ metric = "total_time", warmup = 3, ignore = {} }, o)
  values.check_count("results.processes", o, "warmup", 0)
  local left_out, found, seen, unit = values.set(o.ignore), { groups = {}, by_key = {} }, {}, nil
  left_out.outputs_file = true
  local each, notes = processes.runs(o)
  for run, note in each do
    unit = unit or json(run.more.units)[o.metric]
    local fields = values.flat { processes.fields(run.model, left_out), processes.fields(run.experiment, left_out) }
    local group = processes.group(found, tostring(run.model.model_name or "?"), fields)
    seen[group] = seen[group] or {}
    local why = add_processes(group, seen[group], run, o.metric, o.warmup)
    if why then
      table.insert(group.failed, why)
      note(why)
    end
  end
  return { metric = o.metric, unit = type(unit) == "string" and unit or nil, groups = found.groups, notes = notes }
end

return processes
