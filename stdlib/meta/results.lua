---@meta

--- Results of benchmark suites: files with a JSON record a line, in the format of pytorch/xla's benchmarks.
---@class reg.results
reg.results = {}

---@class results.Backend
---@field name string
---@field where? table<string, any> values that a record's experiment must have; reg.json.null for null

---@class results.SpeedupOptions
---@field files string[]
---@field backends results.Backend[] the first is the baseline's; a record belongs to the first that it fits
---@field where? table<string, any> values of the experiment; other records are left out
---@field accelerator? string regular expression that the accelerator_model must hold
---@field filter? string regular expression that the model's name must hold
---@field exclude? string regular expression that it must not hold
---@field metric? string "total_time" when absent
---@field select? "exec"|"compile" exec, when absent: the mean of all but the first three; compile: the first less the mean of the rest
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
---@field speedups results.Speedup[] a model's is the geometric mean over its batch sizes

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

---@class results.ReportOptions
---@field report? "speedup"|"histogram"|"latest"|"latest_grouped" speedup when absent
---@field backends results.Backend[] those of the question; a `title` beside the name heads its columns
---@field baseline? "oldest"|"latest" that of the question

---@class results.Report
---@field columns string[]
---@field rows any[][] numbers, rounded to eight places, and texts; "" where there is none

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
