---@meta

--- Results of benchmark suites: files with one JSON record per line, in the format of pytorch/xla's benchmarks, and
--- stores that such files were imported into. `files` may also name stores, and `store` can be given in addition. A run
--- of a store is treated like a line of a file. A record that is in several files counts once in a store.
---@class reg.results
reg.results = {}

---@class results.Backend
---@field name string
---@field where? table<string, any> values that a record's experiment must have; reg.json.null for null

---@class results.SpeedupOptions
---@field files? string[] files or stores
---@field store? string|store.Store
---@field backends results.Backend[] the first is the baseline; a record belongs to the first that matches
---@field where? table<string, any> values of the experiment; other records are omitted
---@field accelerator? string regular expression that must match in accelerator_model
---@field filter? string regular expression that must match in the model name
---@field exclude? string regular expression that must not match in it
---@field metric? string default "total_time"
---@field select? "exec"|"compile" exec (default): mean without the first three; compile: the first minus that mean
---@field models? boolean include the speedups by model, for the reports latest and latest_grouped; default true
---@field axes? boolean a model is one for each value of a suite's own axes but those of the backends: "gzip threads=4"
---@field baseline? "oldest"|"latest" oldest (default): each model's first result; latest: the last moment

---@class results.Speedup
---@field model string
---@field value number speedup over the baseline
---@field deviation number

---@class results.Summary
---@field value number geometric mean of the models' speedups
---@field deviation number
---@field p5 number percentiles over the models
---@field p50 number
---@field p95 number
---@field speedups? results.Speedup[] by model, the geometric mean over its batch sizes; absent with models = false

---@class results.Moment
---@field timestamp number seconds since 1970
---@field backends table<string, results.Summary> by name, without those that have no speedup at that time

---@class results.Bad
---@field file string
---@field line integer
---@field message string
---@field truncated boolean the line is incomplete because its writer was stopped

---@class results.Speedups
---@field moments results.Moment[] in order of time
---@field records integer records read, also those that do not match
---@field bad results.Bad[] invalid lines

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
function reg.results.speedups(options) end

--- The backends for speedups and reports, the baseline first: pytorch/xla's by name - inductor, openxla+dynamo,
--- openxla+lazytensor, eager; by default the first two - or "FIELD=VALUE,VALUE": values of a field of the experiment,
--- "9" the number, "null" null. Raises usage for an unknown name.
--- ```lua
--- for _, backend in ipairs(reg.results.backends "level=9,1") do print(backend.name, backend.where.level) end
--- ```
---@param given string[]|string
---@return results.Backend[] backends
function reg.results.backends(given) end

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
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = { "results.jsonl" }, backends = backends }
--- print(reg.results.csv(reg.results.report(found, { report = "latest", backends = backends })))
--- ```
---@param found results.Speedups
---@param options results.ReportOptions
---@return results.Report report
function reg.results.report(found, options) end

--- A report as the CSV that aggregate.py writes: a header after "# ", numbers as Python prints them. Raises nothing.
--- ```lua
--- print(reg.results.csv { columns = { "Workload", "Speedup" }, rows = { { 0, 1.5 } } })
--- ```
---@param report results.Report
---@return string without a final newline
function reg.results.csv(report) end

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
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = { "results.jsonl" }, backends = backends }
--- print(reg.results.plot(reg.results.report(found, { backends = backends }), { title = "A100" }))
--- ```
---@param report results.Report
---@param options? results.PlotOptions
---@return string with a final newline
function reg.results.plot(report, options) end

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
function reg.results.tier(path, name) end

--- The result files at a path: the file itself, or the *.jsonl files of a folder, sorted, except the analyzer's
--- metric_report.jsonl. Raises not_found for a folder without one.
--- ```lua
--- for _, file in ipairs(reg.results.files "results.jsonl") do print(file) end
--- ```
---@param path string
---@return string[] files
function reg.results.files(path) end

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
--- ```lua
--- local result = reg.results.import { files = { "results.jsonl" }, into = "suites.db" }
--- print(result.imported, result.duplicates, #result.bad)
--- ```
---@param options results.ImportOptions
---@return results.Imported result
function reg.results.import(options) end

---@class results.ExportOptions
---@field store string|store.Store
---@field to string file, which is overwritten

--- Writes the runs of a store as JSON lines, in the order of their import, and returns their number. Spacing is
--- Python's, so that output of pytorch/xla's benchmarks comes back byte for byte. Raises corrupt for a file that is not
--- a store.
--- ```lua
--- print(reg.results.export { store = "suites.db", to = "results.jsonl" } .. " runs")
--- ```
---@param options results.ExportOptions
---@return integer count
function reg.results.export(options) end

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
function reg.results.runs(options) end

--- The reader of the iterator that reg.results.runs returns.
---@class results.Runs
local Runs = {}

--- The next line that is not empty, or nil after the last one. Raises not_found for a missing file, and io if reading
--- fails.
--- ```lua
--- local _, reader = reg.results.runs { files = { "results.jsonl" } }
--- local first = reader:next()
--- ```
---@return results.Run? run
function Runs:next() end

---@class results.AnalyzeOptions
---@field files? string[] files or stores
---@field store? string|store.Store
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

--- One row per run, as in pytorch/xla's result_analyzer: minimum, median and maximum of every metric, mean and
--- deviation of all but its first value, and the compile time. A suite's own axes are columns too; an axis with the
--- name of another column is "axis_" and its name. Numbers are as Python prints them; JSON has null for NaN
--- and infinity. Invalid lines never stop it. Raises not_found for a missing file and usage for an unknown format.
--- ```lua
--- local report = reg.results.analyze { files = { "results.jsonl" } }
--- print(table.concat(report.columns, ","))
--- print(table.concat(report.lines, "\n"))
--- ```
---@param options results.AnalyzeOptions
---@return results.Analysis analysis
function reg.results.analyze(options) end

--- Appends the rows of a csv report to a CSV file, which is created if it does not exist: each cell goes into the
--- column of its name, and new columns come last. Returns the names of the new columns. Raises permission or io.
--- ```lua
--- local added = reg.results.append("database.csv", reg.results.analyze { files = { "results.jsonl" } })
--- print(#added)
--- ```
---@param path string
---@param report results.Analysis
---@return string[] added
function reg.results.append(path, report) end

---@class results.Comparison
---@field unit? string of the metric, if the records of both sides tell and agree
---@field rows results.ComparisonRow[] slower ones first, the largest effect first
---@field missing results.Missing[] what only one side has samples of
---@field slower integer number of rows, like ambiguous, same and faster
---@field ambiguous integer
---@field same integer
---@field faster integer

---@class results.ComparisonRow
---@field model string
---@field configuration string "dynamo=openxla test=eval ...", all fields
---@field differs string only the fields in which rows differ
---@field verdict "slower"|"ambiguous"|"same"|"faster" this and the numbers below as in reg.compare
---@field old number
---@field new number
---@field effect number new / old - 1
---@field times_faster number 1.32: the new side is 1.32 times as fast; below 1 it is slower
---@field old_load? number median load average before its processes, if the records tell
---@field new_load? number
---@field load_differs boolean whether they differ by a busy processor and by half, or more
---@field low? number lower end of its interval; absent with too few processes
---@field high? number upper end
---@field old_runs integer
---@field new_runs integer

---@class results.Missing
---@field model string
---@field configuration string
---@field differs string
---@field missing "old"|"new"
---@field why string

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
function reg.results.compare(old, new, options) end

---@class results.ProcessesOptions
---@field files? string[] files or stores
---@field store? string|store.Store
---@field metric? string default "total_time", or the time in a file of another benchmark program
---@field warmup? integer number of first values of a run that do not count; default 3
---@field ignore? string[] fields in which the runs of a group may differ

---@class results.Field
---@field name string
---@field value string

---@class results.Group
---@field key string equal for the same configuration in every file
---@field model string
---@field fields results.Field[] the content of `key`: model and experiment
---@field processes number[][] the samples of each run, as reg.compare takes them
---@field load number[] load average before each process, of those that tell
---@field failed string[] why other runs have no samples

---@class results.Processes
---@field metric string
---@field unit? string its unit, if the records tell
---@field better? "lower"|"higher" if the file says so
---@field more? string of a file of another benchmark program: how to get more samples
---@field groups results.Group[] in order of first appearance
---@field notes results.Note[]

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
function reg.results.processes(options) end
