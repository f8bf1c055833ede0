#!/usr/bin/env regengine
--- Checks several repositories out as they stood at each hour, in sync, builds, tests, and names the hours at which the
--- number changed. Hours are UTC; an hour in which nothing moved is not tested twice. The commands run in the first
--- repository's worktree; the others lie beside it (../NAME), and REPO_<NAME> holds each one's path.

local opt = reg.options {
  repo        = { reg.several, "NAME=PATH of a repository" },
  branch      = { reg.optional, "branch to follow; each repository's main line unless said" },
  from        = { reg.required, "first hour, as 2023-08-24 or 2023-08-24T13:00" },
  to          = { reg.required, "last hour" },
  every_hours = { 1, "step between two checkouts" },
  build       = { reg.optional, "command that builds" },
  test        = { reg.required, "command that prints the number" },
  metric      = { reg.required, "the number in its output, as 'MLUPS: {number}' or a Lua pattern" },
  image       = { reg.optional, "build and test in a container of this image, kept between the hours" },
  runtime     = { reg.optional, "docker, podman or local" },
  gpus        = { reg.optional, "GPUs the container sees: all, or 0,1" },
  network     = { reg.optional, "the container's network, as host or none" },
  timeout     = { "1h", "limit of one build or test" },
  min_effect  = { 0.01, "smallest change worth finding, 0.01 = 1 %" },
  budget      = { 0, "most runs; 0 = 200, or four times the hours looked at first" },
  every       = { false, "measure every hour" },
}

local paths = { "submodules" }
for _, repo in ipairs(opt.repo) do paths[#paths + 1] = repo:match "=(.+)" end
reg.needs { git = paths, container = opt.image, process = not opt.image and "sh" or nil }
if opt.image then reg.container.use { runtime = opt.runtime } end
local repos <close> = reg.repos(opt.repo)
local runner <close> = reg.runner {
  folders = repos:folders(), env = repos:env(), image = opt.image, gpus = opt.gpus, network = opt.network,
}
local hours = reg.git.timeline { repos = repos.repos, branch = opt.branch, from = opt.from, to = opt.to, every = opt.every_hours * 3600 }
for _, hour in ipairs(hours) do hour.id, hour.label = repos:id(hour.commits), hour.at end

local series = reg.sweep(hours, {
  title = "hours", kind = "hour", into = opt.store,
  metric = reg.metric.name(opt.metric), min_effect = opt.min_effect, every = opt.every, budget = opt.budget,
  config = { pattern = opt.metric, build = opt.build, test = opt.test, image = opt.image, gpus = opt.gpus },

  measure = function(hour, trial)
    repos:checkout(hour.commits)
    if opt.build then trial:build(runner:command(opt.build, opt.timeout)) end
    local run = trial:run(runner:command(opt.test, opt.timeout))
    return reg.metric.find(run.stdout, opt.metric)
  end,
})

return reg.answer(series)
