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
