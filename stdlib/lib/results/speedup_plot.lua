-- Plots the four reports of reg.results.report: columns of each, and labels of the axes.

local check_keys = core.check_keys

local SPEEDUP = "Speedup (times as fast)"
local OPTIONS = { "file", "format", "title", "inches", "width", "height" }

local function column(rows, at)
  local values = {}
  for i, row in ipairs(rows) do values[i] = row[at] ~= "" and row[at] or false end
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

local FORMS = {
  speedup = function(report)
    return { labels = column(report.rows, 1), series = by_backend(report, 2) },
      { x_label = "Date (UTC)", y_label = "Geometric mean of the speedups (times as fast)" }
  end,
  histogram = function(report)
    local series = {}
    for i = 2, #report.columns do  -- three for each backend
      series[i - 1] = { name = report.columns[i], group = report.backends[(i + 1) // 3],
        values = column(report.rows, i) }
    end
    return { labels = column(report.rows, 1), series = series }, { x_label = "Date (UTC)", y_label = SPEEDUP }
  end,
  latest = function(report)
    return { x = column(report.rows, 1), series = by_backend(report, 3) },
      { x_label = "Workload, from slow to fast", y_label = SPEEDUP }
  end,
  latest_grouped = function(report)
    return { labels = column(report.rows, 1), series = by_backend(report, 2) }, { x_label = SPEEDUP, style = "bar" }
  end,
}

return function(report, o)
  check_keys("results.plot", o, OPTIONS)
  local form = type(report) == "table" and FORMS[report.report]
  if not form then core.fail("usage", "results.plot: takes a report of reg.results.report") end
  local chart, options = form(report)
  for name, value in pairs(o) do options[name] = value end
  local spread = report.report == "histogram" and "Percentiles of the speedup" or "Speedup"
  options.title = spread .. " over the " .. report.baseline .. " " .. report.backends[1]
    .. (o.title and "\n" .. o.title or "")
  options.reference = 1
  return reg.report.plot(chart, options)
end
