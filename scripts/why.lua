#!/usr/bin/env regengine
--- Says why it got slower: it runs both ends of a change again with collection switched
--- on, compares environment, compiled program, kernels and host costs, and exchanges what
--- it can between the ends. Takes two commands, or an investigation of --store; unless
--- given, the newest one that found a change.
---
---   regengine why 'venv-old/bin/python train.py' 'venv-new/bin/python train.py'

local opt = reg.options {
  "take", "drop", "better", "timeout", "predict",
  ends       = { "two shell commands, each in quotes; or the number or name of an investigation", type = "string",
                 list = true, words = true },
  metric     = { "compare this number in the output, such as 'step time: {number}'; unless given, the wall time",
                 type = "metric" },
  min_effect = { "smallest difference that matters", type = "fraction" },
  fresh      = { "measure again what is stored", type = "boolean" },
  yes        = { "run what an investigation says that somebody else made, without a question", type = "boolean",
                 short = "y" },
  budget     = { "most pairs of runs without collection", type = "integer", default = 8, min = 2 },
}
if #opt.ends > 2 then
  error({ kind = "usage", message = "why.lua: takes two commands or one investigation, not " .. #opt.ends,
    hint = "Put each command in quotes: regengine why './old --n 10' './new --n 10'" }, 0)
end

local commands = #opt.ends == 2
  and { { shell = opt.ends[1], timeout_s = opt.timeout }, { shell = opt.ends[2], timeout_s = opt.timeout } } or nil
local found = reg.why {
  commands = commands, investigation = not commands and opt.ends[1] or nil, metric = opt.metric, better = opt.better,
  min_effect = opt.min_effect, budget = opt.budget,
  take = opt.take, drop = opt.drop, predict = opt.predict, yes = opt.yes,
}
if opt.dry_run then return 0 end

if opt.json then print(reg.json.encode(found)) end
return found.verdict == "found" and 0 or 3
