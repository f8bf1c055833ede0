#!/usr/bin/env regengine
--- Compares two commands or more. It runs A and B in turn until it is clear which
--- one is slower, or that they differ by less than --min-effect. Both run in a
--- shell, once to warm up. What counts is their wall time, or with --metric a number
--- in their output. Of three commands or more it compares each with the first.
---
---   regengine ab './old --n 10' './new --n 10' --min-effect 1%
---   regengine ab 'xz -{level} -k -c FILE' --parameter level=1..9

local opt = reg.options {
  "container", "take", "drop", "timeout", "better", "fail_on_regression", "predict",
  commands   = { "A and B, and more: shell commands, each in quotes", type = "command", list = true, words = true,
                 required = true },
  metric     = { "compare this number in the output, such as 'MLUPS: {number}'; unless given, the wall time",
                 type = "metric" },
  min_effect = { "smallest difference that matters: it ends once they differ by less", type = "fraction" },
  budget     = { "most runs of each command", type = "integer", default = 30, min = 1 },
  runs       = { "run each command exactly N times", type = "integer", min = 1,
                 not_with = { "budget", "min_runs" } },
  min_runs   = { "run each command at least N times", type = "integer", default = 1, min = 1 },
  warmup     = { "uncounted runs of each command, before the others", type = "integer", default = 1, min = 0 },
  prepare    = { "command to run before each run, not timed", type = "command" },
  setup      = { "command to run once for each command, before its first run", type = "command" },
  cleanup    = { "command to run once for each command, after all runs", type = "command" },
  parameter  = { "values to put where a command has {NAME}: 1,2,4, or 1..8, or 1..8:2 (step 2)", type = "parameter",
                 list = true },
  all_pairs  = { "compare all pairs of three commands or more, not only each with the first", type = "boolean" },
  resume     = { "go on with the stored runs of these commands; unless given, it measures afresh", type = "boolean",
                 not_with = { "fresh" } },
  image      = { "image of the container to run all commands in", type = "image" },
  export_json     = { "file for all numbers, in the form of hyperfine's JSON", type = "output" },
  export_csv      = { "file for the statistics as CSV", type = "output" },
  export_markdown = { "file for the statistics as a Markdown table", type = "output" },
}
if #opt.commands < 2 and #opt.parameter == 0 then
  error({ kind = "usage", message = "ab.lua: takes two commands or more, A and B, not " .. #opt.commands,
    hint = "Put each command in quotes: regengine ab './old --n 10' './new --n 10'" }, 0)
end

local runner <close> = reg.runner { folders = { reg.fs.absolute "." }, image = opt.image, options = opt }

-- What runs the command of --setup or --cleanup, whose {NAME}s `fill` replaces; nil without one.
local function once(command)
  return command and function(_, fill) runner:run(fill(command), opt.timeout) end
end

local found = reg.ab(opt.commands, {
  metric = opt.metric, better = opt.better, min_effect = opt.min_effect, budget = opt.budget,
  folder = opt.workdir, resume = opt.resume, predict = opt.predict, runs = opt.runs, min_runs = opt.min_runs,
  warmup = opt.warmup, setup = once(opt.setup), cleanup = once(opt.cleanup), all_pairs = opt.all_pairs,
  parameters = #opt.parameter > 0 and opt.parameter or nil, config = { setup = opt.setup },
  export_json = opt.export_json, export_csv = opt.export_csv, export_markdown = opt.export_markdown,
  measure = function(command, trial, fill)
    if opt.prepare then trial:build(runner:command(fill and fill(opt.prepare) or opt.prepare, opt.timeout)) end
    local call = runner:command(command, opt.timeout)
    return opt.metric and trial:test(call, opt) or trial:run(call).wall_s
  end,
})
if opt.dry_run then return 0 end

print(reg.report.wrap(found.text))
if opt.explain then
  local count, rows, orders = #found.names, {}, { table.concat(found.names, ", "), "" }
  for i = count, 1, -1 do orders[2] = orders[2] .. found.names[i] .. (i > 1 and ", " or "") end
  local columns = table.move(found.names, 1, count, 3, { count > 2 and "round" or "pair", "order" })
  for i, value in ipairs(found.results[1].times) do
    rows[i] = { i, orders[2 - i % 2] }
    for side, result in ipairs(found.results) do rows[i][side + 2] = result.times[i] end
    if count == 2 then rows[i][5] = string.format("%+.1f %%", 100 * (rows[i][4] / value - 1)) end
  end
  if count == 2 then columns[5] = "difference" end
  print(reg.report.table(rows, { columns = columns }))
end
if opt.json then print(reg.json.encode(found)) end
if opt.fail_on_regression and found.regression then return 4 end
return found.verdict == "inconclusive" and 3 or 0
