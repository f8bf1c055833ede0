#!/usr/bin/env regengine
--- Finds the release of a Python package at which the number of --metric changed, or
--- at which the test began to fail. Each release gets an environment of its own, whose
--- python is first on the PATH of the test, and only as many are made as the answer
--- needs. --from and --to are releases, or days: of nightlies those in their versions.
--- With --wheel the subjects are commits of --repo whose wheels somebody built. With
--- --requirements they are days: all packages as pip would have installed them then.
---
---   regengine releases --package numpy --from 1.24.4 --to 2.3.0 --test 'python bench.py' --metric 'sort: {number} ms'

local opt = reg.options {
  "cluster", "search", "min_effect", "budget", "every", "which_node", "environments",
  package      = { "package; several move together, such as jax and jaxlib", type = "string", list = true,
                   not_with = { "requirements", "wheel" }, required_unless = { "requirements", "wheel" } },
  requirements = { "requirements file: search the days on which it resolved to something else", type = "file",
                   needs = { "from", "to" } },
  wheel        = { "address of the wheel of a commit, with {commit} in it", type = "string", contains = "{commit}",
                   needs = { "repo", "from", "to" }, not_with = { "requirements" } },
  repo         = { "clone of the repository of --wheel", type = "repo", needs = { "wheel" } },
  from         = { "good end: a release, a day such as 2024-01-31, or a revision of --repo", type = "day_or_name" },
  to           = { "bad end; unless given, the newest release", type = "day_or_name" },
  with         = { "further requirement, such as 'numpy<2'", type = "string", list = true },
  pre          = { "also releases before the final ones", type = "boolean" },
  runtime      = { "run the test on Slurm", type = "string", choices = { "slurm" } },
  test         = { "command that tests", type = "command", required = true },
}

local python <close> = reg.python.installer { python = opt.python, index = opt.index, keep = opt.keep }
local subjects, kind = python:subjects {
  packages = opt.package, from = opt.from, to = opt.to, pre = opt.pre, with = opt.with, file = opt.requirements,
  wheel = opt.wheel, commits = opt.wheel and reg.history(reg.git.open(opt.repo), opt.from, opt.to),
}
local title = table.concat(opt.package, ", ") .. (#opt.package > 0 and " " or "") .. kind .. "s"
local series = python:search(subjects, opt, { title = title, kind = kind })
if opt.requirements then reg.stage(series) end
for _, change in ipairs(opt.requirements and series.changes or {}) do
  local items = python:changes(change.lo.lock, change.hi.lock).items
  print(reg.report.wrap(string.format("On %s %s.", change.hi.id, table.concat(items, ", "))))
  if #items > 1 then
    print(string.format("Which of them: regengine packages --requirements %s --good %s --bad %s ...", opt.requirements,
      change.lo.id, change.hi.id))
  end
end
return reg.answer(series)
