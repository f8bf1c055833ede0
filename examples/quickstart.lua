#!/usr/bin/env regengine
--- Makes a git repository of a small C program. Its history has two regressions, an
--- improvement, a temporary regression, a day that does not build and a commit that
--- crashes. Then it finds them as in a real repository: nights, hours, commits.
--- Every build and every number is real.

local make_repository = require "quickstart_repo"

local opt = reg.options {
  folder = { "folder for the repository and its worktree", type = "string", default = "quickstart" },
}
make_repository(opt.folder .. "/repo")

local repo = reg.git.open(opt.folder .. "/repo")
local tree <close> = repo:worktree(opt.folder .. "/tree")
local store = reg.store.open(opt.store)

local function measure(subject, trial)
  tree:checkout(subject.id)
  trial:build { shell = "make -s", cwd = tree.path, timeout_s = 60 }
  local run = trial:run { shell = "./bench", cwd = tree.path, timeout_s = 60 }
  return reg.metric.find(run.stdout, "Mitems/s: {number}")
end

local function sweep(kind, subjects, every)
  return reg.sweep(subjects, {
    title = kind .. "s", kind = kind, into = store, metric = "Mitems/s",
    min_effect = 0.07, every = every, measure = measure,
  })
end

-- The main branch at each of these times.
local function snapshots(from, to, every)
  local points = reg.git.timeline { repos = { repo = repo }, branch = "main", from = from, to = to, every = every }
  for _, point in ipairs(points) do
    point.id, point.label = point.commits.repo.id, every == "24h" and point.at:sub(1, 10) or point.at
  end
  return points
end

-- 1. Every night, as in the JAX guide: a month of them takes little time.
local nights = sweep("night", snapshots("2024-03-02", "2024-03-31", "24h"), true)

-- 2. and 3. For each change of the nights, the hours between, and then the commits of one hour: the change that they
-- narrow it down to.
local function narrow(last_good, first_bad)
  local hours = sweep("hour", snapshots(last_good.time, first_bad.time, "1h"))
  local change = reg.largest(hours)
  if not change then return nil end
  return reg.largest(reg.bisect(reg.history(repo, change.last_good, change.first_bad), {
    repo = repo, into = store, metric = "Mitems/s", min_effect = 0.07, measure = measure,
  }))
end

for _, change in ipairs(nights.changes) do
  change.culprit = narrow(change.lo, change.hi)
  if change.kind == "dip" then change.culprit_of_end = narrow(change.leave_lo, change.leave_hi) end
end
return reg.answer(nights)
