-- reg.results.analyze: one row for each run with the statistics of each metric, in the columns of pytorch/xla's
-- result_analyzer and equal to its last digit, as CSV or JSON lines.

---@class results.AnalyzeOptions
---@field files? string[] files or stores
---@field store? string|store.Store
---@field format? "csv"|"jsonl" default csv
---@field timestamp? number for runs without one; default: now
---@field hide_errors? boolean leave out error messages of failed runs

---@class results.Note
---@field file string
---@field line integer
---@field message string

---@class results.Analysis
---@field lines string[] one per run, without newlines
---@field columns? string[] for csv
---@field notes results.Note[] invalid lines and missing metrics
---@field failed integer number of failed runs

local csv = require "lib/results/csv"
local processes = require "lib/results/processes"
local check_keys = core.check_keys
local null = reg.json.null

local COLUMNS = { "timestamp", "suite_name", "model_name", "accelerator", "accelerator_model", "xla", "xla_flags",
  "dynamo", "torch_xla2", "keep_model_data_on_cuda", "test", "batch_size", "repeat", "iterations_per_run",
  "error_message", "median_total_time", "median_per_iter_time", "xla_median_trace_per_iter_time", "xla_compile_time",
  "dynamo_compile_time", "outputs_file" }
local FROM_EXPERIMENT = { "accelerator", "accelerator_model", "xla", "xla_flags", "dynamo", "torch_xla2",
  "keep_model_data_on_cuda", "test", "batch_size", "outputs_file" }
local STATISTICS = { "min", "median", "max", "mean", "std" }
local NOT_FOR_THIS_RUN = -1

-- Columns that an axis must not take.
local TAKEN = { run_status = true, metrics = true }
for _, name in ipairs(COLUMNS) do TAKEN[name] = true end

-- Python's truth: "xla": null and "xla": "" both count as not set.
local function is_set(value) return value ~= nil and value ~= null and value ~= false and value ~= 0 and value ~= "" end

-- Calls put(name, value) for the suite's own axes, by name; one with the name of another column is "axis_" .. name.
local function put_axes(run, put)
  for _, name in ipairs(processes.axes(run.experiment)) do
    put(TAKEN[name] and "axis_" .. name or name, run.experiment[name])
  end
end

-- Calls put(name, number) for each number of a run, in the order of the metrics, and note(text) for each missing one.
local function numbers_of(run, put, note)
  local xla, compile_time = is_set(run.experiment.xla), nil
  for _, metric in ipairs(run.metrics) do
    if metric.problem then
      note(metric.name .. " " .. metric.problem)
    else
      local applies = xla or metric.name ~= "trace_per_iter_time"
      for _, statistic in ipairs(STATISTICS) do
        if metric[statistic] then
          put(statistic .. "_" .. metric.name, applies and metric[statistic] or NOT_FOR_THIS_RUN)
        end
      end
      if metric.min ~= metric.min then note(metric.name .. " contains null") end
      if metric.name == "total_time" then compile_time = metric.max - metric.median end
    end
  end
  if #run.metrics == 0 then return note "no metrics" end
  if not compile_time then note "no total_time, so no compile time" end
  put("dynamo_compile_time", not is_set(run.experiment.dynamo) and NOT_FOR_THIS_RUN or compile_time)
  put("xla_compile_time", not xla and NOT_FOR_THIS_RUN or compile_time)
end

-- Rows as lines of CSV. A column that only later runs have becomes the last one; earlier rows are padded at the end.
local function csv_form(o)
  local columns, index, lines, widths = table.move(COLUMNS, 1, #COLUMNS, 1, {}), {}, {}, {}
  for i, name in ipairs(columns) do index[name] = i end
  local form = {}

  function form.add(run, note)
    local cells = {}
    local function put(name, value)
      if not index[name] then
        columns[#columns + 1] = name
        index[name] = #columns
      end
      cells[index[name]] = csv.cell(value)
    end
    for _, name in ipairs(FROM_EXPERIMENT) do put(name, run.experiment[name]) end
    put("timestamp", run.timestamp or o.timestamp)
    put("suite_name", run.model.suite_name)
    put("model_name", run.model.model_name)
    put("repeat", run["repeat"])
    put("iterations_per_run", run.iterations_per_run)
    put_axes(run, put)
    if run.error == nil then
      numbers_of(run, put, note)
    elseif not o.hide_errors then
      put("error_message", run.error)
    end
    for i = 1, #columns do cells[i] = cells[i] or "" end
    lines[#lines + 1], widths[#widths + 1] = table.concat(cells, ","), #columns
  end

  function form.finish()
    for i, line in ipairs(lines) do lines[i] = line .. (","):rep(#columns - widths[i]) end
    return lines, columns
  end
  return form
end

-- NaN and infinity, which JSON has not, are null.
local function json(value)
  return type(value) == "number" and value - value ~= 0 and "null" or reg.json.encode(value)
end

local function whole_seconds(timestamp)
  local seconds = tonumber(timestamp)
  return seconds and math.tointeger(seconds < 0 and math.ceil(seconds) or math.floor(seconds)) or null
end

local function or_none(value) return (value == nil or value == null) and "None" or value end

local COMPILE_TIMES = { "median_total_time", "median_per_iter_time", "xla_median_trace_per_iter_time",
  "xla_compile_time", "dynamo_compile_time" }

-- { "metrics": {...}, "dimensions": {...} } for each run, with the names in upstream's order.
local function jsonl_form(o)
  local lines, form = {}, {}

  -- The JSON of an object of what `fill` puts into it; nil is left out.
  local function object(fill)
    local parts = {}
    fill(function(name, value)
      if value ~= nil then parts[#parts + 1] = json(name) .. ": " .. json(value) end
    end)
    return "{" .. table.concat(parts, ", ") .. "}"
  end

  function form.add(run, note)
    local e, failed = run.experiment, run.error ~= nil
    local metrics = object(function(put)
      put("timestamp", whole_seconds(run.timestamp or o.timestamp))
      put("batch_size", or_none(e.batch_size) == "None" and NOT_FOR_THIS_RUN or e.batch_size)
      put("repeat", run["repeat"] or null)
      put("iterations_per_run", run.iterations_per_run or null)
      if not failed then return numbers_of(run, put, note) end
      for _, name in ipairs(COMPILE_TIMES) do put(name, NOT_FOR_THIS_RUN) end
    end)
    local dimensions = object(function(put)
      put("suite_name", run.model.suite_name or null)
      put("model_name", run.model.model_name or null)
      put("accelerator", e.accelerator_model or null)  -- as upstream: the model in both fields
      put("accelerator_model", e.accelerator_model or null)
      for _, name in ipairs { "xla", "dynamo", "torch_xla2" } do put(name, or_none(e[name])) end
      local on_cuda = or_none(e.keep_model_data_on_cuda)
      put("keep_model_data_on_cuda", on_cuda == "None" and on_cuda or csv.cell(on_cuda))
      put("test", or_none(e.test))
      put("outputs_file", or_none(e.outputs_file))
      put_axes(run, put)
      put("run_status", failed and "failure" or "success")
    end)
    local message = failed and not o.hide_errors and ', "error_message": ' .. json(run.error) or ""
    lines[#lines + 1] = '{"metrics": ' .. metrics .. ', "dimensions": ' .. dimensions .. message .. "}"
  end

  function form.finish() return lines end
  return form
end

local FORMS = { csv = csv_form, jsonl = jsonl_form }

local function usage(message, hint) core.fail("usage", "results.analyze: " .. message, hint) end

return function(runs, o)
  check_keys("results.analyze", o, { "files", "store", "format", "timestamp", "hide_errors" })
  local make = FORMS[o.format or "csv"]
  if not make then usage("not a valid format: '" .. tostring(o.format) .. "'", "Valid formats: csv, jsonl.") end
  if o.timestamp ~= nil and type(o.timestamp) ~= "number" then usage "timestamp must be seconds since 1970" end
  local form, failed = make { timestamp = o.timestamp or reg.time.now(), hide_errors = o.hide_errors }, 0
  local each, notes = processes.runs(runs, o)
  for run, note in each do
    if run.timestamp == null then run.timestamp = nil end
    if run.error ~= nil then failed = failed + 1 end
    form.add(run, note)
  end
  local lines, columns = form.finish()
  return { lines = lines, columns = columns, notes = notes, failed = failed }
end
