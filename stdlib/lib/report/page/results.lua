-- The results of a benchmark suite as a table: a row for each experiment, with its axes as columns.

local direction = require "lib/direction"
local h = require "lib/report/page/markup"
local median = require "lib/median"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"
local words = require "lib/report/words"

local MOST_METRICS = 4
local STANDARD = "total_time"

-- The values of a metric in a trial, all numbers.
local function values_of(trial, metric) return read.each(read.list(trial.samples[metric]), read.number) end

-- The experiments in the order of their first processes: { subject =, axes =, trials = }.
local function experiments_of(stage)
  local list, of = {}, {}
  for _, trial in ipairs(stage.trials) do
    if trial.kind == "experiment" and trial.status ~= "set_aside" then
      local one = of[trial.subject]
      if not one then
        one = { subject = trial.subject, axes = trial.config, trials = {} }
        of[trial.subject], list[#list + 1] = one, one
      end
      table.insert(one.trials, trial)
    end
  end
  return list
end

-- The names of all axes, and of all metrics with the standard one first.
local function names_of(experiments)
  local axes, metrics = {}, {}
  for _, one in ipairs(experiments) do
    for name in pairs(one.axes) do axes[name] = true end
    for _, trial in ipairs(one.trials) do
      for name in pairs(read.list(trial.samples)) do metrics[name] = true end
    end
  end
  local ordered = { metrics[STANDARD] and STANDARD or nil }
  for _, name in ipairs(sorted_names(metrics)) do
    if name ~= STANDARD and #ordered < MOST_METRICS then ordered[#ordered + 1] = name end
  end
  return sorted_names(axes), ordered
end

-- "gzip" of "gzip level=9 threads=4": what comes before the first axis.
local function workload_of(one, axes)
  local cut = #one.subject
  for _, name in ipairs(axes) do
    local at = one.axes[name] ~= nil and one.subject:find(" " .. name .. "=", 1, true)
    if at then cut = math.min(cut, at - 1) end
  end
  return one.subject:sub(1, cut)
end

local function text_of(value)
  if type(value) == "number" then return numbers.plain(value) end
  return type(value) == "string" and value or value ~= nil and reg.json.encode(value) or nil
end

-- The cells of a metric: the median of all values, and their range.
local function cells_of(one, metric)
  local all = {}
  for _, trial in ipairs(one.trials) do
    if trial.status == "ok" then
      for _, value in ipairs(values_of(trial, metric)) do all[#all + 1] = value end
    end
  end
  if #all == 0 then return { h.td {}, h.td {} } end
  table.sort(all)
  local range = #all > 1 and numbers.plain(all[1]) .. " to " .. numbers.plain(all[#all]) or nil
  return { h.td { class = "n", ["data-name"] = metric, h.b { numbers.plain(median(all)) } },
    h.td { class = "n tight", ["data-name"] = "range", range } }
end

local function head_of(axes, metrics, units)
  local cells = { h.th { "workload" } }
  for _, name in ipairs(axes) do cells[#cells + 1] = h.th { name } end
  for _, metric in ipairs(metrics) do
    cells[#cells + 1] = h.th { class = "n", direction.labeled(metric, read.text(units[metric])) }
    cells[#cells + 1] = h.th { class = "n", "range" }
  end
  cells[#cells + 1] = h.th { class = "n", "processes" }
  cells[#cells + 1] = h.th { "status" }
  return h.thead { h.tr(cells) }
end

local function row_of(one, axes, metrics, mask)
  local cells = { h.td { h.b { mask:text(workload_of(one, axes)) } } }
  for _, name in ipairs(axes) do
    local value = text_of(one.axes[name])
    cells[#cells + 1] = h.td { ["data-name"] = name, value and mask:text(value) }
  end
  for _, metric in ipairs(metrics) do cells[#cells + 1] = cells_of(one, metric) end
  local status = "ok"
  for _, trial in ipairs(one.trials) do status = trial.status ~= "ok" and trial.status or status end
  cells[#cells + 1] = h.td { class = "n", ["data-name"] = "processes", #one.trials }
  cells[#cells + 1] = h.td { class = "tight",
    status == "ok" and "ok" or h.span { class = "status", words.status(status) } }
  return h.tr(cells)
end

--- The table, nil for a stage that is not of a suite.
return function(stage)
  local experiments = experiments_of(stage)
  if #experiments == 0 then return nil end
  local axes, metrics = names_of(experiments)
  local units = read.list(experiments[1].trials[1].info.units)
  local rows = {}
  for i, one in ipairs(experiments) do rows[i] = row_of(one, axes, metrics, stage.mask) end
  return h.all { h.h2 { "Results" }, h.div { class = "scroll",
    h.table { class = "stack", head_of(axes, metrics, units), h.tbody { rows } } } }
end
