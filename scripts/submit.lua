#!/usr/bin/env regengine
--- Runs a strategy in a small Slurm job of its own, so that nobody has to stay logged
--- in. Shortly before the time limit of the job it stops the strategy and submits
--- itself again; finished work is kept, and jobs that run are taken over. The options
--- of the job come before the name of the strategy.
---
---   regengine submit --partition cpu --time 12h nightly --runtime slurm --partition gpu --test test.sh ...

local opt = reg.options {
  "partition", "account", "qos", "time", "constraint", "slurm",
  command = { "strategy and its options", type = "string", words = true, rest = true, list = true, required = true },
}

local job, output = reg.submit(opt.command, opt)
if job then print(string.format("job %s; its output: %s", job, output)) end
