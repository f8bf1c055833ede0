---@meta

--- Results of benchmark suites: files with a JSON record a line, in the format of pytorch/xla's benchmarks, and stores that
--- such files were imported into. Where `files` are asked for a store's file may stand among them, and `store` beside them; what
--- is said of a line is said of a store's run. A record that stands twice in files counts once in a store.
---@class reg.results
reg.results = {}

---@class results.Backend
---@field name string
---@field where? table<string, any> values that a record's experiment must have; reg.json.null for null

---@class results.SpeedupOptions
---@field files? string[] or stores
---@field store? string|store.Store
---@field backends results.Backend[] the first is the baseline's; a record belongs to the first that it fits
---@field where? table<string, any> values of the experiment; other records are left out
---@field accelerator? string regular expression that the accelerator_model must hold
---@field filter? string regular expression that the model's name must hold
---@field exclude? string regular expression that it must not hold
---@field metric? string "total_time" when absent
---@field select? "exec"|"compile" exec, when absent: the mean of all but the first three; compile: the first less the mean of the rest
---@field models? boolean whether the summaries have the speedups by model, as the reports latest and latest_grouped need; true when absent
---@field baseline? "oldest"|"latest" each model's first time with the first backend, when absent; or the last moment alone

---@class results.Speedup
---@field model string
---@field value number how many times as fast as the baseline
---@field deviation number

---@class results.Summary
---@field value number geometric mean of the models' speedups
---@field deviation number
---@field p5 number percentiles over the models
---@field p50 number
---@field p95 number
---@field speedups? results.Speedup[] a model's is the geometric mean over its batch sizes; absent with models = false

---@class results.Moment
---@field timestamp number seconds since 1970
---@field backends table<string, results.Summary> by name; those without a speedup at that time are absent

---@class results.Bad
---@field file string
---@field line integer
---@field message string
---@field truncated boolean its writer was stopped in it

---@class results.Speedups
---@field moments results.Moment[] in order of time
---@field records integer read, wanted or not
---@field bad results.Bad[] lines that are no record

--- How many times as fast as a baseline each model ran, at each time, as aggregate.py works it out. Failed runs, nulls and
--- records of other backends are passed over, and lines that are no record are listed. Raises not_found for a file, or a latest
--- baseline, that is not there, and usage for a broken expression.
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

--- What speedups and reports compare, the baseline first: pytorch/xla's backends by name - inductor, openxla+dynamo,
--- openxla+lazytensor, eager; the first two where none is named - or "FIELD=VALUE,VALUE": values of a field of the experiment, "9" the
--- number, "null" null. Raises usage for a name that is none.
--- ```lua
--- for _, backend in ipairs(reg.results.backends "level=9,1") do print(backend.name, backend.where.level) end
--- ```
---@param given string[]|string
---@return results.Backend[] backends
function reg.results.backends(given) end

---@class results.ReportOptions
---@field report? "speedup"|"histogram"|"latest"|"latest_grouped" speedup when absent
---@field backends results.Backend[] those of the question; a `title` beside the name heads its columns
---@field baseline? "oldest"|"latest" that of the question

---@class results.Report
---@field columns string[]
---@field rows any[][] numbers, rounded to eight places, and texts; "" where there is none
---@field report string which of the four it is
---@field backends string[] titles, the baseline's first
---@field baseline string "oldest" or "latest"

--- One of aggregate.py's four reports. speedup: the geometric means at each moment; histogram: the 95th, 50th and 5th percentiles
--- over the models; latest: each backend's newest moment, its models from slow to fast; latest_grouped: the last moment by model.
--- Raises usage for a report that is none.
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = { "results.jsonl" }, backends = backends }
--- print(reg.results.csv(reg.results.report(found, { report = "latest", backends = backends })))
--- ```
---@param found results.Speedups
---@param options results.ReportOptions
---@return results.Report report
function reg.results.report(found, options) end

--- A report as aggregate.py writes CSV: the header behind "# ", numbers as Python prints them. Raises nothing.
--- ```lua
--- print(reg.results.csv { columns = { "Workload", "Speedup" }, rows = { { 0, 1.5 } } })
--- ```
---@param report results.Report
---@return string text its last line not ended
function reg.results.csv(report) end

---@class results.PlotOptions
---@field file? string PNG or SVG that the plot is also drawn in by gnuplot; "-" for standard output
---@field format? "png"|"svg" when the file's name does not say
---@field title? string line below the plot's own title
---@field inches? number[] width and height of the image
---@field width? integer columns of text
---@field height? integer lines of the drawing

--- A report drawn: its speedups over time with their deviations, the percentiles of each backend in one colour, the models from
--- slow to fast with their names, or bars by model. In text, and in a file as reg.report.plot does. Raises what that raises.
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = { "results.jsonl" }, backends = backends }
--- print(reg.results.plot(reg.results.report(found, { backends = backends }), { title = "A100" }))
--- ```
---@param report results.Report
---@param options? results.PlotOptions
---@return string text its lines, the last one ended
function reg.results.plot(report, options) end

--- A regular expression that finds the models of a tier and no others, for the filters of reg.results.speedups. The file holds
--- tiers by name, { "tier1": ["alexnet", "bert"] } in JSON, or such a table in Lua. Raises usage for a tier that it has not.
--- ```lua
--- reg.fs.write("tiers.json", '{ "tier1": ["alexnet", "bert"] }')
--- print(reg.results.tier("tiers.json", "tier1"))
--- ```
---@param path string
---@param name string
---@return string expression
function reg.results.tier(path, name) end

--- The files of results at a path: the file itself, or a folder's *.jsonl, sorted, but for the analyzer's own metric_report.jsonl.
--- Raises not_found for a folder without one.
--- ```lua
--- for _, file in ipairs(reg.results.files "results.jsonl") do print(file) end
--- ```
---@param path string
---@return string[] files
function reg.results.files(path) end

---@class results.ImportOptions
---@field files string[]
---@field into string|store.Store a file that is not there is made

---@class results.Imported
---@field imported integer
---@field duplicates integer records that were there already, in all they say; however they are spaced
---@field bad results.Bad[] lines that are no record

--- Takes all records of the files into a store, and they are on disk when it returns; where it raises none came in. Fields that
--- nobody knows, the order of fields and the last digit of each number are kept. A cut last line and broken ones are told, and all
--- others come in. In the store's SQL they are the tables `runs` and `measurements` (see Store:query). Raises not_found for a
--- file that is not there, and what reg.store.open raises.
--- ```lua
--- local result = reg.results.import { files = { "results.jsonl" }, into = "suites.db" }
--- print(result.imported, result.duplicates, #result.bad)
--- ```
---@param options results.ImportOptions
---@return results.Imported result
function reg.results.import(options) end

---@class results.ExportOptions
---@field store string|store.Store
---@field to string a file, which is replaced

--- Writes a store's runs as lines of JSON again, in the order of their import, and returns how many. They are spaced as Python
--- spaces JSON; what pytorch/xla's benchmarks wrote comes back to the byte. Raises corrupt for a file that is no store.
--- ```lua
--- print(reg.results.export { store = "suites.db", to = "results.jsonl" } .. " runs")
--- ```
---@param options results.ExportOptions
---@return integer count
function reg.results.export(options) end

---@class results.RunsOptions
---@field files? string[] or stores
---@field store? string|store.Store

---@class results.Metric
---@field name string
---@field values number[] one a repeat; a null is NaN
---@field problem? string why there are no values; then there are no statistics
---@field min? number of all values, as median and max
---@field median? number
---@field max? number
---@field mean? number of all values but the first, in which compilation falls; absent where there is but one
---@field std? number their deviation, of the whole population

---@class results.Run
---@field file string
---@field line integer
---@field bad? boolean the line is no result, as `message` says; then it has nothing but `truncated`
---@field message? string
---@field truncated? boolean its writer was stopped in it
---@field model table<string, any> as it stands there, what is nested as JSON text
---@field experiment table<string, any>
---@field metrics results.Metric[] in the line's order; none where the run failed
---@field error? any what a failed run said
---@field timestamp? any
---@field repeat? any
---@field iterations_per_run? any
---@field more table<string, any> all other fields, as status and commit

--- An iterator over the lines of the files, with all that they say; lines that are no result come with `bad`. One line at a time is
--- in memory. Raises not_found for a file that is not there, when the iterator comes to it.
--- ```lua
--- for run in reg.results.runs { files = { "results.jsonl" } } do
---   if not run.bad then print(run.model.model_name, run.error or run.metrics[1].median) end
--- end
--- ```
---@param options results.RunsOptions
---@return fun(reader: results.Runs): results.Run? next
---@return results.Runs reader
function reg.results.runs(options) end

--- What the iterator of reg.results.runs reads from.
---@class results.Runs
local Runs = {}

--- The next line that is not empty, or nil after the last one. Raises not_found for a file that is not there, io where reading fails.
--- ```lua
--- local _, reader = reg.results.runs { files = { "results.jsonl" } }
--- local first = reader:next()
--- ```
---@return results.Run? run
function Runs:next() end

---@class results.AnalyzeOptions
---@field files? string[] or stores
---@field store? string|store.Store
---@field format? "csv"|"jsonl" csv when absent
---@field timestamp? number of runs that have none; now when absent
---@field hide_errors? boolean leave out what failed runs said

---@class results.Note
---@field file string
---@field line integer
---@field message string

---@class results.Analysis
---@field lines string[] a run each, without their ends
---@field columns? string[] of csv
---@field notes results.Note[] lines that are no result, and metrics that are not there
---@field failed integer runs

--- A run a row, as pytorch/xla's result_analyzer has it: minimum, median and maximum of every metric, mean and deviation of all but its
--- first value, the compile time. Numbers as Python prints them; JSON that numbers have no form for is null. No line makes it
--- stop. Raises not_found for a file that is not there and usage for another format.
--- ```lua
--- local report = reg.results.analyze { files = { "results.jsonl" } }
--- print(table.concat(report.columns, ","))
--- print(table.concat(report.lines, "\n"))
--- ```
---@param options results.AnalyzeOptions
---@return results.Analysis analysis
function reg.results.analyze(options) end

--- Puts the rows of a csv report below those of a CSV file, which is made where it is missing: each cell under its column's name, and
--- a column that the file has not becomes its last one. Returns the names of those. Raises permission or io.
--- ```lua
--- local added = reg.results.append("database.csv", reg.results.analyze { files = { "results.jsonl" } })
--- print(#added)
--- ```
---@param path string
---@param report results.Analysis
---@return string[] added
function reg.results.append(path, report) end

---@class results.Comparison
---@field rows results.ComparisonRow[] slower ones first, the worst first among them
---@field missing results.Missing[] what only one side has samples of
---@field slower integer how many rows say so, as ambiguous, same and faster
---@field ambiguous integer
---@field same integer
---@field faster integer

---@class results.ComparisonRow
---@field model string
---@field configuration string "dynamo=openxla test=eval ...", all of it
---@field differs string the same of the fields in which rows differ
---@field verdict "slower"|"ambiguous"|"same"|"faster" as reg.compare has it, with all the numbers below
---@field old number
---@field new number
---@field effect number new / old - 1
---@field low? number its interval; absent where there are too few processes
---@field high? number
---@field old_runs integer
---@field new_runs integer

---@class results.Missing
---@field model string
---@field configuration string
---@field differs string
---@field missing "old"|"new"
---@field why string

--- Which workloads became slower from one set of runs to another, configuration by configuration, by reg.compare. Raises as it
--- does.
--- ```lua
--- local function runs(path) return reg.results.processes { files = { path } } end
--- for _, row in ipairs(reg.results.compare(runs "old.jsonl", runs "new.jsonl").rows) do print(row.verdict, row.model, row.effect) end
--- ```
---@param old results.Processes
---@param new results.Processes
---@param options? compare.Options
---@return results.Comparison comparison
function reg.results.compare(old, new, options) end

---@class results.ProcessesOptions
---@field files? string[] or stores
---@field store? string|store.Store
---@field metric? string "total_time" when absent
---@field warmup? integer first values of a run that do not count, 3 when absent
---@field ignore? string[] fields in which the runs of one group may differ

---@class results.Field
---@field name string
---@field value string

---@class results.Group
---@field key string equal for what ran the same, whatever the file
---@field model string
---@field fields results.Field[] what `key` holds: model and experiment
---@field processes number[][] the samples of each run, as reg.compare takes them
---@field failed string[] why other runs have none

---@class results.Processes
---@field groups results.Group[] in order of first sight
---@field notes results.Note[]

--- The samples of each run, grouped by model and experiment (batch size and all): what reg.compare takes. A run is a process; those of
--- suite.lua say how many they are, and a process that stands in two records counts once. Raises
--- not_found for a file that is not there and usage for a warm-up that is no whole number.
--- ```lua
--- for _, group in ipairs(reg.results.processes({ files = { "results.jsonl" } }).groups) do print(group.model, #group.processes) end
--- ```
---@param options results.ProcessesOptions
---@return results.Processes processes
function reg.results.processes(options) end
