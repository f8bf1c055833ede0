-- reg.results: results of benchmark suites. The reading and the arithmetic are the C++ side's (core.nouns.results); here are the
-- four reports of pytorch/xla's aggregate.py, as rows that print, plot (lib/results/speedup_plot.lua) and compare. What its
-- result_analyzer makes of the same files stands in lib/results/analysis.lua.

local analyze = require "lib/results/analysis"
local append = require "lib/results/database"
local backends_of = require "lib/results/backends"
local comparison = require "lib/results/comparison"
local csv = require "lib/results/csv"
local decimals = require "lib/results/decimals"
local check_keys = require "lib/options/check_keys"
local processes = require "lib/results/processes"
local speedup_plot = require "lib/results/speedup_plot"

local nouns = core.nouns.results
local results = { speedups = nouns.speedups, files = nouns.files, append = append, export = nouns.export }

local PLACES = 8  -- tiny differences between machines lie beyond
local PERCENTILES = { "p95", "p50", "p5" }

local function rounded(x) return decimals.round(x, PLACES) end

local function usage_of(name, message, hint) core.fail("usage", "results." .. name .. ": " .. message, hint) end
local function usage(message, hint) usage_of("report", message, hint) end

-- A cell that is empty in every form of output.
local NONE = ""

local function pair(value)
  if not value then return NONE, NONE end
  return rounded(value.value), rounded(value.deviation)
end

-- One row a moment at which any backend has a speedup: the geometric means.
local function speedup(found, o)
  local columns, rows = { "Datetime(UTC)" }, {}
  for _, backend in ipairs(o.backends) do
    table.insert(columns, o.over(backend))
    table.insert(columns, "StdDev")
  end
  for _, moment in ipairs(found.moments) do
    if next(moment.backends) then
      local row = { decimals.datetime(moment.timestamp) }
      for _, backend in ipairs(o.backends) do
        local value, deviation = pair(moment.backends[backend.name])
        table.insert(row, value)
        table.insert(row, deviation)
      end
      rows[#rows + 1] = row
    end
  end
  return columns, rows
end

-- One row a moment at which the baseline's backend has a speedup: how the models spread.
local function histogram(found, o)
  local columns, rows = { "Datetime(UTC)" }, {}
  for _, backend in ipairs(o.backends) do
    for _, percentile in ipairs(PERCENTILES) do table.insert(columns, backend.title .. " " .. percentile) end
  end
  for _, moment in ipairs(found.moments) do
    if moment.backends[o.backends[1].name] then
      local row = { decimals.datetime(moment.timestamp) }
      for _, backend in ipairs(o.backends) do
        local summary = moment.backends[backend.name]
        for _, percentile in ipairs(PERCENTILES) do table.insert(row, summary and rounded(summary[percentile]) or NONE) end
      end
      rows[#rows + 1] = row
    end
  end
  return columns, rows
end

local function models_of(summary)
  return summary.speedups or usage("this report needs the speedups by model", "ask for them without models = false")
end

local function newest(found, backend)
  for at = #found.moments, 1, -1 do
    local summary = found.moments[at].backends[backend.name]
    if summary then return models_of(summary) end
  end
  return {}
end

-- Each backend at its own newest moment, its models from slow to fast; a row holds the n-th of each.
local function latest(found, o)
  local columns, rows, lists, most = { "Workload" }, {}, {}, 0
  for i, backend in ipairs(o.backends) do
    for _, name in ipairs { o.over(backend), "StdDev", "ModelName(" .. backend.title .. ")" } do table.insert(columns, name) end
    lists[i] = table.move(newest(found, backend), 1, 1 << 20, 1, {})
    table.sort(lists[i], function(a, b)
      if a.value ~= b.value then return a.value < b.value end
      if a.deviation ~= b.deviation then return a.deviation < b.deviation end
      return a.model < b.model
    end)
    most = math.max(most, #lists[i])
  end
  for place = 1, most do
    local row = { place - 1 }
    for _, list in ipairs(lists) do
      local value, deviation = pair(list[place])
      table.insert(row, value)
      table.insert(row, deviation)
      table.insert(row, list[place] and list[place].model or NONE)
    end
    rows[#rows + 1] = row
  end
  return columns, rows
end

-- The last moment: a row a model, by name, and the geometric means.
local function latest_grouped(found, o)
  local columns, rows, models, names = { "ModelName" }, {}, {}, {}
  local last = found.moments[#found.moments] or { backends = {} }
  for _, backend in ipairs(o.backends) do
    table.insert(columns, o.over(backend))
    table.insert(columns, "StdDev")
    for _, one in ipairs(models_of(last.backends[backend.name] or { speedups = {} })) do
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
  for _, name in ipairs(names) do
    local row = { name }
    for _, backend in ipairs(o.backends) do
      local value, deviation = pair(models[name][backend.name])
      table.insert(row, value)
      table.insert(row, deviation)
    end
    rows[#rows + 1] = row
  end
  return columns, rows
end

local REPORTS = { speedup = speedup, histogram = histogram, latest = latest, latest_grouped = latest_grouped }

--- The rows of one of the four reports, { columns =, rows = }.
function results.report(found, o)
  check_keys("results.report", o, { "report", "backends", "baseline" })
  local make = REPORTS[o.report or "speedup"]
  if not make then
    usage("no report '" .. tostring(o.report) .. "'", "speedup, latest, latest_grouped or histogram")
  end
  local backends = {}
  for i, backend in ipairs(o.backends or {}) do backends[i] = { name = backend.name, title = backend.title or backend.name } end
  if #backends == 0 then usage "needs the backends that the speedups were asked for with" end
  local baseline = o.baseline == "latest" and "Latest" or "Oldest"
  local function over(backend) return string.format("Speedup(%s/%s %s)", backend.title, baseline, backends[1].title) end
  local columns, rows = make(found, { backends = backends, over = over })
  local titles = {}
  for i, backend in ipairs(backends) do titles[i] = backend.title end
  return { report = o.report or "speedup", columns = columns, rows = rows, backends = titles, baseline = baseline:lower() }
end

--- The report drawn, in text and in a file where one is asked for.
function results.plot(report, o) return speedup_plot(report, o or {}) end

--- The report as aggregate.py writes CSV: a header behind "# ", numbers as Python prints them, nothing where there is none.
function results.csv(report)
  local lines = { "# " .. table.concat(report.columns, ",") }
  for _, row in ipairs(report.rows) do
    local cells = {}
    for i, cell in ipairs(row) do cells[i] = csv.cell(cell) end
    lines[#lines + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n")
end

-- { tier = { names } } from a file of JSON or of Lua.
local function tiers_in(path)
  local text = reg.fs.read(path)
  if path:lower():find "%.json$" then return reg.json.decode(text) end
  local function fail(why) core.fail("usage", "results.tier: " .. path .. " is no table of tiers: " .. tostring(why)) end
  local chunk = load("return " .. text, "=" .. path, "t", {})
  if not chunk then
    local why
    chunk, why = load(text, "=" .. path, "t", {})
    if not chunk then fail(why) end
  end
  local ok, tiers = pcall(chunk)
  return ok and tiers or fail(tiers)
end

--- A regular expression that finds the models of a tier and no others.
function results.tier(path, name)
  if type(path) ~= "string" then usage_of("tier", "needs a file of tiers", '{ "tier1": ["alexnet", "bert"] } in JSON or Lua') end
  local tiers, names = tiers_in(path), {}
  if type(tiers) ~= "table" then usage_of("tier", path .. " holds no table of tiers") end
  for known_name in pairs(tiers) do names[#names + 1] = tostring(known_name) end
  table.sort(names)
  local models = tiers[name] or tiers[math.tointeger(tonumber(name))]
  if type(models) ~= "table" then
    usage_of("tier", path .. " has no tier '" .. tostring(name) .. "'" .. core.did_you_mean(tostring(name), names),
      "it has: " .. table.concat(names, ", "))
  end
  local escaped = {}
  for i, model in ipairs(models) do escaped[i] = tostring(model):gsub("%p", "\\%0") end
  return "^(?:" .. table.concat(escaped, "|") .. ")$"
end

--- What a report compares: PyTorch/XLA's backends by name, or the values of a field.
function results.backends(given) return backends_of(given) end

--- Takes the records of files into a store.
function results.import(o)
  check_keys("results.import", o, { "files", "into" })
  if type(o.into) ~= "string" then return nouns.import(o) end
  local store <close> = reg.store.open(o.into)
  return nouns.import { files = o.files, into = store }
end

--- Every line of the files and every run of the stores, one after the other, as an iterator.
function results.runs(o)
  local reader = nouns.runs(o)
  return reader.next, reader
end

--- What result_analyzer makes of them.
function results.analyze(o) return analyze(results.runs, o) end

--- Their samples, by workload and configuration.
function results.processes(o) return processes(results.runs, o) end

--- Two sets of processes, row by row.
function results.compare(old, new, o) return comparison(old, new, o) end

return results
