-- Turns what reg.report.plot takes - a series, plain values, or several series - into one chart that can be drawn:
-- { series = { { name =, y =, errors =, failed = { numbers of points } } }, x =, changes = { x },
--   levels = { { from =, to =, y = } }, words = { { x =, text = } below the axis, the most important ones first } }.
-- All x are numbers: the given ones, or 1, 2, 3.

local direction = require "lib/direction"
local described = require "lib/report/changes"
local map, median = require("lib/values").map, require("lib/values").median
local number = require("lib/report/read").number

local FORMS = { "series", "values", "errors", "labels", "x", "changes", "failed" }

local function usage(message, hint) core.fail("usage", "report.plot: " .. message, hint) end

local function list(value, what)
  if value ~= nil and type(value) ~= "table" then usage("'" .. what .. "' must be a list, not a " .. type(value)) end
  return value or {}
end

-- Labels, those at changes first, then both ends, the middle, and the rest; none for round numbers.
local function words(chart, first_after)
  local all, count = {}, #chart.x
  local function add(i) all[#all + 1] = { x = chart.x[i], text = chart.labels[i] or tostring(chart.x[i]) } end
  if count == 0 or (#chart.labels == 0 and count > 1) then return all end
  for _, i in ipairs(first_after) do add(i) end
  for _, part in ipairs { 0, 1, 0.5, 0.25, 0.75 } do add(1 + math.floor(part * (count - 1) + 0.5)) end
  return all
end

-- Where a change is drawn whose first point is `i`: in the middle between it and the last one before it. Before the
-- first point and after the last one that is the point itself.
local function edge_at(x, i) return (x[math.max(1, math.min(i - 1, #x))] + x[math.min(i, #x)]) / 2 end

local function points_numbers(given, count, what)
  for _, i in ipairs(list(given, what)) do
    if math.type(i) ~= "integer" or i < 1 or i > count then
      usage("'" .. what .. "' must be numbers of points, 1 to " .. count)
    end
  end
  return given or {}
end

local function one_series(given, at)
  if type(given) ~= "table" or type(given.values) ~= "table" then
    usage("series " .. at .. " must be { name =, values = { numbers } }")
  end
  core.check_keys("report.plot: a series", given, { "name", "values", "errors", "failed" })
  local series = { name = tostring(given.name or "series " .. at), y = {}, errors = {},
    failed = points_numbers(given.failed, #given.values, "failed") }
  local errors = list(given.errors, "errors")
  for i, value in ipairs(given.values) do
    series.y[i], series.errors[i] = number(value) or false, number(errors[i]) or false
  end
  for _, i in ipairs(series.failed) do series.y[i] = false end
  return series
end

-- Plain values: one series of them, or several in `series`.
local function of_values(data)
  core.check_keys("report.plot", data, FORMS)
  local given = data.series
  if data.values then given = { { name = "", values = data.values, errors = data.errors, failed = data.failed } } end
  local labels, x = list(data.labels, "labels"), data.x and list(data.x, "x")
  local chart, count = { series = {}, levels = {}, x = {} }, 0
  for i, one in ipairs(list(given, "series")) do
    chart.series[i] = one_series(one, i)
    count = math.max(count, #one.values)
  end
  local changes = points_numbers(data.changes, count, "changes")
  chart.labels = x and {} or map(labels, function(label) return (tostring(label):gsub("%c+", " ")) end)
  for i = 1, count do
    chart.x[i] = number(x and x[i] or not x and i)
      or usage("'x' has no number for point " .. i, "Give one number for each point.")
  end
  chart.changes, chart.words = map(changes, function(i) return edge_at(chart.x, i) end), words(chart, changes)
  return chart
end

-- A series as reg.sweep returns it, or its findings.
local function of_sweep(series)
  local failed = {}
  local y = map(series.points, function(point, i)
    if type(point) ~= "table" then usage "the points of a series must be tables" end
    if (point.status or "ok") ~= "ok" then failed[#failed + 1] = i end
    return number(point.value) or false
  end)
  local changes = list(series.changes, "changes")
  for _, change in ipairs(changes) do
    if type(change) ~= "table" then usage "the changes of a series must be tables" end
  end
  local edges = series.edges or described.edges(series.points, changes)
  local chart = of_values { values = y, failed = failed, changes = map(edges, function(edge) return edge.to end),
    labels = map(series.points, function(point) return tostring(point.label or point.id) end) }
  local x, values = chart.x, map(chart.series[1].y, function(value) return value or nil end)
  chart.series[1].name = series.metric or "value"
  chart.y_label = series.metric and direction.labeled(series.metric, series.unit)
  chart.levels = map(described.levels(series.points, edges), function(level)
    return { from = edge_at(x, level.first), to = edge_at(x, level.last + 1), y = level.value }
  end)
  if #chart.levels == 0 and #values > 0 then  -- where nothing changed, all points have one level
    chart.levels[1] = { from = x[1], to = x[#x], y = median(values) }
  end
  return chart
end

return function(data)
  if type(data) ~= "table" then usage("not a series or { values = ... }: " .. type(data)) end
  if type(data.points) == "table" then return of_sweep(data) end
  if type(data.values) ~= "table" and type(data.series) ~= "table" then
    usage("the table has neither 'points' nor 'values' nor 'series'", "Pass a series, or { values = { numbers } }.")
  end
  return of_values(data)
end
