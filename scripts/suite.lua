#!/usr/bin/env regengine
--- Runs a benchmark suite: the workloads of a suite file in every configuration, one process an experiment at a time.
--- The suite file is a Lua table: workloads, axes, a command for each configuration, its environment and metric. Results are
--- results.jsonl in the format of pytorch/xla's benchmarks; analyze.lua, aggregate.lua and compare.lua read them. A run that was
--- broken off goes on where it stopped: what has a result for this command, environment, commit, image and repeat count is not run
--- again. Exit code: 0 all has a result, 3 an experiment failed or did not pass its verification.

local opt = reg.options {
  suite           = { reg.required, "the suite file", file = true },
  filter          = { reg.several, "regular expression: only workloads that hold it", short = "k" },
  exclude         = { reg.several, "regular expression: no workloads that hold it", short = "x" },
  filter_by_tier  = { reg.several, "only workloads of this tier of the suite" },
  shard           = { reg.optional, "i/n: the i-th of n parts, as 2/4; a machine for each, and an output folder" },
  config          = { reg.optional, "JSON of one configuration, as '{\"workload\":\"gzip\"}': run it anew, with its output here" },
  ["repeat"]      = { 10, "processes of each experiment; where the suite has a metric, what $REPEAT says" },
  processes       = { 1, "processes of each experiment, where the suite has a metric, $REPEAT values each" },
  iterations      = { 1, "what $ITERATIONS says; per_iter_time is total_time over it" },
  warmup          = { reg.optional, "processes run before them and not counted; 1 when absent, 0 where the suite has a metric" },
  timeout         = { "30m", "limit of one process and all it started" },
  order           = { "abba", "how the processes of a workload's configurations take turns: abba, random or none",
                      choices = { "abba", "random", "none" } },
  seed            = { 1, "of the random order" },
  verify          = { false, "hold what each computes against its reference as well, as the suite's `verify` says" },
  profile         = { false, "run what is measured now once more, under the suite's profiler or with its GPU kernels traced" },
  dump            = { false, "give each process that is run now a folder of its own, named by $DUMP_DIR" },
  repo            = { reg.optional, "repository that is checked out and built; the commands run in it" },
  rev             = { reg.optional, "revision of it, HEAD when absent" },
  patch           = { reg.optional, "unified diff applied on top of that revision, and recorded", file = true },
  image           = { reg.optional, "container image that the commands run in" },
  runtime         = { reg.optional, "docker, podman or local" },
  gpus            = { reg.optional, "GPUs the container sees" },
  output_dirname  = { "output", "folder of results.jsonl, the store and the dumps" },
  store           = { reg.optional, "file the trials are kept in; suite.db in that folder when absent" },
  no_resume       = { false, "run all that is chosen again; earlier records stay" },
  print_output    = { false, "print what the processes print" },
}

local suite = reg.suite.load(opt.suite)
local run = { folder = opt.output_dirname, store = opt.store, timeout = opt.timeout, order = opt.order, seed = opt.seed,
  ["repeat"] = opt["repeat"], processes = opt.processes, iterations = opt.iterations, warmup = tonumber(opt.warmup) or opt.warmup,
  redo = opt.redo, verify = opt.verify, profile = opt.profile, dump = opt.dump, repo = opt.repo, rev = opt.rev, patch = opt.patch,
  image = opt.image, runtime = opt.runtime, gpus = opt.gpus, resume = not (opt.no_resume or opt.config),
  print_output = opt.print_output or opt.config ~= nil, filter = opt.filter, exclude = opt.exclude, tier = opt.filter_by_tier,
  shard = opt.shard, config = opt.config }
if opt.dry_run then
  local rows, words = reg.suite.plan(suite, run)
  print(reg.report.table(rows, { columns = { "experiment", "command", "env", "skipped" } }))
  print(words)
  return
end

local done = reg.suite.run(suite, run)
if #done.rows > 0 then print(reg.report.table(done.rows, { columns = done.columns })) end
print(string.format("%d processes were run; %s", done.ran, done.summary))
print("results: " .. done.results .. ", each process's output below " .. done.store .. ".out/")
if opt.json then
  print(reg.json.encode { experiments = reg.json.array(done.rows), ran = done.ran, failed = done.failed, results = done.results,
    store = done.store })
end
return done.failed + done.unverified > 0 and 3 or 0
