-- reg.results.report and reg.results.plot: the four reports of pytorch/xla's aggregate.py as rows, and their plots.

local values = require "lib/values"

local flat, map = values.flat, values.map

---@class results.Report
---@field columns string[]
---@field rows any[][] numbers, rounded to eight decimals, and strings; "" for none
---@field report string which of the four reports
---@field backends string[] titles, the baseline's first
---@field baseline string "oldest" or "latest"

---@class results.PlotOptions
---@field file? string also plot into this PNG or SVG with gnuplot
---@field format? "png"|"svg" if the file name does not say
---@field inches? number[] width and height of the image
---@field title? string line below the plot's title
---@field width? integer columns
---@field height? integer lines

local DIGITS = 8  -- decimals; machines differ in those beyond
local NONE = ""   -- an empty cell in every output format

-- What each backend has in a report: the titles of its columns, of its own title and "Oldest Inductor", and the fields
-- of a summary or a speedup in them.
local SPEEDUPS = { { "Speedup(%s/%s)", "value" }, { "StdDev", "deviation" } }
local WITH_MODELS = { SPEEDUPS[1], SPEEDUPS[2], { "ModelName(%s)", "model" } }
local PERCENTILES = { { "%s p95", "p95" }, { "%s p50", "p50" }, { "%s p5", "p5" } }

-- Half to even, as Python and printf do.
local function rounded(x, digits)
  local scaled = x * 10.0 ^ digits
  return math.abs(scaled) < 2 ^ 52 and tonumber(string.format("%.0f", scaled)) / 10.0 ^ digits or x
end

-- 1699680738.7234068 as "2023-11-11 05:32:18.723407"; a whole second has no fraction. UTC.
local function datetime(timestamp)
  local whole = math.floor(timestamp)
  local micro = math.tointeger(rounded((timestamp - whole) * 1e6, 0))
  if micro == 1000000 then whole, micro = whole + 1, 0 end
  local text = reg.time.format(math.tointeger(whole), "%Y-%m-%d %H:%M:%S")
  return micro == 0 and text or string.format("%s.%06d", text, micro)
end

-- The rows of each report: { its first cell, the value of each backend by name }.

-- Each moment that has a speedup, of the backend if one is given.
local function moments(found, backend)
  return map(found.moments, function(moment)
    local has = next(moment.backends) and (not backend or moment.backends[backend.name])
    return has and { datetime(moment.timestamp), moment.backends } or nil
  end)
end

-- Each backend at its own newest moment, its models from slow to fast; row n holds the n-th of each.
local function newest(found)
  local rows = {}
  for _, backend in ipairs(found.backends) do
    local last = { speedups = {} }
    for _, moment in ipairs(found.moments) do last = moment.backends[backend.name] or last end
    local models = values.sort_by(flat { last.speedups }, function(one) return one.value, one.deviation, one.model end)
    for n, one in ipairs(models) do
      rows[n] = rows[n] or { n - 1, {} }
      rows[n][2][backend.name] = one
    end
  end
  return rows
end

-- The last moment: one row for each model, by name, and the geometric means.
local function last_by_model(found)
  local last, by_model = found.moments[#found.moments] or { backends = {} }, {}
  for name, summary in pairs(last.backends) do
    for _, one in ipairs(summary.speedups) do
      by_model[one.model] = values.merged(by_model[one.model], { [name] = one })
    end
  end
  local rows = map(values.sorted_names(by_model), function(model) return { model, by_model[model] } end)
  values.sort_by(rows, function(row) return row[1]:lower() end)
  if #rows > 0 then table.insert(rows, { "GEOMEAN", last.backends }) end
  return rows
end

local function column(rows, at)
  return map(rows, function(row) return row[at] ~= NONE and row[at] or false end)
end

-- One series for each backend, with its deviations.
local function by_backend(report)
  local step = (#report.columns - 1) // #report.backends
  return map(report.backends, function(title, i)
    local at = 2 + step * (i - 1)
    return { name = title, values = column(report.rows, at), errors = column(report.rows, at + 1) }
  end)
end

local function by_percentile(report)  -- three for each backend
  return map({ table.unpack(report.columns, 2) }, function(name, i)
    return { name = name, values = column(report.rows, i + 1) }
  end)
end

-- Of each report: the name and the kind of its first column, what a backend has in it, its rows and its plot.
local DATE, UTC, SPEEDUP = "Datetime(UTC)", "Date (UTC)", "Speedup (times as fast)"
local REPORTS = {
  speedup = { first = DATE, axis = "labels", columns = SPEEDUPS, rows = moments, series = by_backend,
    x_label = UTC, y_label = "Geometric mean of the speedups (times as fast)" },
  histogram = { first = DATE, axis = "labels", columns = PERCENTILES, series = by_percentile,
    rows = function(found) return moments(found, found.backends[1]) end,
    x_label = UTC, y_label = SPEEDUP, title = "Percentiles of the speedup" },
  latest = { first = "Workload", axis = "x", columns = WITH_MODELS, rows = newest, series = by_backend,
    x_label = "Workload, from slow to fast", y_label = SPEEDUP },
  latest_grouped = { first = "ModelName", axis = "labels", columns = SPEEDUPS, rows = last_by_model,
    series = by_backend, x_label = "Workload", y_label = SPEEDUP, points = true },
}

local reports = {}

function reports.report(found, name)
  name = values.choice("results.report", "report", name, { "speedup", "histogram", "latest", "latest_grouped" })
  local form = REPORTS[name]
  local titles = map(found.backends, function(backend) return backend.title end)
  local function line(first, cell_of)
    return flat { { first }, flat(found.backends, function(backend)
      return map(form.columns, function(one) return cell_of(backend, one[1], one[2]) end)
    end) }
  end
  local base = (found.baseline == "latest" and "Latest " or "Oldest ") .. titles[1]
  local columns = line(form.first, function(backend, column_title) return column_title:format(backend.title, base) end)
  local rows = map(form.rows(found), function(row)
    return line(row[1], function(backend, _, field)
      local value = (row[2][backend.name] or {})[field] or NONE
      return type(value) == "number" and rounded(value, DIGITS) or value
    end)
  end)
  return { report = name, columns = columns, rows = rows, backends = titles, baseline = found.baseline }
end

function reports.plot(report, o)
  core.check_keys("results.plot", o, { "file", "format", "inches", "title", "width", "height" })
  local form = type(report) == "table" and REPORTS[report.report]
  if not form then core.fail("usage", "results.plot: takes a report of reg.results.report") end
  local title = string.format("%s over the %s %s", form.title or "Speedup", report.baseline, report.backends[1])
  local options = values.merged({ x_label = form.x_label, y_label = form.y_label, points = form.points, reference = 1 },
    o, { title = title .. (o.title and "\n" .. o.title or "") })
  return reg.report.plot({ [form.axis] = column(report.rows, 1), series = form.series(report) }, options)
end

return reports
