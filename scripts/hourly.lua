#!/usr/bin/env regengine
--- Checks out several repositories as they were at each hour, builds and tests
--- them, and finds the hours at which the number of --metric changed, or at which
--- the test began to fail. Hours are in UTC. An hour in which no repository moved
--- is not tested again. The commands run in the worktree of the first repository.
--- The others are next to it (../NAME), and REPO_<NAME> holds the path of each.
--- Without --from it goes back from the last hour by 1, 2, 4, 8 ... hours to a good one.
---
---   regengine hourly --repo xla=/src/xla --repo jax=/src/jax --from '2d ago' --to today --test ./bench

local opt = reg.options {
  "container", "cluster", "checkout", "worktree", "search", "min_effect", "budget", "every", "which_node", "artifact",
  "check_build", "says",
  repo        = { "repository to check out", type = "repo", list = true, required = true },
  branch      = { "branch to follow; unless given, the main branch of each repository", type = "string" },
  from        = { "first hour, such as 2023-08-24 or 2023-08-24T13:00; unless given, it goes back to a good one",
                  type = "time", not_after = "to", goes_back = true },
  to          = { "last hour; a day means all of it", type = "time", required = true },
  every_hours = { "hours from one checkout to the next", type = "number", default = 1, min = 0.01 },
  build       = { "command that builds", type = "command" },
}

local repos <close> = reg.repos(opt.repo)
local runner <close> = reg.runner { folders = repos:folders(), env = repos:env(), image = opt.image, options = opt }
local every = math.floor(opt.every_hours * 3600)
local to = reg.time.parse(opt.to)
if opt.to:find "^%d+-%d+-%d+$" or opt.to == "today" or opt.to == "yesterday" then  -- to its end, or as far as it is
  to = math.max(to, math.min(to + 86400, reg.time.now()))
end
local function hours_from(from)
  local hours = reg.git.timeline { repos = repos.repos, branch = opt.branch, from = from, to = to, every = every }
  for _, hour in ipairs(hours) do hour.id, hour.label = repos:id(hour.commits), hour.at end
  return hours
end
local function hours_back(n) return hours_from(to - n * every) end

local series = reg.sweep(opt.from and hours_from(opt.from) or hours_back, {
  title = "hours", kind = "hour", reported = { good = opt.good_value, bad = opt.bad_value },
  metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect, every = opt.every, budget = opt.budget,

  build = function(hour, trial)
    repos:checkout(hour.commits, trial)
    runner:build(trial, opt)
  end,

  [opt.metric and "measure" or "passes"] = function(_, trial)
    return trial:test(runner:command(opt.test, opt.timeout), opt)
  end,
})

for _, change in ipairs(series.changes or {}) do  -- the commits of that hour
  if not change.open and change.untested == 0 then
    change.brought = repos:between(change.lo.commits, change.hi.commits)
  end
end
return reg.answer(series)
