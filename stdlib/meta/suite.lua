---@meta

--- Benchmark suites: workloads in every configuration, run a process at a time, each experiment a record in results.jsonl. The
--- format is that of pytorch/xla's benchmarks; reg.results reads it.
---@class reg.suite
reg.suite = {}

--- What the suite's functions are told of an experiment: a field for each axis with its value, and these.
---@class suite.Configuration
---@field workload string
---@field repeats integer how many repeats are asked for
---@field iterations integer how many iterations are asked for
---@field folder string this experiment's folder below the results, absolute; it need not be there
---@field dump? string where this process may dump what it likes; $DUMP_DIR says the same
---@field profile? string where the profile belongs, $PROFILE_DIR

---@class suite.Verify
---@field reference table<string, any> values of axes that make a configuration its reference
---@field result string the file that the command leaves in $DUMP_DIR
---@field repeat_reference? boolean run the reference twice: where it differs from itself nothing is verified
---@field metric? "mre"|"rmse"|"allclose" as reg.verify has it, like the rest
---@field tolerance? number
---@field atol? number
---@field dtype? string
---@field shape? integer[]

--- What a suite file returns.
---@class suite.Suite
---@field name string
---@field workloads string[]
---@field axes? table<string, any[]>[] as reg.matrix takes them; the workload comes before them
---@field where? fun(c: matrix.Configuration): boolean which combinations there are
---@field skip? any[][] { function, reason } each: what is recorded as skipped
---@field tiers? table<string, string[]> named lists of workloads
---@field command string|string[]|fun(c: suite.Configuration): string|string[] words, or a line for the shell
---@field env? table<string, any>|fun(c: suite.Configuration): table<string, any>
---@field metric? string|table<string, string> patterns of numbers in the output, "total_time" in seconds; the process's seconds when absent
---@field prepare? string|string[]|fun(workload: string): string|string[]? what a workload needs before its first process, not timed
---@field repo? string repository that the commands run in a checkout of
---@field rev? string|fun(c: suite.Configuration): string revision of it, "HEAD" when absent
---@field build? string|string[] how that is built
---@field image? string|fun(c: suite.Configuration): string container that everything runs in; one is kept for each image
---@field gpus? string
---@field network? string
---@field mounts? table<string, string>
---@field memory? string the most the container may use, "24g"
---@field shm_size? string
---@field accelerator? string "cuda" or "cpu" when absent
---@field profile? fun(c: suite.Configuration): table { command =, env = } of the run under a profiler; reg.trace's when absent
---@field verify? suite.Verify

---@class suite.Choice
---@field filter? string[] regular expressions: workloads that hold one of them, in any case
---@field exclude? string[] and those that hold none
---@field tier? string[] workloads of these tiers
---@field shard? string "2/4": the second of four parts
---@field config? table<string, any>|string the one configuration with these values; as JSON too

---@class suite.RunOptions: suite.Choice
---@field folder? string of results.jsonl, store and dumps: "output" when absent
---@field store? string "suite.db" in it when absent
---@field repeat? integer 10 when absent: processes of an experiment, or with a metric the $REPEAT of each
---@field processes? integer with a metric, processes of an experiment; 1 when absent
---@field iterations? integer 1 when absent; per_iter_time is total_time over it
---@field warmup? integer processes before the first, not counted: 1 when absent, with a metric 0
---@field timeout? number|string seconds or "30m", which it is when absent: of one process and all that it started
---@field order? "abba"|"random"|"none" of the processes of a workload's configurations: abba when absent
---@field seed? integer of the random order, 1 when absent
---@field resume? boolean false: what has a result is run again too
---@field redo? string[] statuses whose experiments are run again
---@field print_output? boolean print what each process printed
---@field verify? boolean hold each experiment against its reference
---@field profile? boolean run each once more under a profiler
---@field dump? boolean give each process a folder in $DUMP_DIR
---@field repo? string in place of the suite's, like image and gpus
---@field rev? string "HEAD" when absent
---@field patch? string file of a unified diff that is applied on top
---@field image? string
---@field runtime? string docker, podman or local
---@field gpus? string

---@class suite.Row
---@field experiment string "gzip level=9"
---@field status string ok, skipped, test_failed, crashed, timeout, oom
---@field metric? string which number is shown
---@field median? number in its unit, seconds for total_time
---@field spread? string half the distance of the quartiles, relative to the median
---@field repeats? integer
---@field verification? string
---@field why? string why it failed, was skipped or does not verify

---@class suite.Done
---@field rows suite.Row[]
---@field columns string[] the columns that hold anything
---@field summary string "7 new, 1 skipped"
---@field failed integer experiments
---@field unverified integer experiments whose verification is anything but PASS
---@field ran integer processes that were run now
---@field experiments table[] in the matrix's order, each with its `record`
---@field results string path of results.jsonl
---@field store string path of the store

--- Reads a suite file, a Lua chunk that returns a table, and its text. Raises usage for what is no suite, with the line where Lua
--- cannot read it.
--- ```lua
--- reg.fs.write("sleep.lua", 'return { name = "sleep", workloads = { "0.01" }, command = function(c) return "sleep " .. c.workload end }')
--- local suite, text = reg.suite.load "sleep.lua"
--- print(suite.name, #text)
--- ```
---@param path string
---@return suite.Suite suite
---@return string text
function reg.suite.load(path) end

--- The experiments that the options choose: workloads x axes, those marked that are recorded as skipped. Raises usage for what is
--- no suite, and for a tier, shard or configuration that is none.
--- ```lua
--- local suite = { name = "zip", workloads = { "gzip", "xz" }, axes = { { level = { 1, 9 } } }, command = "true" }
--- for _, c in ipairs(reg.suite.experiments(suite, { filter = { "^xz" } })) do print(c.id) end
--- ```
---@param suite suite.Suite
---@param choice? suite.Choice
---@return matrix.Matrix matrix
function reg.suite.experiments(suite, choice) end

--- What a run with these options would run, a row for each experiment, and how often, in words. Raises as reg.suite.run does for
--- misuse.
--- ```lua
--- local suite = { name = "zip", workloads = { "gzip" }, command = function(c) return { c.workload, "--version" } end }
--- print(reg.report.table(reg.suite.plan(suite)))
--- ```
---@param suite suite.Suite
---@param options? suite.RunOptions
---@return table[] rows { experiment =, command =, env =, skipped = }
---@return string words
function reg.suite.plan(suite, options) end

--- Runs the experiments, workload by workload: the processes of its configurations in turn, abba, so that what drifts falls on all
--- of them. Each process is a trial in the store, and each complete experiment a line of results.jsonl: a run that was broken
--- off goes on where it stopped, and what has a result for the same command, environment, preparation, build, commit, patch, image,
--- processor or GPU, and count is not run again. A failure is a record with its status, and the others go on. Without a `metric` a
--- process's seconds are the numbers, in a container with the tenths that entering it takes: what runs there had better print its own.
--- Raises usage for what is no suite or option, unavailable where the build fails, and what reg.git and reg.container raise.
--- ```lua
--- local suite = { name = "zip", workloads = { "gzip" }, axes = { { level = { 1, 9 } } },
---   command = function(c) return "seq 20000 | " .. c.workload .. " -" .. c.level .. " | wc -c" end }
--- local done = reg.suite.run(suite, { ["repeat"] = 3 })
--- print(reg.report.table(done.rows, { columns = done.columns }))
--- ```
---@param suite suite.Suite
---@param options? suite.RunOptions
---@return suite.Done done
function reg.suite.run(suite, options) end
