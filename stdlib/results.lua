-- reg.results: results of benchmark suites. C++ reads files and computes (core.nouns.results); the reports of
-- pytorch/xla's aggregate.py are in lib/results/speedup_reports.lua, those of its result_analyzer in analysis.lua.

local analyze = require "lib/results/analysis"
local comparison = require "lib/results/comparison"
local csv = require "lib/results/csv"
local foreign = require "lib/results/foreign"
local processes = require "lib/results/processes"
local speedups = require "lib/results/speedups"
local speedup_reports = require "lib/results/speedup_reports"
local values = require "lib/values"

local find, map, sorted_names = values.find, values.map, values.sorted_names

local nouns, null = core.nouns.results, reg.json.null
local results = { export = nouns.export }

local function usage(name, message, hint) core.fail("usage", "results." .. name .. ": " .. message, hint) end

--- The result files at a path: the file itself, or the *.jsonl files of a folder, sorted, except the analyzer's
--- metric_report.jsonl. Raises not_found for a folder without one.
---@param path string
---@return string[] files
function results.files(path)
  local names = values.caught("io not_found", reg.fs.list, path)
  local files = not names and { path } or map(names, function(name)
    return name:find "%.jsonl$" and name ~= "metric_report.jsonl" and path:gsub("/*$", "/") .. name or nil
  end)
  if #files > 0 then return files end
  core.fail("not_found", "no results in " .. path, "A folder of results holds files that end in .jsonl.")
end

--- The speedup of each model over a baseline, at each time, as aggregate.py computes it. It skips failed runs, nulls
--- and records of other backends, and lists invalid lines. Raises not_found for a missing file or a missing latest
--- baseline, and usage for an invalid expression.
--- ```lua
--- local found = reg.results.speedups {
---   files = { "results.jsonl" }, where = { test = "eval" },
---   backends = { { name = "inductor", where = { dynamo = "inductor" } }, { name = "xla", where = { xla = "PJRT" } } },
--- }
--- for _, moment in ipairs(found.moments) do print(moment.timestamp, (moment.backends.xla or {}).value) end
--- ```
---@param options results.SpeedupOptions
---@return results.Speedups speedups
results.speedups = speedups

--- One of aggregate.py's four reports. speedup: geometric means at each moment; histogram: 95th, 50th and 5th
--- percentiles over the models; latest: the newest moment of each backend, its models from slow to fast;
--- latest_grouped: the last moment by model. Raises usage for an unknown report.
---@param found results.Speedups
---@param report? "speedup"|"histogram"|"latest"|"latest_grouped" default speedup
---@return results.Report report
results.report = speedup_reports.report

--- Plots a report: speedups over time with their deviations, percentiles with one color per backend, models from slow
--- to fast with their names, or bars by model. Returns the plot as text, and writes a file as reg.report.plot does.
--- Raises what that raises.
---@param report results.Report
---@param options? results.PlotOptions
---@return string with a final newline
function results.plot(report, o) return speedup_reports.plot(report, o or {}) end

--- A report as the CSV that aggregate.py writes: a header after "# ", numbers as Python prints them. Raises nothing.
---@param report results.Report
---@return string without a final newline
function results.csv(report)
  local lines = map(report.rows, function(row) return table.concat(map(row, csv.cell), ",") end)
  table.insert(lines, 1, "# " .. table.concat(report.columns, ","))
  return table.concat(lines, "\n")
end

--- A regular expression that matches exactly the models of a tier, for the filters of reg.results.speedups. The file
--- holds tiers by name, in JSON: { "tier1": ["alexnet", "bert"] }. Raises usage for an unknown tier.
--- ```lua
--- reg.fs.write("tiers.json", '{ "tier1": ["alexnet", "bert"] }')
--- print(reg.results.tier("tiers.json", "tier1"))
--- ```
---@param path string
---@param name string
---@return string expression
function results.tier(path, name)
  local ok, tiers = pcall(reg.json.decode, reg.fs.read(path))
  if not ok or type(tiers) ~= "table" then
    usage("tier", "not a JSON object of tiers: " .. path, 'Write { "tier1": ["alexnet", "bert"] }.')
  end
  local models, names = tiers[name], sorted_names(tiers)
  if type(models) ~= "table" then
    usage("tier", "no such tier: '" .. tostring(name) .. "' in " .. path .. core.did_you_mean(tostring(name), names),
      "Valid tiers: " .. table.concat(names, ", ") .. ".")
  end
  local escaped = map(models, function(model) return (tostring(model):gsub("%p", "\\%0")) end)
  return "^(?:" .. table.concat(escaped, "|") .. ")$"
end

-- pytorch/xla's backends.
local XLA = {
  { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } },
  { name = "openxla+dynamo", title = "XLA+Dynamo", where = { dynamo = "openxla", xla = "PJRT" } },
  { name = "openxla+lazytensor", title = "XLA+LazyTensor", where = { dynamo = null, xla = "PJRT" } },
  { name = "eager", title = "Eager", where = { dynamo = null, xla = null } },
}
local DEFAULT = { "inductor", "openxla+dynamo" }

local LITERALS = { ["true"] = true, ["false"] = false, null = null }

--- The backends for speedups and reports, the baseline first: pytorch/xla's by name - inductor, openxla+dynamo,
--- openxla+lazytensor, eager; by default the first two - or "FIELD=VALUE,VALUE": values of a field of the experiment,
--- "9" the number, "null" null. Raises usage for an unknown name.
--- ```lua
--- for _, backend in ipairs(reg.results.backends "level=9,1") do print(backend.name, backend.where.level) end
--- ```
---@param given string[]|string
---@return results.Backend[] backends
function results.backends(given)
  local names = map(XLA, function(backend) return backend.name end)
  if type(given) ~= "string" then
    return map(#given > 0 and given or DEFAULT, function(name)
      return find(XLA, function(backend) return backend.name == name end) or usage("backends", "no such backend: '"
        .. name .. "'" .. core.did_you_mean(name, names), "Valid backends: " .. table.concat(names, ", ")
        .. '. Or compare values of a field: "level=9,1".')
    end)
  end
  local field, list = given:match "^([^=]+)=(.+)$"
  if not field then
    usage("backends", "not a valid FIELD=VALUE,VALUE: '" .. given .. "'",
      "Write for instance setting=best,fast, the baseline first.")
  end
  return map(values.matches(list, "[^,]+"), function(text)
    local value = LITERALS[text]
    if value == nil then value = tonumber(text) or text end
    return { name = text, title = field .. "=" .. text, where = { [field] = value } }
  end)
end

---@class results.ImportOptions
---@field files string[]
---@field into string|store.Store created if it does not exist

---@class results.Bad: results.Note
---@field truncated boolean the line is incomplete because its writer was stopped

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
  core.check_keys("results.import", o, { "files", "into" })
  local store <close> = type(o.into) == "string" and reg.store.open(o.into) or nil
  return nouns.import { files = o.files, into = store or o.into }
end

---@class results.Source
---@field files? string[] files or stores
---@field store? string|store.Store

---@class results.RunsOptions: results.Source
---@field metric? string read only the numbers of this metric: no nulls, no `more`

---@class results.Metric
---@field name string
---@field values number[] one per repeat; null becomes NaN
---@field problem? string why it has no values

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
---   if not run.bad then print(run.model.model_name, run.error or #run.metrics[1].values) end
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
results.analyze = analyze

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
  local found = processes.of(o)
  local none = #found.groups == 0 and #found.notes > 0 and not o.store
  return none and foreign(o) or found
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
results.compare = comparison

return results
