#!/usr/bin/env regengine
--- From nights to the commit: measures nightly images, and for the largest change found goes on with the hours between its
--- last good and its first bad night, built from the repositories, and then with the commits of the hour it finds.

local opt = reg.options {
  image      = { reg.required, "image with {date} in it; with --runtime local a folder" },
  from       = { reg.required, "first night, as 2023-07-06" },
  to         = { reg.required, "last night" },
  repo       = { reg.several, "NAME=PATH of a clone of a repository in the images, NAME as in the image's /opt/NAME" },
  build      = { reg.optional, "command that builds a checkout, run in the first repository's worktree" },
  test       = { reg.required, "script that prints the number, in an image and beside a checkout alike", file = true },
  metric     = { reg.required, "the number in its output, as 'MLUPS: {number}' or a Lua pattern" },
  runtime    = { reg.optional, "docker, podman or local; the first that works unless said" },
  gpus       = { reg.optional, "GPUs the container sees: all, or 0,1" },
  network    = { reg.optional, "the container's network, as host or none" },
  timeout    = { "1h", "limit of one build or test" },
  min_effect = { 0.01, "smallest change worth finding, 0.01 = 1 %" },
  parallel   = { 1, "nights measured at a time" },
  budget     = { 0, "most runs of each of the three stages; 0 = 200" },
}

local here, paths = opt.runtime == "local", { "submodules" }
for _, repo in ipairs(opt.repo) do paths[#paths + 1] = repo:match "=(.+)" end
reg.needs { container = not here and opt.image or nil, git = paths, process = here and "sh" or nil }
local runtime = reg.container.use { runtime = opt.runtime }
local nights = reg.container.nights(opt.image, { from = opt.from, to = opt.to })
local test = reg.test_command(opt.test, runtime)
local function stage(title, kind, subjects, measure)
  return reg.sweep(subjects, {
    title = title, kind = kind, into = opt.store, metric = reg.metric.name(opt.metric), min_effect = opt.min_effect,
    config = { pattern = opt.metric, build = kind ~= "night" and opt.build or nil, gpus = opt.gpus }, files = { opt.test },
    budget = opt.budget, parallel = kind == "night" and opt.parallel or nil, measure = measure,
  })
end

-- 1. The nights.
local by_night = stage("nights", "night", nights, function(night, trial)
  local run = trial:run { image = night.image, cmd = test.cmd, mounts = test.mounts, gpus = opt.gpus,
    network = opt.network, timeout_s = opt.timeout }
  return reg.metric.find(run.stdout, opt.metric)
end)
local change = reg.largest(by_night)
if not change or #opt.repo == 0 then return reg.answer(by_night) end

-- 2. The hours between the last good and the first bad night, built from the repositories in the good night's container.
local repos <close> = reg.repos(opt.repo)
local good, bad = repos:of_image(change.lo.image), repos:of_image(change.hi.image)
local runner <close> = reg.runner { folders = repos:folders(), env = repos:env(), image = runtime ~= "local" and change.lo.image or nil,
  mounts = test.mounts, gpus = opt.gpus, network = opt.network }
local function measure_checkout(state, trial)
  repos:checkout(state.commits)
  if opt.build then trial:build(runner:command(opt.build, opt.timeout)) end
  local run = trial:run(runner:command(test.cmd, opt.timeout))
  return reg.metric.find(run.stdout, opt.metric)
end
local by_hour = stage("hours", "hour", repos:hours(good, bad), measure_checkout)
change = reg.largest(by_hour)
if not change then return reg.answer(by_night, by_hour) end

-- 3. The commits of that hour.
local by_commit = stage("commits", "commit", repos:between(change.lo.commits, change.hi.commits), measure_checkout)
return reg.answer(by_night, by_hour, by_commit)
