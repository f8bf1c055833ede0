#!/usr/bin/env regengine
--- From a commit that bumps a dependency to the commit of the dependency: searches the commits that the submodule or
--- pin went over, with the rest held at the commit, and goes on if the commit it finds bumps a dependency, too. The
--- commands run in the worktree of the first repository. A submodule is checked out in it; of a pin, the file in it is
--- rewritten. REPO_<NAME> holds the path of each repository; one that is not a submodule is next to it (../NAME).
---
---   regengine descend --repo /src/jax --commit 3c55790ebe --repo xla=/src/xla --build make --test ./bench

local opt = reg.options {
  "container", "checkout", "worktree", "search", "min_effect", "artifact", "check_build", "says",
  repo         = { "repository of the commit, and then those of dependencies; these are remembered in this folder",
                   type = "repo_or_url", list = true, required = true },
  commit       = { "commit that bumps the dependency", type = "string", required = true },
  pin          = { "which dependency, if the commit bumps several", type = "string" },
  flaky        = { "the test fails at random: find the commit that changed how often", type = "boolean" },
  first_parent = { "stop at a merge; do not search its branch", type = "boolean" },
  patch        = { "patch to apply to the first repository", type = "patch" },
  budget       = { "most runs of each level; unless given, 200, or 400 of a flaky test", type = "integer", min = 1 },
}

local function search(level)
  local runner <close> = reg.runner { folders = level:folders(), env = level:env(), image = opt.image, options = opt }
  return reg.bisect(level.states, {
    title = level.title, repo = level, first_parent = opt.first_parent, files = { opt.patch }, flaky = opt.flaky,
    metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect, budget = opt.budget,
    -- The numbers were reported for the two sides of the commit: the ends of the first level.
    reported = level.depth == 1 and { good = opt.good_value, bad = opt.bad_value } or nil,

    build = function(state, trial)
      level:checkout(state.commits, trial)
      runner:build(trial, opt)
    end,

    [opt.metric and "measure" or "passes"] = function(_, trial)
      return trial:test(runner:command(opt.test, opt.timeout), opt)
    end,
  })
end

local levels = reg.descend { repos = opt.repo, commit = opt.commit, pin = opt.pin, patch = opt.patch, search = search }
return reg.answer(table.unpack(levels))
