-- reg.results: results of benchmark suites. C++ reads files and computes (core.nouns.results); this file makes the four
-- reports of pytorch/xla's aggregate.py as rows that print, plot (lib/results/speedup_plot.lua) and compare. The
-- reports of its result_analyzer are in lib/results/analysis.lua.

local analyze = require "lib/results/analysis"
local backends_of = require "lib/results/backends"
local comparison = require "lib/results/comparison"
local csv = require "lib/results/csv"
local decimals = require "lib/results/decimals"
local foreign_processes = require "lib/results/foreign_processes"
local check_keys = core.check_keys
local processes = require "lib/results/processes"
local speedup_plot = require "lib/results/speedup_plot"

local nouns = core.nouns.results
local results = { speedups = nouns.speedups, files = nouns.files, export = nouns.export }

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

--- One of aggregate.py's four reports. speedup: geometric means at each moment; histogram: 95th, 50th and 5th
--- percentiles over the models; latest: the newest moment of each backend, its models from slow to fast;
--- latest_grouped: the last moment by model. Raises usage for an unknown report.
---@param found results.Speedups
---@param options results.ReportOptions
---@return results.Report report
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

---@class results.PlotOptions
---@field file? string also plot into this PNG or SVG with gnuplot; "-" for standard output
---@field format? "png"|"svg" if the file name does not say
---@field title? string line below the plot's title
---@field inches? number[] width and height of the image
---@field width? integer columns of the text plot
---@field height? integer lines of the text plot

--- Plots a report: speedups over time with their deviations, percentiles with one color per backend, models from slow
--- to fast with their names, or bars by model. Returns the plot as text, and writes a file as reg.report.plot does.
--- Raises what that raises.
---@param report results.Report
---@param options? results.PlotOptions
---@return string with a final newline
function results.plot(report, o) return speedup_plot(report, o or {}) end

--- A report as the CSV that aggregate.py writes: a header after "# ", numbers as Python prints them. Raises nothing.
---@param report results.Report
---@return string without a final newline
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

--- A regular expression that matches exactly the models of a tier, for the filters of reg.results.speedups. The file
--- holds tiers by name: { "tier1": ["alexnet", "bert"] } in JSON, or such a table in Lua. Raises usage for an unknown
--- tier.
--- ```lua
--- reg.fs.write("tiers.json", '{ "tier1": ["alexnet", "bert"] }')
--- print(reg.results.tier("tiers.json", "tier1"))
--- ```
---@param path string
---@param name string
---@return string expression
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

--- The backends for speedups and reports, the baseline first: pytorch/xla's by name - inductor, openxla+dynamo,
--- openxla+lazytensor, eager; by default the first two - or "FIELD=VALUE,VALUE": values of a field of the experiment,
--- "9" the number, "null" null. Raises usage for an unknown name.
--- ```lua
--- for _, backend in ipairs(reg.results.backends "level=9,1") do print(backend.name, backend.where.level) end
--- ```
---@param given string[]|string
---@return results.Backend[] backends
function results.backends(given) return backends_of(given) end

---@class results.ImportOptions
---@field files string[]
---@field into string|store.Store created if it does not exist

---@class results.Imported
---@field imported integer
---@field duplicates integer records that were already there, with the same content
---@field bad results.Bad[] invalid lines

--- Imports all records of the files into a store. They are on disk when it returns; if it raises, nothing was imported.
--- Unknown fields, the order of fields and all digits of numbers are kept. Incomplete and invalid lines are listed; all
--- others are imported. In the store's SQL they are the tables `runs` and `measurements` (see Store:query). Raises
--- not_found for a missing file, and what reg.store.open raises.
---@param options results.ImportOptions
---@return results.Imported result
function results.import(o)
  check_keys("results.import", o, { "files", "into" })
  if type(o.into) ~= "string" then return nouns.import(o) end
  local store <close> = reg.store.open(o.into)
  return nouns.import { files = o.files, into = store }
end

---@class results.RunsOptions
---@field files? string[] files or stores
---@field store? string|store.Store

---@class results.Metric
---@field name string
---@field values number[] one per repeat; null becomes NaN
---@field problem? string why the run has no values and no statistics
---@field min? number of all values, like median and max
---@field median? number
---@field max? number
---@field mean? number of all values but the first, which includes compilation; absent if there is only one
---@field std? number population standard deviation of those

---@class results.Run
---@field file string
---@field line integer
---@field bad? boolean the line is invalid, see `message`; other fields are absent except `truncated`
---@field message? string
---@field truncated? boolean the line is incomplete because its writer was stopped
---@field model table<string, any> as recorded; nested values as JSON text
---@field experiment table<string, any>
---@field metrics results.Metric[] in their order in the line; empty if the run failed
---@field error? any error of a failed run
---@field timestamp? any
---@field repeat? any
---@field iterations_per_run? any
---@field more table<string, any> all other fields, such as status and commit

--- An iterator over the lines of the files with their content; invalid lines have `bad`. It reads one line at a time.
--- Raises not_found for a missing file when it gets there.
--- ```lua
--- for run in reg.results.runs { files = { "results.jsonl" } } do
---   if not run.bad then print(run.model.model_name, run.error or run.metrics[1].median) end
--- end
--- ```
---@param options results.RunsOptions
---@return fun(reader: results.Runs): results.Run? next
---@return results.Runs reader
function results.runs(o)
  local reader = nouns.runs(o)
  return reader.next, reader
end

--- One row per run, as in pytorch/xla's result_analyzer: minimum, median and maximum of every metric, mean and
--- deviation of all but its first value, and the compile time. A suite's own axes are columns too; an axis with the
--- name of another column is "axis_" and its name. Numbers are as Python prints them; JSON has null for NaN
--- and infinity. Invalid lines never stop it. Raises not_found for a missing file and usage for an unknown format.
---@param options results.AnalyzeOptions
---@return results.Analysis analysis
function results.analyze(o) return analyze(results.runs, o) end

--- The samples of each run, grouped by model and experiment (including the batch size), as reg.compare takes them. A
--- run is one process; records of suite.lua say how many they hold, and a process that is in two records counts once.
--- Files may also be those of hyperfine, Google Benchmark, pytest-benchmark, asv or nvbench: there each sample is a
--- run, or, where the file has none, its mean or median. Raises not_found for a missing file, and usage if `warmup` is
--- not an integer or a file has no results.
--- ```lua
--- local found = reg.results.processes { files = { "results.jsonl" } }
--- for _, group in ipairs(found.groups) do print(group.model, #group.processes) end
--- ```
---@param options results.ProcessesOptions
---@return results.Processes processes
function results.processes(o)
  local found = processes(results.runs, o)
  local none = #found.groups == 0 and #found.notes > 0 and not o.store
  return none and foreign_processes(o) or found
end

--- Appends the rows of a csv report to a CSV file, which is created if it does not exist: each cell goes into the
--- column of its name, and new columns come last. Returns the names of the new columns. Raises permission or io.
---@param path string
---@param report results.Analysis
---@return string[] added
results.append = csv.append

--- Compares two sets of runs for each workload and configuration with reg.compare, whose options it takes but `metric`:
--- the runs have that. Raises as it does.
--- ```lua
--- local function runs(path) return reg.results.processes { files = { path } } end
--- for _, row in ipairs(reg.results.compare(runs "old.jsonl", runs "new.jsonl").rows) do
---   print(row.verdict, row.model, row.effect)
--- end
--- ```
---@param old results.Processes
---@param new results.Processes
---@param options? compare.Options
---@return results.Comparison comparison
function results.compare(old, new, o) return comparison(old, new, o) end

return results
