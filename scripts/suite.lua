#!/usr/bin/env regengine
--- Runs a benchmark suite: the workloads of a suite file in every configuration,
--- one process at a time. The suite file is a Lua table: workloads, axes, a
--- command for each configuration, its environment and metric. The results are
--- results.jsonl in the format of pytorch/xla's benchmarks, which analyze.lua,
--- aggregate.lua and compare.lua read. A run that was interrupted continues where
--- it stopped: an experiment that has a result for this command, environment,
--- commit, image and repeat count does not run again. Exit code: 0 if everything
--- has a result, 3 if an experiment failed or was not verified.

local opt = reg.options {
  "container", "cluster", "checkout",
  suite           = { "suite file", type = "file", required = true },
  filter          = { "only workloads that match this regular expression", type = "string", list = true, short = "k" },
  exclude         = { "no workloads that match this regular expression", type = "string", list = true, short = "x" },
  filter_by_tier  = { "only workloads of this tier of the suite", type = "string", list = true },
  shard           = { "part of the suite to run, such as 2/4 for the second of four; each needs its own output folder",
                      type = "string" },
  config          = { "run this one configuration again and print its output; JSON such as '{\"workload\":\"gzip\"}'",
                      type = "string" },
  ["repeat"]      = { "processes of each experiment; the value of $REPEAT if the suite has a metric", type = "integer",
                      default = 10, min = 1 },
  processes       = { "processes of each experiment if the suite has a metric, with $REPEAT values each",
                      type = "integer", default = 1, min = 1 },
  iterations      = { "value of $ITERATIONS; per_iter_time is total_time divided by it", type = "integer", default = 1,
                      min = 1 },
  warmup          = { "processes to run first and not count; unless given, 1, or 0 if the suite has a metric",
                      type = "integer", min = 0 },
  timeout         = { "time limit of one process and all that it starts", type = "duration", default = "30m" },
  order           = { "order in which the configurations of a workload take turns", type = "string",
                      choices = { "abba", "random", "none" }, default = "abba" },
  seed            = { "seed of the random order", type = "integer", default = 1, min = 0 },
  verify          = { "also compare the results with their reference, as `verify` in the suite says",
                      type = "boolean" },
  profile         = { "run what is measured now once more, with the suite's profiler or with its GPU kernels traced",
                      type = "boolean" },
  dump            = { "give each process its own folder, $DUMP_DIR", type = "boolean" },
  repo            = { "repository to check out and build; the commands run in it", type = "repo" },
  rev             = { "revision to check out; unless given, HEAD", type = "string" },
  patch           = { "unified diff to apply to that revision and record", type = "file" },
  image           = { "image of the container that the commands run in", type = "image" },
  output_dirname  = { "folder for results.jsonl, the store and the dumps", type = "string", default = "output" },
  store           = { "file that the trials are kept in; unless given, suite.db in that folder", type = "string" },
  no_resume       = { "run everything again; earlier records stay", type = "boolean" },
  print_output    = { "print the output of the processes", type = "boolean" },
}

local suite = reg.suite.load(opt.suite)
local run = { folder = opt.output_dirname, store = opt.store, timeout = opt.timeout, order = opt.order, seed = opt.seed,
  ["repeat"] = opt["repeat"], processes = opt.processes, iterations = opt.iterations, warmup = opt.warmup,
  redo = opt.redo, verify = opt.verify, profile = opt.profile, dump = opt.dump, repo = opt.repo, rev = opt.rev,
  patch = opt.patch, image = opt.image, options = opt,
  resume = not (opt.no_resume or opt.fresh or opt.config), print_output = opt.print_output or opt.config ~= nil,
  filter = opt.filter, exclude = opt.exclude, tier = opt.filter_by_tier, shard = opt.shard, config = opt.config }
if opt.dry_run then
  local rows, words = reg.suite.plan(suite, run)
  print(reg.report.table(rows, { columns = { "experiment", "command", "env", "skipped" } }))
  print(words)
  return
end

local done = reg.suite.run(suite, run)
if #done.rows == 0 and not opt.shard then
  error({ kind = "usage", message = "suite.lua: no experiment matches",
    hint = "--dry-run without a filter lists all." }, 0)
end
if #done.rows > 0 then print(reg.report.table(done.rows, { columns = done.columns })) end
print(string.format("%d processes were run; %s", done.ran, done.summary))
print("results: " .. done.results .. "; output of each process: " .. done.store .. ".out/")
if opt.json then
  print(reg.json.encode { experiments = reg.json.array(done.rows), ran = done.ran, failed = done.failed,
    results = done.results, store = done.store })
end
return done.failed + done.unverified > 0 and 3 or 0
