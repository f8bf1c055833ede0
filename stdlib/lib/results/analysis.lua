-- reg.results.analyze: one row for each run with the statistics of each metric, in the columns of pytorch/xla's
-- result_analyzer and equal to its last digit, as CSV or JSON lines.

---@class results.AnalyzeOptions: results.Source
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
local values = require "lib/values"
local null = reg.json.null

local COLUMNS = { "timestamp", "suite_name", "model_name", "accelerator", "accelerator_model", "xla", "xla_flags",
  "dynamo", "torch_xla2", "keep_model_data_on_cuda", "test", "batch_size", "repeat", "iterations_per_run",
  "error_message", "median_total_time", "median_per_iter_time", "xla_median_trace_per_iter_time", "xla_compile_time",
  "dynamo_compile_time", "outputs_file" }
local STATISTICS = { "min", "median", "max", "mean", "std" }
local NOT_FOR_THIS_RUN = -1

-- Columns that an axis must not take.
local TAKEN = values.set(COLUMNS)
TAKEN.run_status, TAKEN.metrics = true, true

-- The columns of an experiment's fields.
local FIELDS = values.only(processes.XLA_FIELDS, function(name) return TAKEN[name] end)

-- numpy adds in this order: eight sums side by side, and halves where there are many. Another order ends in other bits.
local LANES, BLOCK = 8, 128

local function sum_of(list, first, last)
  local count = last - first + 1
  if count > BLOCK then
    local middle = first + count // 2 - count // 2 % LANES
    return sum_of(list, first, middle - 1) + sum_of(list, middle, last)
  end
  local sum, next = 0.0, first
  if count >= LANES then
    local lane = table.move(list, first, first + LANES - 1, 1, {})
    for from = first + LANES, last - LANES + 1, LANES do
      for k = 1, LANES do lane[k] = lane[k] + list[from + k - 1] end
    end
    sum = ((lane[1] + lane[2]) + (lane[3] + lane[4])) + ((lane[5] + lane[6]) + (lane[7] + lane[8]))
    next = last - count % LANES + 1
  end
  for i = next, last do sum = sum + list[i] end
  return sum
end

-- The statistics of a metric's values. Mean and deviation are those of all but the first, which includes compilation.
local function statistics_of(numbers)
  local nan = values.find(numbers, function(value) return value ~= value end)
  local sorted = nan and {} or values.sorted(numbers)
  local found = { min = nan or sorted[1], median = nan or values.median(numbers), max = nan or sorted[#sorted] }
  local count = #numbers - 1
  if count > 0 then
    found.mean = sum_of(numbers, 2, #numbers) / count
    local squares = values.map(numbers, function(x) return (x - found.mean) * (x - found.mean) end)
    found.std = math.sqrt(sum_of(squares, 2, #numbers) / count)
  end
  return found, nan ~= nil
end

-- Python's truth: "xla": null and "xla": "" both count as not set.
local function is_set(value) return value ~= nil and value ~= null and value ~= false and value ~= 0 and value ~= "" end

-- Calls put(name, number) for each number of a run, in the order of the metrics, and note(text) for each missing one.
local function numbers_of(run, put, note)
  local xla, compile_time = is_set(run.experiment.xla), nil
  for _, metric in ipairs(run.metrics) do
    if metric.problem then
      note(metric.name .. " " .. metric.problem)
    else
      local applies = xla or metric.name ~= "trace_per_iter_time"
      local found, has_null = statistics_of(metric.values)
      for _, statistic in ipairs(STATISTICS) do
        if found[statistic] then
          put(statistic .. "_" .. metric.name, applies and found[statistic] or NOT_FOR_THIS_RUN)
        end
      end
      if has_null then note(metric.name .. " contains null") end
      if metric.name == "total_time" then compile_time = found.max - found.median end
    end
  end
  if #run.metrics == 0 then return note "no metrics" end
  if not compile_time then note "no total_time, so no compile time" end
  put("dynamo_compile_time", not is_set(run.experiment.dynamo) and NOT_FOR_THIS_RUN or compile_time)
  put("xla_compile_time", not xla and NOT_FOR_THIS_RUN or compile_time)
end

-- All that a row says of a run: lists of { name, value }, which are objects of a JSON line.
local function row_of(run, o, note)
  local model, experiment = run.model, run.experiment
  local row = { status = run.error == nil and "success" or "failure",
    dimensions = values.flat { { { "suite_name", model.suite_name }, { "model_name", model.model_name } },
      values.map(FIELDS, function(name) return { name, experiment[name] } end),
      values.map(processes.axes(experiment), function(name)
        return { TAKEN[name] and "axis_" .. name or name, experiment[name] }
      end) },
    metrics = { { "timestamp", run.timestamp or o.timestamp }, { "repeat", run["repeat"] },
      { "iterations_per_run", run.iterations_per_run } }, error = {} }
  if run.error == nil then
    numbers_of(run, function(name, value) table.insert(row.metrics, { name, value }) end, note)
  elseif not o.hide_errors then
    row.error[1] = { "error_message", run.error }
  end
  return row
end

-- The row as a line of CSV. Columns that no earlier row had come last in `columns`; `index` has the place of each.
local function csv_line(row, columns, index)
  local cells = {}
  for _, cell in ipairs(values.flat { row.dimensions, row.metrics, row.error }) do
    local name = cell[1]
    if not index[name] then columns[#columns + 1], index[name] = name, #columns + 1 end
    cells[index[name]] = csv.cell(cell[2])
  end
  for i = 1, #columns do cells[i] = cells[i] or "" end
  return table.concat(cells, ",")
end

-- Missing values, NaN and infinity, which JSON has not, are null.
local function json(value)
  local is_none = value == nil or type(value) == "number" and value - value ~= 0
  return is_none and "null" or reg.json.encode(value)
end

local function fields(cells)
  return table.concat(values.map(cells, function(cell) return json(cell[1]) .. ": " .. json(cell[2]) end), ", ")
end

-- { "metrics": {...}, "dimensions": {...}, "error_message": "..." }
local function json_line(row)
  table.insert(row.dimensions, { "run_status", row.status })
  return '{"metrics": {' .. fields(row.metrics) .. '}, "dimensions": {' .. fields(row.dimensions) .. "}"
    .. (row.error[1] and ", " or "") .. fields(row.error) .. "}"
end

local FORMS = { csv = csv_line, jsonl = json_line }

return function(o)
  core.check_keys("results.analyze", o, { "files", "store", "format", "timestamp", "hide_errors" })
  o = values.merged({ timestamp = reg.time.now() }, o)
  local line_of = FORMS[values.choice("results.analyze", "format", o.format, { "csv", "jsonl" })]
  if type(o.timestamp) ~= "number" then
    core.fail("usage", "results.analyze: timestamp must be seconds since 1970")
  end
  local lines, widths, failed = {}, {}, 0
  local columns, index = table.move(COLUMNS, 1, #COLUMNS, 1, {}), {}
  for i, name in ipairs(columns) do index[name] = i end
  local each, notes = processes.runs(o)
  for run, note in each do
    if run.timestamp == null then run.timestamp = nil end
    if run.error ~= nil then failed = failed + 1 end
    lines[#lines + 1] = line_of(row_of(run, o, note), columns, index)
    widths[#lines] = #columns
  end
  for i, line in ipairs(lines) do lines[i] = line .. (","):rep(#columns - widths[i]) end
  return { lines = lines, columns = line_of == csv_line and columns or nil, notes = notes, failed = failed }
end
