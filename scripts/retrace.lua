#!/usr/bin/env regengine
--- Finds the release of a package from which a function is traced, or compiled,
--- more or less often by JAX: an exact count of how often its body runs. Each
--- release is installed in an environment of its own, once; --install may build a
--- commit instead. The commands get RELEASE and ENVIRONMENT, the environment's
--- folder; its programs are first on the PATH of the test.
---
---   regengine retrace 0.5.3 0.6.2 0.7.2 0.8.3 --function inner --test 'python train.py'

local opt = reg.options {
  "budget", "every", "timeout", "keep_going", "try_skipped",
  releases     = { "releases, the oldest first", type = "string", list = true, words = true, required = true },
  ["function"] = { "function to count, such as f or Model.step", type = "string", required = true },
  count        = { "what to count", type = "string", choices = { "traces", "compiles" }, default = "traces" },
  package      = { "package to install", type = "string", default = "jax" },
  install      = { "command that makes ENVIRONMENT; unless given, venv and pip", type = "command" },
  environments = { "folder of the environments, which are kept", type = "string", default = "environments" },
  test         = { "command that tests", type = "command", required = true },
}

local VENV = [[test -e "$ENVIRONMENT/complete" || {
  python3 -I -m venv --clear "$ENVIRONMENT" && "$ENVIRONMENT/bin/python" -I -m pip install -q "$PACKAGE==$RELEASE" &&
  touch "$ENVIRONMENT/complete"
}]]

local folder, metric = reg.fs.absolute(opt.environments), reg.jit[opt.count](opt["function"])

local function command(text, release)
  return { shell = text, timeout_s = opt.timeout,
    env = { RELEASE = release, PACKAGE = opt.package, ENVIRONMENT = folder .. "/" .. release } }
end

local series = reg.sweep(opt.releases, {
  title = "releases", kind = "release", into = opt.store, metric = metric, every = opt.every, budget = opt.budget,
  build = function(release, trial) trial:build(command(opt.install or VENV, release)) end,
  measure = function(release, trial)
    return trial:test(command('PATH="$ENVIRONMENT/bin:$PATH"; ' .. opt.test, release), { metric = metric })
  end,
})

return reg.answer(series)
