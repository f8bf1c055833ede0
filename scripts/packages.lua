#!/usr/bin/env regengine
--- Finds which of the Python packages that differ between a good and a bad environment
--- makes the difference, and then its release. The two are lists of packages with
--- their versions, of pip freeze, uv.lock, poetry.lock, pylock.toml or conda list
--- --export; with --requirements they are days. Sets of packages are installed in
--- environments of their own; what cannot be installed alone moves with what it needs.
---
---   regengine packages --good march.txt --bad now.txt --test 'python train.py' --metric 'step: {number} ms'

local opt = reg.options {
  "outcome", "better", "fail_on_regression", "exact", "environments",
  good         = { "file of the good environment; a day with --requirements", type = "day_or_name", required = true },
  bad          = { "file of the bad environment; a day with --requirements", type = "day_or_name", required = true },
  requirements = { "requirements file: the ends are what it resolved to on two days", type = "file" },
  repo         = { "clone of the repository of the package that is found", type = "repo" },
  test         = { "command that tests", type = "command", required = true },
  budget       = { "run at most N times to find the package; unless given, 200", type = "integer", min = 4 },
}

local python <close> = reg.python.installer { python = opt.python, index = opt.index, keep = opt.keep }
local good, bad = opt.good, opt.bad
if opt.requirements then
  local days = python:subjects { file = opt.requirements, from = opt.good, to = opt.bad }
  good, bad = days[1].lock, days[#days].lock
end
local found, series = python:changes(good, bad):stages(opt)
if opt.dry_run then return 0 end
if opt.json then print(reg.json.encode(found)) end
if series then return reg.answer(series) end
if opt.fail_on_regression and found.regression then return 4 end
return found.verdict == "inconclusive" and 3 or 0
