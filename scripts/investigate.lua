#!/usr/bin/env regengine
--- From nights to the commit: tests nightly images and takes the largest change
--- of the number of --metric, or where the test begins to fail. It builds the
--- repositories at the hours between the last good and the first bad night, and
--- then at the commits of the hour it finds.

local opt = reg.options {
  "container", "metric", "take", "drop", "crash", "timeout_is_bad", "timeout", "min_effect", "direction", "exact",
  "keep_going", "try_skipped", "keep_images", "overlap", "artifact", "check_build", "says",
  image    = { "image with {date} in it; a folder with --runtime local", type = "image", required = true,
               contains = "{date}" },
  from     = { "first night, such as 2023-07-06", type = "date", required = true, not_after = "to" },
  to       = { "last night", type = "date", required = true },
  repo     = { "clone of a repository that is at /opt/NAME in the images", type = "repo", list = true },
  build    = { "command that builds a checkout, run in the worktree of the first repository", type = "command" },
  test     = { "script that tests, in an image and next to a checkout", type = "script", required = true },
  parallel = { "nights to measure at the same time", type = "integer", default = 1, min = 1 },
  budget   = { "most runs of each of the three stages; unless given, 200", type = "integer", min = 1 },
}

local runtime = reg.container.use { runtime = opt.runtime }
local test = reg.test_command(opt.test, opt)
local nights = reg.container.nights(opt.image, { from = opt.from, to = opt.to })
local function pull(night) reg.container.pull(night.image, { pull = opt.pull or "missing" }) end
local function stage(search, title, kind, subjects, o, repo)
  return reg.stage(search(subjects, {
    title = title, kind = kind, into = opt.store, metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect,
    files = { opt.test }, budget = opt.budget, parallel = kind == "night" and opt.parallel or nil,
    keep_images = kind == "night" and opt.keep_images or nil, overlap = o.overlap,
    prepare = o.prepare, build = o.build, [opt.metric and "measure" or "passes"] = o.test, repo = repo,
  }))
end

local repos <close> = #opt.repo > 0 and reg.repos(opt.repo) or nil
if repos then repos:check_image(nights[1].image) end  -- a name that is not there costs one image, not a night

-- 1. The nights.
local by_night = stage(reg.sweep, "nights", "night", nights, {
  overlap = opt.overlap, prepare = pull,
  test = function(night, trial) return trial:test(test:command(night.image, opt.timeout), opt) end,
})
local change = reg.largest(by_night)
if not change or not repos then return reg.answer(by_night) end

-- 2. The hours between the last good and the first bad night, built in the container of the good night.
local good, bad = repos:of_image(change.lo.image), repos:of_image(change.hi.image)
local runner <close> = reg.runner {
  folders = repos:worktrees(), env = repos:env(), image = runtime ~= "local" and change.lo.image or nil,
  mounts = test.mounts, options = opt,
}
local checkouts = {
  overlap = runner.overlap,
  build = function(state, trial)
    repos:checkout(state.commits, trial)
    runner:build(trial, opt)
  end,
  test = function(_, trial) return trial:test(runner:command(test.cmd, opt.timeout), opt) end,
}
local by_hour = stage(reg.sweep, "hours", "hour", repos:hours(good, bad), checkouts)
change = reg.largest(by_hour)
if not change then return reg.answer(by_night, by_hour) end

-- 3. The commits of that hour. Where a merge is found, those of its branch.
local states = repos:between(change.lo.commits, change.hi.commits)
local by_commit = stage(reg.bisect, "commits", "commit", states, checkouts, repos)
return reg.answer(by_night, by_hour, by_commit)
