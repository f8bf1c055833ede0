#!/usr/bin/env regengine
--- From nights to the commit: tests nightly images and takes the largest change
--- of the number of --metric, or where the test begins to fail. It builds the
--- repositories at the hours between the last good and the first bad night, and
--- then at the commits of the hour it finds. Without --from it goes back from the
--- last night by 1, 2, 4, 8 ... nights to a good one. With --prove it then reverts the
--- commit that it found, as prove.lua does, and with --descend it goes on in the commits
--- of a dependency that this commit bumps. With --requirements in place of --image: from
--- days to the package that pip installed anew, and its release.
---
---   regengine investigate --image 'ghcr.io/nvidia/jax:jax-{date}' --to yesterday --repo xla=/src/xla --test test.sh

local opt = reg.options {
  "container", "cluster", "checkout", "search", "min_effect", "which_node", "keep_images", "artifact", "check_build",
  "says",
  image    = { "image with {date} in it; a folder with --runtime local", type = "image", contains = "{date",
               required_unless = { "requirements" } },
  requirements = { "requirements file: search the days on which it resolved to something else", type = "file",
               not_with = { "image", "build", "prove", "descend" }, needs = { "from" } },
  python   = { "version or path of the Python of --requirements; unless given, python3", type = "string",
               needs = { "requirements" } },
  index    = { "address of an index that comes before the configured one", type = "string", list = true,
               needs = { "requirements" } },
  from     = { "first night, such as 2023-07-06; unless given, it goes back to a good one", type = "date",
               not_after = "to", goes_back = true },
  to       = { "last night", type = "date", required = true },
  repo     = { "clone of a repository that is at /opt/NAME in the images; with --descend also of a dependency",
               type = "repo_or_url", list = true },
  build    = { "command that builds a checkout, run in the worktree of the first repository", type = "command" },
  test     = { "script that tests, in an image and next to a checkout", type = "script", required = true },
  prove    = { "then prove the commit that is found: revert it, and apply it to the good state", type = "boolean",
               needs = { "repo" } },
  descend  = { "if the commit bumps a submodule or a pin, go on in the commits of that dependency", type = "boolean",
               needs = { "repo" } },
  budget   = { "most runs of each stage; unless given, 200", type = "integer", min = 1 },
}

-- Of Python packages: the days, the packages of that day, the releases of that package.
if opt.requirements then
  local python <close> = reg.python.installer { python = opt.python, index = opt.index }
  local test = "bash '" .. reg.fs.absolute(opt.test):gsub("'", "'\\''") .. "'"
  local given = setmetatable({ test = test }, { __index = opt })
  local days = python:subjects { file = opt.requirements, from = opt.from, to = opt.to }
  local by_day = reg.stage(python:search(days, given, { title = "days", kind = "day" }))
  local day = reg.largest(by_day)
  if not day then return reg.answer(by_day) end
  local _, by_release = python:changes(day.lo.lock, day.hi.lock):stages(given, day.ratio or 2)
  return reg.answer(by_day, by_release)
end

local runtime = reg.container.use { runtime = opt.runtime }
local test = reg.test_command(opt.test, opt)
local nights = reg.container.nights(opt.image, { from = opt.from, to = opt.to })
local function pull(night) reg.container.pull(night.image, { pull = opt.pull or "missing" }) end
local function look(search, title, kind, subjects, o, repo)
  return search(subjects, {
    title = title, kind = kind, metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect,
    files = { opt.test }, budget = opt.budget, parallel = kind == "night" and opt.parallel or nil,
    keep_images = kind == "night" and opt.keep_images or nil,
    reported = kind == "night" and { good = opt.good_value, bad = opt.bad_value } or nil, repo = repo,
    prepare = o.prepare, build = o.build, [opt.metric and "measure" or "passes"] = o.test,
  })
end

local function first_image() return (type(nights) == "table" and nights or nights(0))[1].image end
local words = opt.descend and reg.in_image(opt.repo, first_image()) or opt.repo  -- the others are dependencies
local repos <close> = #words > 0 and reg.repos(words) or nil
if repos then repos:check_image(first_image()) end  -- a name that is not there costs one image, not a night

-- 1. The nights.
local by_night = reg.stage(look(reg.sweep, "nights", "night", nights, {
  prepare = pull,
  test = function(night, trial) return trial:test(test:command(night.image, opt.timeout), opt) end,
}))
local change = reg.largest(by_night)
if not change or not repos then return reg.answer(by_night) end

-- Where checkouts are built and tested: in the container of the good night.
local image = runtime ~= "local" and change.lo.image or nil
local function runner_for(repositories, options)
  return reg.runner { folders = repositories:folders(), env = repositories:env(), image = image, mounts = test.mounts,
    options = options }
end
local function checkouts(repositories, runner)
  return {
    build = function(state, trial)
      repositories:checkout(state.commits, trial)
      runner:build(trial, opt)
    end,
    test = function(_, trial) return trial:test(runner:command(test.cmd, opt.timeout), opt) end,
  }
end

-- With the other repositories as they were before the commit.
local function prove(by_commit, found, states)
  local name, first, last = found.hi.repo, states[1].commits, states[#states].commits
  reg.prove(repos.repos[name], {
    series = by_commit, good = first[name], bad = last[name], options = opt, files = { opt.test },
    place = function(folder)
      local own = reg.repos(words, folder)
      local place = runner_for(own, opt)
      return { runner = place, test = test.cmd, checkout = function(commit, trial)
        own:checkout(setmetatable({ [name] = commit }, { __index = found.lo.commits }), trial)
      end, close = function()
        place:close()
        own:close()
      end }
    end,
  })
end

local by_hour, by_commit
do
  -- 2. The hours between the last good and the first bad night.
  local runner <close> = runner_for(repos, opt)
  local good, bad = repos:of_image(change.lo.image), repos:of_image(change.hi.image)
  by_hour = reg.stage(look(reg.sweep, "hours", "hour", repos:hours(good, bad), checkouts(repos, runner)))
  local hour = reg.largest(by_hour)
  if not hour then return reg.answer(by_night, by_hour) end

  -- 3. The commits of that hour. Where a merge is found, those of its branch.
  local states = repos:between(hour.lo.commits, hour.hi.commits)
  by_commit = reg.stage(look(reg.bisect, "commits", "commit", states, checkouts(repos, runner), repos))
  if opt.prove and #by_commit.changes == 1 then prove(by_commit, by_commit.changes[1], states) end
end

-- 4. The commits of a dependency that the commit bumps.
local levels = opt.descend and reg.descend { repos = opt.repo, after = by_commit, of = repos, search = function(level)
  local runner <close> = runner_for(level, opt)
  return look(reg.bisect, level.title, "commit", level.states, checkouts(level, runner), level)
end } or {}
return reg.answer(by_night, by_hour, by_commit, table.unpack(levels))
