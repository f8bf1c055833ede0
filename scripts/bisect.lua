#!/usr/bin/env regengine
--- Finds the commit between a good and a bad revision that made the test fail, or changed its number.
--- By exit code: 0 is good, anything else bad. With --metric: by the number in the output. With --crash TEXT: bad is a
--- failure whose output holds TEXT; any other failure is skipped and listed, and so is a commit that does not build.

local opt = reg.options {
  repo         = { reg.required, "path of the repository" },
  good         = { reg.required, "revision known to be good" },
  bad          = { reg.required, "revision known to be bad" },
  build        = { reg.optional, "command that builds, run in the worktree" },
  test         = { reg.required, "command that tests, run in the worktree" },
  metric       = { reg.optional, "search by this number of the output, as 'MLUPS: {number}'" },
  crash        = { reg.optional, "search for the failure whose output holds this text" },
  flaky        = { false, "the test fails by chance: search for the commit that changed how often" },
  suspect      = { reg.several, "files the commit is likely to touch, as 'src/fft/*'" },
  first_parent = { false, "do not go down into the merge that was found" },
  image        = { reg.optional, "build and test in a container of this image" },
  runtime      = { reg.optional, "docker, podman or local" },
  gpus         = { reg.optional, "GPUs the container sees" },
  network      = { reg.optional, "the container's network, as host or none" },
  patch        = { reg.optional, "patch applied on top of every commit", file = true },
  timeout      = { "1h", "limit of one build or test" },
  min_effect   = { 0, "smallest change worth finding; 0 = 1 % of a metric, or 20 of 100 runs of a flaky test" },
  budget       = { 0, "most runs; 0 = 200, or 400 of a flaky test" },
}

reg.needs { git = { opt.repo, "submodules" }, container = opt.image, process = not opt.image and "sh" or nil }
if opt.image then reg.container.use { runtime = opt.runtime } end
local repo = reg.git.open(opt.repo)
local commits = reg.history(repo, opt.good, opt.bad)
local tree <close> = repo:worktree(".regengine/worktrees/bisect")
local runner <close> = reg.runner { folders = { tree.path }, image = opt.image, gpus = opt.gpus, network = opt.network }

local function build(commit, trial)
  tree:checkout(commit.id, { patch = opt.patch, submodules = true })
  if opt.build then trial:build(runner:command(opt.build, opt.timeout)) end
  return runner:command(opt.test, opt.timeout)
end

local series = reg.bisect(commits, {
  repo = repo, first_parent = opt.first_parent, into = opt.store, flaky = opt.flaky, budget = opt.budget,
  min_effect = opt.min_effect > 0 and opt.min_effect or nil, prior = #opt.suspect > 0 and { files = opt.suspect } or nil,
  metric = opt.metric and reg.metric.name(opt.metric),
  config = { build = opt.build, test = opt.test, image = opt.image, crash = opt.crash, pattern = opt.metric },
  files = { opt.patch },

  measure = opt.metric and function(commit, trial)
    local run = trial:run(build(commit, trial))
    return reg.metric.find(run.stdout, opt.metric)
  end,

  passes = not opt.metric and function(commit, trial)
    return trial:passes(build(commit, trial), opt.crash)
  end or nil,
})

return reg.answer(series)
