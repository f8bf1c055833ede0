#!/usr/bin/env regengine
--- Finds which flags, variables or compiler options make the difference between a
--- good and a bad set: 'XLA_FLAGS=--a=1 --b' against 'XLA_FLAGS=--c'. The test,
--- and the build, see each set in their environment. By exit code: 0 is good, any
--- other is bad. With --metric: by the number in the output. A set that aborts or
--- cannot be built is skipped.
---
---   regengine flags --good 'XLA_FLAGS=--a=1' --bad 'XLA_FLAGS=--a=2 --b' --test ./bench --metric 'MLUPS: {number}'

local opt = reg.options {
  "container", "outcome", "better", "fail_on_regression", "exact", "image",
  good       = { "a variable of the good set, flags and all, such as 'XLA_FLAGS=--a=1'", type = "variable", list = true,
                 required_unless = { "bad" } },
  bad        = { "a variable of the bad set", type = "variable", list = true },
  candidates = { "file with flags to add, one per line; with several variables as NAME=FLAG", type = "file" },
  build      = { "command that builds with the flags", type = "command" },
  test       = { "command that tests", type = "command", required = true },
  budget     = { "run at most N times; unless given, 200", type = "integer", min = 4 },
}
local lines = {}
for line in (opt.candidates and reg.fs.read(opt.candidates) or ""):gmatch "[^\r\n]+" do lines[#lines + 1] = line end
local flags = reg.flags(#opt.good > 0 and opt.good or nil, #opt.bad > 0 and opt.bad or nil, lines)

local runner <close> = reg.runner { folders = { reg.fs.absolute "." }, image = opt.image, options = opt }

local function command(text, subset)
  local call = runner:command(text, opt.timeout)
  local env = flags:env(subset)
  for name, value in pairs(call.env or {}) do env[name] = env[name] or value end
  call.env = env
  return call
end

local base = #opt.good > 0 and "good" or "bad"
local found = reg.minimize {
  items = flags.items, metric = opt.metric, better = opt.better, exact = opt.exact, budget = opt.budget,
  title = "flags", commands = { opt.build or opt.test }, folder = opt.workdir,
  ends = { none = base, all = #opt.good > 0 and #opt.bad > 0 and "bad" or base .. " plus all" },
  measure = function(subset, trial)
    if opt.build then trial:build(command(opt.build, subset)) end
    return trial:test(command(opt.test, subset), opt)
  end,
}
if opt.dry_run then return 0 end

print(reg.report.wrap(found.text))
if opt.explain then
  local rows = {}
  for i, one in ipairs(found.asked) do rows[i] = { i, one.reason, one.label, one.value or one.status } end
  print(reg.report.table(rows, { columns = { "run", "reason", "set", found.metric } }))
end
if opt.json then print(reg.json.encode(found)) end
if opt.fail_on_regression and found.regression then return 4 end
return found.verdict == "inconclusive" and 3 or 0
