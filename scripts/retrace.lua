#!/usr/bin/env regengine
--- Finds the release of a package from which a function is traced, or compiled, more or
--- less often by JAX: an exact count of how often its body runs. The same as releases
--- --metric @jit.traces:FUNCTION, for releases that are named one by one.
---
---   regengine retrace 0.5.3 0.6.2 0.7.2 0.8.3 --function inner --test 'python train.py'

local opt = reg.options {
  "budget", "every", "timeout", "keep_going", "try_skipped", "environments",
  releases     = { "releases, the oldest first", type = "string", list = true, words = true, required = true },
  ["function"] = { "function to count, such as f or Model.step", type = "string", required = true },
  count        = { "what to count", type = "string", choices = { "traces", "compiles" }, default = "traces" },
  package      = { "package that they are of", type = "string", default = "jax" },
  with         = { "further requirement, such as 'numpy<2'", type = "string", list = true },
  test         = { "command that tests", type = "command", required = true },
}

opt.metric = reg.jit[opt.count](opt["function"])
local python <close> = reg.python.installer { python = opt.python, index = opt.index, keep = opt.keep }
local subjects = python:subjects { packages = { opt.package }, versions = opt.releases, with = opt.with }
return reg.answer(python:search(subjects, opt, { title = opt.package .. " releases", kind = "release" }))
