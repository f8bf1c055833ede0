#!/usr/bin/env regengine
--- Finds the commit between a good and a bad revision that made the test fail or
--- changed its number. By exit code: 0 is good, anything else is bad. With
--- --metric: by the number in the output. With --crash TEXT: bad is a failure
--- whose output contains TEXT. Any other failure is skipped and listed, and so is
--- a commit that cannot be built.

local opt = reg.options {
  "container", "take", "drop", "good_value", "bad_value", "timeout", "direction", "keep_going",
  "artifact", "check_build", "says", "overlap",
  repo         = { "repository to search", type = "repo", required = true },
  good         = { "good revision", type = "string", required = true },
  bad          = { "bad revision", type = "string", required = true },
  build        = { "command that builds, run in the worktree", type = "command" },
  test         = { "command that tests, run in the worktree", type = "command", required = true },
  metric       = { "search by this number in the output of the test, such as 'MLUPS: {number}'", type = "metric" },
  crash        = { "search for the failure whose output contains this text", type = "string" },
  flaky        = { "the test fails at random: find the commit that changed how often", type = "boolean" },
  suspect      = { "files that the commit probably touches, such as 'src/fft/*'", type = "string", list = true },
  first_parent = { "stop at a merge; do not search its branch", type = "boolean" },
  image        = { "image of the container to build and test in", type = "image" },
  patch        = { "patch to apply to every commit", type = "patch" },
  min_effect   = { "smallest change to look for; unless given, what the noise allows, or 25% of a flaky test",
                   type = "fraction" },
  budget       = { "most runs; unless given, 200, or 400 of a flaky test", type = "integer", min = 1 },
}

if opt.image then reg.container.use { runtime = opt.runtime } end
local repo = reg.git.open(opt.repo)
local commits = reg.history(repo, opt.good, opt.bad)
local tree <close> = repo:worktree()
local runner <close> = reg.runner { folders = { tree }, image = opt.image, options = opt }

local series = reg.bisect(commits, {
  repo = repo, first_parent = opt.first_parent, into = opt.store, flaky = opt.flaky, budget = opt.budget,
  min_effect = opt.min_effect, prior = #opt.suspect > 0 and { files = opt.suspect } or nil,
  metric = opt.metric, reported = { good = opt.good_value, bad = opt.bad_value }, files = { opt.patch },
  overlap = runner.overlap,

  build = function(commit, trial)
    trial:worktree(tree):checkout(commit.id, { patch = opt.patch, submodules = true })
    runner:build(trial, opt)
  end,

  measure = opt.metric and function(_, trial)
    local run = trial:run(runner:command(opt.test, opt.timeout))
    return reg.metric.of(run, opt)
  end,

  passes = not opt.metric and function(_, trial)
    return trial:passes(runner:command(opt.test, opt.timeout), opt.crash)
  end or nil,
})

return reg.answer(series)
