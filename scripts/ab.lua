#!/usr/bin/env regengine
--- Compares two commands. It runs A and B in turn until it is clear which one is
--- slower, or that they differ by less than --min-effect. Both run in a shell, once
--- to warm up. What counts is their wall time, or with --metric a number in their
--- output.
---
---   regengine ab './old --n 10' './new --n 10' --min-effect 1%

local opt = reg.options {
  "container", "take", "drop", "timeout", "better", "fail_on_regression", "predict",
  commands   = { "A and B: two shell commands, each in quotes", type = "command", list = true, words = true,
                 required = true },
  metric     = { "compare this number in the output, such as 'MLUPS: {number}'; unless given, the wall time",
                 type = "metric" },
  min_effect = { "smallest difference that matters: it ends once the two differ by less", type = "fraction" },
  budget     = { "most pairs of runs", type = "integer", default = 30, min = 1 },
  resume     = { "go on with the stored pairs of these commands; unless given, it measures afresh", type = "boolean",
                 not_with = { "fresh" } },
  image      = { "image of the container to run both in", type = "image" },
}
if #opt.commands ~= 2 then
  error({ kind = "usage", message = "ab.lua: takes two commands, A and B, not " .. #opt.commands,
    hint = "Put each command in quotes: regengine ab './old --n 10' './new --n 10'" }, 0)
end

if opt.image then reg.container.use { runtime = opt.runtime } end
local runner <close> = reg.runner { folders = { reg.fs.absolute "." }, image = opt.image, options = opt }

local found = reg.ab(opt.commands[1], opt.commands[2], {
  metric = opt.metric, better = opt.better, min_effect = opt.min_effect, budget = opt.budget, into = opt.store,
  folder = opt.workdir, resume = opt.resume, predict = opt.predict,
  measure = function(command, trial)
    local call = runner:command(command, opt.timeout)
    return opt.metric and trial:test(call, opt) or trial:run(call).wall_s
  end,
})
if opt.dry_run then return 0 end

print(reg.report.wrap(found.text))
if opt.explain then
  local rows = {}
  for i, a in ipairs(found.values.a) do
    local b = found.values.b[i]
    rows[i] = { i, i % 2 == 1 and "A, B" or "B, A", a, b, string.format("%+.1f %%", 100 * (b / a - 1)) }
  end
  print(reg.report.table(rows, { columns = { "pair", "order", "A", "B", "difference" } }))
end
if opt.json then print(reg.json.encode(found)) end
if opt.fail_on_regression and found.regression then return 4 end
return found.verdict == "inconclusive" and 3 or 0
