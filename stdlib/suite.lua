-- reg.suite: a benchmark suite - workloads x configurations - as a table, and its runs. lib/suite/ has definition (the
-- table), build (checkout and container), experiment, record (a line of results.jsonl) and runner (the order of runs).

local definition = require "lib/suite/definition"
local runner = require "lib/suite/runner"
local values = require "lib/values"

local usage = definition.usage

local RUN = { "filter", "exclude", "tier", "shard", "config", "folder", "store", "repeat", "iterations", "processes",
  "warmup", "timeout", "order", "seed", "resume", "redo", "print_output", "verify", "profile", "dump", "repo", "rev",
  "patch", "image", "options" }

--- Benchmark suites: workloads in every configuration. Each process is a trial; each experiment is a record in
--- results.jsonl. The format is that of pytorch/xla's benchmarks, which reg.results reads.
---@class reg.suite
local suite = {}
local files = setmetatable({}, { __mode = "k" })  -- the file that a suite was loaded from

--- What the functions of a suite get for an experiment: a field for each axis with its value, and these.
---@class suite.Configuration
---@field workload string
---@field repeats integer number of repeats
---@field iterations integer number of iterations
---@field folder string this experiment's folder in the results folder, absolute; it may not exist
---@field dump? string folder for dumps of this process; $DUMP_DIR has the same path
---@field profile? string folder for the profile; $PROFILE_DIR has the same path

---@class suite.Verify
---@field reference table<string, any> axis values that turn a configuration into its reference
---@field result string .npy file that the command writes to $DUMP_DIR
---@field repeat_reference? boolean run the reference twice; if the two differ, nothing is verified
---@field tolerance? number as in reg.verify

--- What a suite file returns. It also has the settings of the container of an image.
---@class suite.Suite: container.Settings
---@field name string
---@field workloads string[]
---@field axes? table<string, any[]>[] a list, as axes have an order; the workload is the first one
---@field where? fun(c: table<string, any>): boolean the supported combinations
---@field skip? any[][] a list of { function, reason }: combinations recorded as skipped
---@field tiers? table<string, string[]> named lists of workloads
---@field command string|string[]|fun(c: suite.Configuration): string|string[] strings, or a shell command line
---@field env? table<string, any>|fun(c: suite.Configuration): table<string, any>
---@field metric? string|table<string, string> patterns of numbers in the output; default: the seconds of the process
---@field prepare? string|string[]|fun(workload: string): string|string[]? run once for each workload, not timed
---@field repo? string repository; commands run in a checkout of it
---@field rev? string|fun(c: suite.Configuration): string revision of the repository; default "HEAD"
---@field build? string|string[]|fun(c: suite.Configuration): string|string[]? builds a checkout for each command
---@field image? string|fun(c: suite.Configuration): string container image; one container per image
---@field accelerator? string default "cuda" or "cpu"
---@field profile? fun(c: suite.Configuration): table { command =, env = } of a run under a profiler; default: reg.trace
---@field verify? suite.Verify

---@class suite.RunOptions
---@field filter? string[] regular expressions: workloads that match one of them, ignoring case
---@field exclude? string[] regular expressions: workloads that match none of them
---@field tier? string[] workloads of these tiers
---@field shard? string "2/4": the second of four parts
---@field config? table<string, any>|string the one configuration with these values; also as JSON
---@field folder? string of results.jsonl, store and dumps; default "output"
---@field store? string default "suite.db" in that folder
---@field repeat? integer processes of an experiment, or with a metric the $REPEAT of each; default 10
---@field processes? integer with a metric: processes of an experiment; default 1
---@field iterations? integer default 1; per_iter_time is total_time divided by it
---@field warmup? integer processes before the first, not counted; default 1, with a metric 0
---@field timeout? number|string seconds or "30m" (the default), for one process and its children
---@field order? "abba"|"random"|"none" of the processes of a workload's configurations; default abba
---@field seed? integer of the random order; default 1
---@field resume? boolean false: run experiments again that have a result
---@field redo? string[] statuses whose experiments run again
---@field print_output? boolean print the output of each process
---@field verify? boolean compare each experiment with its reference
---@field profile? boolean run each once more under a profiler
---@field dump? boolean give each process a folder in $DUMP_DIR
---@field repo? string overrides the suite's, like image and options
---@field rev? string default "HEAD"
---@field patch? string file with a unified diff to apply
---@field image? string
---@field options? options.Values of reg.options { "container" }; they override the suite's own

---@class suite.Row
---@field experiment string "gzip level=9"
---@field status string ok, skipped, test_failed, crashed, timeout, oom, not_finite
---@field metric? string the metric that is shown
---@field median? number in its unit, seconds for total_time
---@field spread? string half the interquartile range relative to the median
---@field repeats? integer
---@field verification? string
---@field why? string why it failed, was skipped or failed verification

---@class suite.Done
---@field rows suite.Row[]
---@field columns string[] columns that are not empty
---@field summary string "7 new, 1 skipped"
---@field failed integer number of failed experiments
---@field unverified integer number of experiments whose verification is not PASS
---@field ran integer number of processes that ran
---@field experiments table[] in the order of the matrix, each with its `record`
---@field results string path of results.jsonl
---@field store string path of the store

--- Reads a suite file, a Lua chunk that returns a table. Raises usage for an invalid suite, and for a syntax error with
--- its line.
--- ```lua
--- reg.fs.write("sleep.lua", [[return { name = "sleep", workloads = { "0.01" },
---   command = function(c) return "sleep " .. c.workload end }]])
--- print(reg.suite.load("sleep.lua").name)
--- ```
---@param path string
---@return suite.Suite suite
function suite.load(path)
  local text = reg.fs.read(path)
  core.join_script(path, text)
  local chunk, why = load(text, "@" .. path, "t")
  if not chunk then usage(why) end
  local d = chunk()
  definition.check(d)
  files[d] = path
  return d
end

-- The options of a run of the suite, with their defaults. Raises usage for an invalid suite or option.
local function complete(d, o)
  definition.check(d)
  core.check_keys("suite.run", o, RUN)
  local all = values.merged({ folder = "output", ["repeat"] = 10, iterations = 1, processes = 1,
    warmup = d.metric and 0 or 1, timeout = "30m", seed = 1, options = {} }, o)
  for name, least in pairs { ["repeat"] = 1, iterations = 1, processes = 1, warmup = 0, seed = 0 } do
    values.check_count("suite", all, name, least)
  end
  reg.time.seconds(all.timeout)  -- raises usage for an invalid duration
  all.order = values.choice("suite", "order", all.order, { "abba", "random", "none" })
  for _, name in ipairs { "image", "rev" } do
    if all[name] and type(d[name]) == "function" then
      usage("the suite chooses " .. name .. " for each configuration, so --" .. name .. " has no effect",
        "Leave it out, and choose among the configurations.")
    end
  end
  if all.verify and not d.verify then
    usage("--verify needs `verify` in the suite", 'Write verify = { result = "out.npy", reference = { ... } }.')
  end
  return all
end

--- What a run with these options would do: a row for each experiment, and a line that says how often. Raises as
--- reg.suite.run does for misuse.
--- ```lua
--- local suite = { name = "zip", workloads = { "gzip" }, command = function(c) return { c.workload, "--version" } end }
--- print(reg.report.table(reg.suite.plan(suite)))
--- ```
---@param suite suite.Suite
---@param options? suite.RunOptions
---@return table[] rows { experiment =, command =, env =, skipped = }
---@return string words
function suite.plan(d, o)
  local all = complete(d, o or {})
  return runner.plan(d, definition.choose(d, all), all)
end

--- Runs the experiments, one workload at a time. The processes of its configurations are interleaved (abba), so that
--- drift affects all of them. Each process is a trial in the store, and each complete experiment is a line of
--- results.jsonl. An interrupted run resumes where it stopped. An experiment with a result for the same command,
--- environment, preparation, build, commit, patch, image, processor or GPU, and number of processes does not run again.
--- A failure is a record with its status, and the other experiments go on. Without a `metric` the seconds of each
--- process are measured, in a container including the tenths of a second that entering it takes; programs in containers
--- should print their own. Raises usage for an invalid suite or option, unavailable if the build fails, and what
--- reg.git and reg.container raise.
--- ```lua
--- local suite = { name = "zip", workloads = { "gzip" }, axes = { { level = { 1, 9 } } },
---   command = function(c) return "seq 20000 | " .. c.workload .. " -" .. c.level .. " | wc -c" end }
--- local done = reg.suite.run(suite, { ["repeat"] = 3 })
--- print(reg.report.table(done.rows, { columns = done.columns }))
--- ```
---@param suite suite.Suite
---@param options? suite.RunOptions
---@return suite.Done done
function suite.run(d, o)
  local all = complete(d, o or {})
  return runner.run(d, definition.choose(d, all), all, files[d])
end

return suite
