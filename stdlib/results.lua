-- reg.results: results of benchmark suites. C++ reads files and computes (core.nouns.results); this file makes the four
-- reports of pytorch/xla's aggregate.py as rows that print, plot (lib/results/speedup_plot.lua) and compare. The
-- reports of its result_analyzer are in lib/results/analysis.lua.

local analyze = require "lib/results/analysis"
local backends_of = require "lib/results/backends"
local comparison = require "lib/results/comparison"
local csv = require "lib/results/csv"
local decimals = require "lib/results/decimals"
local check_keys = require "lib/options/check_keys"
local processes = require "lib/results/processes"
local speedup_plot = require "lib/results/speedup_plot"

local nouns = core.nouns.results
local results = { speedups = nouns.speedups, files = nouns.files, append = csv.append, export = nouns.export }

local DIGITS = 8  -- decimals; machines differ in those beyond
local PERCENTILES = { "p95", "p50", "p5" }

local function rounded(x) return decimals.round(x, DIGITS) end

local function usage_of(name, message, hint) core.fail("usage", "results." .. name .. ": " .. message, hint) end
local function usage(message, hint) usage_of("report", message, hint) end

-- An empty cell in every output format.
local NONE = ""

local function add_value(row, value)
  row[#row + 1] = value and rounded(value.value) or NONE
  row[#row + 1] = value and rounded(value.deviation) or NONE
end

-- One row for each moment at which any backend has a speedup: the geometric means.
local function speedup(found, o)
  local columns, rows = { "Datetime(UTC)" }, {}
  for _, backend in ipairs(o.backends) do
    table.insert(columns, o.over(backend))
    table.insert(columns, "StdDev")
  end
  for _, moment in ipairs(found.moments) do
    if next(moment.backends) then
      local row = { decimals.datetime(moment.timestamp) }
      for _, backend in ipairs(o.backends) do add_value(row, moment.backends[backend.name]) end
      rows[#rows + 1] = row
    end
  end
  return columns, rows
end

-- One row for each moment at which the baseline's backend has a speedup: percentiles over the models.
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
        for _, percentile in ipairs(PERCENTILES) do row[#row + 1] = summary and rounded(summary[percentile]) or NONE end
      end
      rows[#rows + 1] = row
    end
  end
  return columns, rows
end

local function models_of(summary)
  return summary.speedups or usage("this report needs the speedups by model", "Remove models = false.")
end

local function newest(found, backend)
  for at = #found.moments, 1, -1 do
    local summary = found.moments[at].backends[backend.name]
    if summary then return models_of(summary) end
  end
  return {}
end

-- Each backend at its own newest moment, its models from slow to fast; row n holds the n-th of each.
local function latest(found, o)
  local columns, rows, lists, most = { "Workload" }, {}, {}, 0
  for i, backend in ipairs(o.backends) do
    for _, name in ipairs { o.over(backend), "StdDev", "ModelName(" .. backend.title .. ")" } do
      table.insert(columns, name)
    end
    lists[i] = table.move(newest(found, backend), 1, 1 << 20, 1, {})
    table.sort(lists[i], function(a, b)
      if a.value ~= b.value then return a.value < b.value end
      if a.deviation ~= b.deviation then return a.deviation < b.deviation end
      return a.model < b.model
    end)
    most = math.max(most, #lists[i])
  end
  for n = 1, most do
    local row = { n - 1 }
    for _, list in ipairs(lists) do
      add_value(row, list[n])
      table.insert(row, list[n] and list[n].model or NONE)
    end
    rows[#rows + 1] = row
  end
  return columns, rows
end

-- The last moment: one row for each model, by name, and the geometric means.
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
    for _, backend in ipairs(o.backends) do add_value(row, models[name][backend.name]) end
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
    usage("not a valid report: '" .. tostring(o.report) .. "'", "Valid: speedup, latest, latest_grouped, histogram.")
  end
  local backends = {}
  for i, backend in ipairs(o.backends or {}) do
    backends[i] = { name = backend.name, title = backend.title or backend.name }
  end
  if #backends == 0 then usage("needs 'backends'", "Pass those that the speedups were computed for.") end
  local baseline = o.baseline == "latest" and "Latest" or "Oldest"
  local function over(backend) return string.format("Speedup(%s/%s %s)", backend.title, baseline, backends[1].title) end
  local columns, rows = make(found, { backends = backends, over = over })
  local titles = {}
  for i, backend in ipairs(backends) do titles[i] = backend.title end
  return { report = o.report or "speedup", columns = columns, rows = rows, backends = titles,
    baseline = baseline:lower() }
end

--- Plots a report as text, and into a file if the options name one.
function results.plot(report, o) return speedup_plot(report, o or {}) end

--- The report as the CSV that aggregate.py writes: a header after "# ", numbers as Python prints them, empty cells for
--- none.
function results.csv(report)
  local lines = { "# " .. table.concat(report.columns, ",") }
  for _, row in ipairs(report.rows) do
    local cells = {}
    for i, cell in ipairs(row) do cells[i] = csv.cell(cell) end
    lines[#lines + 1] = table.concat(cells, ",")
  end
  return table.concat(lines, "\n")
end

-- { tier = { names } } from a JSON or Lua file.
local function tiers_in(path)
  local text = reg.fs.read(path)
  if path:lower():find "%.json$" then return reg.json.decode(text) end
  local function fail(why)
    core.fail("usage", "results.tier: not a valid table of tiers: " .. path .. ": " .. tostring(why))
  end
  local chunk = load("return " .. text, "=" .. path, "t", {})
  if not chunk then
    local why
    chunk, why = load(text, "=" .. path, "t", {})
    if not chunk then fail(why) end
  end
  local ok, tiers = pcall(chunk)
  return ok and tiers or fail(tiers)
end

--- A regular expression that matches exactly the models of a tier.
function results.tier(path, name)
  if type(path) ~= "string" then
    usage_of("tier", "needs a file of tiers", 'Write { "tier1": ["alexnet", "bert"] } in JSON, or the same in Lua.')
  end
  local tiers, names = tiers_in(path), {}
  if type(tiers) ~= "table" then usage_of("tier", "not a table of tiers: " .. path) end
  for tier in pairs(tiers) do names[#names + 1] = tostring(tier) end
  table.sort(names)
  local models = tiers[name] or tiers[math.tointeger(tonumber(name))]
  if type(models) ~= "table" then
    usage_of("tier", "no such tier: '" .. tostring(name) .. "' in " .. path .. core.did_you_mean(tostring(name), names),
      "Valid tiers: " .. table.concat(names, ", ") .. ".")
  end
  local escaped = {}
  for i, model in ipairs(models) do escaped[i] = tostring(model):gsub("%p", "\\%0") end
  return "^(?:" .. table.concat(escaped, "|") .. ")$"
end

--- The backends that a report compares: PyTorch/XLA's by name, or the values of a field.
function results.backends(given) return backends_of(given) end

--- Imports the records of files into a store.
function results.import(o)
  check_keys("results.import", o, { "files", "into" })
  if type(o.into) ~= "string" then return nouns.import(o) end
  local store <close> = reg.store.open(o.into)
  return nouns.import { files = o.files, into = store }
end

--- Iterates over the lines of the files and the runs of the stores.
function results.runs(o)
  local reader = nouns.runs(o)
  return reader.next, reader
end

--- The report of pytorch/xla's result_analyzer.
function results.analyze(o) return analyze(results.runs, o) end

--- The samples of each process, by workload and configuration.
function results.processes(o) return processes(results.runs, o) end

--- Compares two sets of processes.
function results.compare(old, new, o) return comparison(old, new, o) end

return results
