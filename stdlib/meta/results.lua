---@meta

--- Results of benchmark suites: files with one JSON record per line, in the format of pytorch/xla's benchmarks, and
--- stores that such files were imported into. `files` may also name stores, and `store` can be given in addition. A run
--- of a store is treated like a line of a file. A record that is in several files counts once in a store.
--- ```lua
--- local backends = { { name = "inductor", title = "Inductor", where = { dynamo = "inductor" } } }
--- local found = reg.results.speedups { files = reg.results.files "results.jsonl", backends = backends }
--- local latest = reg.results.report(found, { report = "latest", backends = backends })
--- print(reg.results.csv(latest), reg.results.plot(latest, { title = "A100" }))
--- local imported = reg.results.import { files = { "results.jsonl" }, into = "suites.db" }
--- print(imported.imported, reg.results.export { store = "suites.db", to = "copy.jsonl" } .. " runs")
--- local analysis = reg.results.analyze { files = { "results.jsonl" } }
--- print(table.concat(analysis.lines, "\n"), #reg.results.append("database.csv", analysis))
--- ```
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
---@field speedups results.Speedup[] by model, the geometric mean over its batch sizes

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

--- The result files at a path: the file itself, or the *.jsonl files of a folder, sorted, except the analyzer's
--- metric_report.jsonl. Raises not_found for a folder without one.
---@param path string
---@return string[] files
function reg.results.files(path) end

---@class results.ExportOptions
---@field store string|store.Store
---@field to string file, which is overwritten

--- Writes the runs of a store as JSON lines, in the order of their import, and returns their number. Spacing is
--- Python's, so that output of pytorch/xla's benchmarks comes back byte for byte. Raises corrupt for a file that is not
--- a store.
---@param options results.ExportOptions
---@return integer count
function reg.results.export(options) end

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
