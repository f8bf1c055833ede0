-- reg.results.report and reg.results.plot: the four reports of pytorch/xla's aggregate.py as rows, and their plots.

local check_keys = core.check_keys
local merged = require "lib/merged"

---@class results.ReportOptions
---@field report? "speedup"|"histogram"|"latest"|"latest_grouped" default speedup
---@field backends results.Backend[] those of the speedups; a `title` beside the name is used in column names
---@field baseline? "oldest"|"latest" that of the speedups

---@class results.Report
---@field columns string[]
---@field rows any[][] numbers, rounded to eight decimals, and strings; "" for none
---@field report string which of the four reports
---@field backends string[] titles, the baseline's first
---@field baseline string "oldest" or "latest"

---@class results.PlotOptions
---@field file? string also plot into this PNG or SVG with gnuplot; "-" for standard output
---@field format? "png"|"svg" if the file name does not say
---@field title? string line below the plot's title
---@field inches? number[] width and height of the image
---@field width? integer columns of the text plot
---@field height? integer lines of the text plot

local DIGITS = 8  -- decimals; machines differ in those beyond
local NONE = ""   -- an empty cell in every output format
local PERCENTILES = { "p95", "p50", "p5" }
local SPEEDUP = "Speedup (times as fast)"

local function usage(message, hint) core.fail("usage", "results.report: " .. message, hint) end

-- Half to even, as Python does.
local function rounded(x, digits)
  local scaled = x * 10.0 ^ digits
  if math.abs(scaled) >= 2 ^ 52 then return x end
  local below = math.floor(scaled)
  local rest = scaled - below
  if rest > 0.5 or (rest == 0.5 and below % 2 == 1) then below = below + 1 end
  return below / 10.0 ^ digits
end

-- 1699680738.7234068 as "2023-11-11 05:32:18.723407"; a whole second has no fraction. UTC.
local function datetime(timestamp)
  local whole = math.floor(timestamp)
  local micro = math.tointeger(rounded((timestamp - whole) * 1e6, 0))
  if micro == 1000000 then whole, micro = whole + 1, 0 end
  local text = reg.time.format(math.tointeger(whole), "%Y-%m-%d %H:%M:%S")
  return micro == 0 and text or string.format("%s.%06d", text, micro)
end

local function append(list, ...) table.move({ ... }, 1, select("#", ...), #list + 1, list) end

-- The cells of a speedup: the number and its deviation.
local function pair(value)
  if not value then return NONE, NONE end
  return rounded(value.value, DIGITS), rounded(value.deviation, DIGITS)
end

-- A row for each moment that `has`: the cells of each backend in the columns that `names` returns for it.
local function over_time(found, o, names, cells, has)
  local columns, rows = { "Datetime(UTC)" }, {}
  for _, backend in ipairs(o.backends) do append(columns, names(backend)) end
  for _, moment in ipairs(found.moments) do
    if has(moment.backends) then
      local row = { datetime(moment.timestamp) }
      for _, backend in ipairs(o.backends) do append(row, cells(moment.backends[backend.name])) end
      rows[#rows + 1] = row
    end
  end
  return columns, rows
end

-- The geometric means of each moment at which any backend has a speedup.
local function speedup(found, o)
  return over_time(found, o, function(backend) return o.over(backend), "StdDev" end, pair, next)
end

-- Percentiles over the models, of each moment at which the baseline's backend has a speedup.
local function histogram(found, o)
  local function each(make)
    local list = {}
    for i, percentile in ipairs(PERCENTILES) do list[i] = make(percentile) end
    return table.unpack(list)
  end
  return over_time(found, o,
    function(backend) return each(function(percentile) return backend.title .. " " .. percentile end) end,
    function(summary)
      return each(function(percentile) return summary and rounded(summary[percentile], DIGITS) or NONE end)
    end,
    function(backends) return backends[o.backends[1].name] end)
end

local function newest(found, backend)
  for at = #found.moments, 1, -1 do
    local summary = found.moments[at].backends[backend.name]
    if summary then return summary.speedups end
  end
  return {}
end

local function is_slower(a, b)
  if a.value ~= b.value then return a.value < b.value end
  if a.deviation ~= b.deviation then return a.deviation < b.deviation end
  return a.model < b.model
end

-- Each backend at its own newest moment, its models from slow to fast; row n holds the n-th of each.
local function latest(found, o)
  local columns, rows, lists, most = { "Workload" }, {}, {}, 0
  for i, backend in ipairs(o.backends) do
    append(columns, o.over(backend), "StdDev", "ModelName(" .. backend.title .. ")")
    local models = newest(found, backend)
    lists[i] = table.move(models, 1, #models, 1, {})
    table.sort(lists[i], is_slower)
    most = math.max(most, #models)
  end
  for n = 1, most do
    rows[n] = { n - 1 }
    for _, list in ipairs(lists) do
      append(rows[n], pair(list[n]))
      append(rows[n], list[n] and list[n].model or NONE)
    end
  end
  return columns, rows
end

-- The last moment: one row for each model, by name, and the geometric means.
local function latest_grouped(found, o)
  local columns, rows, models, names = { "ModelName" }, {}, {}, {}
  local last = found.moments[#found.moments] or { backends = {} }
  for _, backend in ipairs(o.backends) do
    append(columns, o.over(backend), "StdDev")
    for _, one in ipairs((last.backends[backend.name] or { speedups = {} }).speedups) do
      if not models[one.model] then
        models[one.model] = {}
        names[#names + 1] = one.model
      end
      models[one.model][backend.name] = one
    end
  end
  if #names == 0 then return columns, rows end
  table.sort(names, function(a, b)
    if a:lower() ~= b:lower() then return a:lower() < b:lower() end
    return a < b
  end)
  names[#names + 1], models.GEOMEAN = "GEOMEAN", last.backends
  for i, name in ipairs(names) do
    rows[i] = { name }
    for _, backend in ipairs(o.backends) do append(rows[i], pair(models[name][backend.name])) end
  end
  return columns, rows
end

local REPORTS = { speedup = speedup, histogram = histogram, latest = latest, latest_grouped = latest_grouped }

local reports = {}

function reports.report(found, o)
  check_keys("results.report", o, { "report", "backends", "baseline" })
  local make = REPORTS[o.report or "speedup"]
  if not make then
    usage("not a valid report: '" .. tostring(o.report) .. "'", "Valid: speedup, latest, latest_grouped, histogram.")
  end
  local backends, titles = {}, {}
  for i, backend in ipairs(o.backends or {}) do
    titles[i] = backend.title or backend.name
    backends[i] = { name = backend.name, title = titles[i] }
  end
  if #backends == 0 then usage("needs 'backends'", "Pass those that the speedups were computed for.") end
  local baseline = o.baseline == "latest" and "Latest" or "Oldest"
  local function over(backend) return string.format("Speedup(%s/%s %s)", backend.title, baseline, titles[1]) end
  local columns, rows = make(found, { backends = backends, over = over })
  return { report = o.report or "speedup", columns = columns, rows = rows, backends = titles,
    baseline = baseline:lower() }
end

local function column(rows, at)
  local values = {}
  for i, row in ipairs(rows) do values[i] = row[at] ~= NONE and row[at] or false end
  return values
end

-- One series for each backend, of `step` columns: speedups, deviations and, with a third column, names of the models.
local function by_backend(report, step)
  local series = {}
  for i, title in ipairs(report.backends) do
    local at = 2 + step * (i - 1)
    series[i] = { name = title, values = column(report.rows, at), errors = column(report.rows, at + 1),
      names = step == 3 and column(report.rows, at + 2) or nil }
  end
  return series
end

local function by_percentile(report)
  local series = {}
  for i = 2, #report.columns do  -- three for each backend
    series[i - 1] = { name = report.columns[i], group = report.backends[(i + 1) // 3],
      values = column(report.rows, i) }
  end
  return series
end

-- Of each report what its first column is, its series, and labels of the axes.
local PLOTS = {
  speedup = { first = "labels", series = by_backend, step = 2, x_label = "Date (UTC)",
    y_label = "Geometric mean of the speedups (times as fast)" },
  histogram = { first = "labels", series = by_percentile, x_label = "Date (UTC)", y_label = SPEEDUP },
  latest = { first = "x", series = by_backend, step = 3, x_label = "Workload, from slow to fast", y_label = SPEEDUP },
  latest_grouped = { first = "labels", series = by_backend, step = 2, x_label = SPEEDUP, style = "bar" },
}

function reports.plot(report, o)
  check_keys("results.plot", o, { "file", "format", "title", "inches", "width", "height" })
  local form = type(report) == "table" and PLOTS[report.report]
  if not form then core.fail("usage", "results.plot: takes a report of reg.results.report") end
  local spread = report.report == "histogram" and "Percentiles of the speedup" or "Speedup"
  local options = merged({ x_label = form.x_label, y_label = form.y_label, style = form.style, reference = 1 }, o,
    { title = spread .. " over the " .. report.baseline .. " " .. report.backends[1]
      .. (o.title and "\n" .. o.title or "") })
  return reg.report.plot({ [form.first] = column(report.rows, 1), series = form.series(report, form.step) }, options)
end

return reports
