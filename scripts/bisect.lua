#!/usr/bin/env regengine
--- Finds the commit between a good and a bad revision that made the test fail or
--- changed its number. By exit code, as with git bisect run: 0 is good, 125 skips
--- the commit, and so do 126 and 127, as no test ran; anything else is bad. With
--- --metric: by the number in the output. With --find fix: the commit between a bad
--- and a later good revision that repaired the test. With --crash TEXT: bad
--- is a failure whose output contains TEXT, and any other failure is skipped and
--- listed. So is a commit that cannot be built. Without --good it goes back from the
--- bad revision by 1, 2, 4, 8 ... commits to a good one. With --prove it then reverts
--- the commit that it found, as prove.lua does.
---
---   regengine bisect --repo /src/xla --good v1 --bad main --build make --test ./bench --metric 'MLUPS: {number}'

local opt = reg.options {
  "container", "cluster", "checkout", "worktree", "search", "which_node", "artifact", "check_build", "says",
  repo         = { "repository to search", type = "repo", required = true },
  good         = { "good revision, or a date; unless given, it goes back to one", type = "string", goes_back = true,
                   revision_of = "repo" },
  bad          = { "bad revision, or a date", type = "string", required = true, revision_of = "repo" },
  find         = { "what to find: what made it bad, or the later fix", type = "string",
                   choices = { "regression", "fix" }, needs = { "good" }, not_with = { "flaky" } },
  term_good    = { "what the answer calls good, such as fast", type = "string", needs = { "term_bad" } },
  term_bad     = { "what the answer calls bad, such as slow", type = "string", needs = { "term_good" } },
  log          = { "write a log to this file that git bisect replay reads", type = "output" },
  flaky        = { "the test fails at random: find the commit that changed how often", type = "boolean",
                   needs = { "good" } },
  skip         = { "revision or range A..B that is neither built nor tested", type = "string", list = true },
  first_parent = { "stop at a merge; do not search its branch", type = "boolean" },
  patch        = { "patch to apply to every commit", type = "patch" },
  min_effect   = { "smallest change to look for; unless given, what the noise allows, or 25% of a flaky test",
                   type = "fraction" },
  prove        = { "then prove the commit that is found: revert it, and apply it to the good revision",
                   type = "boolean", not_with = { "flaky" } },
  budget       = { "run at most N times; unless given, 200, or 400 of a flaky test", type = "integer", min = 1 },
}

local repo = reg.git.open(opt.repo)
local commits = reg.history(repo, opt.good, opt.bad, opt.find)
local tree <close> = repo:worktree()
local runner <close> = reg.runner { folders = { tree }, image = opt.image, options = opt }

local series = reg.bisect(commits, {
  repo = repo, first_parent = opt.first_parent, skip = opt.skip, files = { opt.patch }, together = opt.build ~= nil,
  metric = opt.metric, exact = opt.exact, min_effect = opt.min_effect, budget = opt.budget, flaky = opt.flaky,
  reported = { good = opt.good_value, bad = opt.bad_value }, find = opt.find, log = opt.log,
  terms = opt.term_bad and { good = opt.term_good, bad = opt.term_bad },

  build = function(commit, trial)
    trial:worktree(tree):checkout(commit.id, { patch = opt.patch, submodules = opt.submodules })
    runner:build(trial, opt)
  end,

  [opt.metric and "measure" or "passes"] = function(_, trial)
    return trial:test(runner:command(opt.test, opt.timeout), opt)
  end,
})

if opt.prove then
  reg.prove(repo, { series = reg.stage(series), good = opt.good, bad = opt.bad, options = opt, files = { opt.patch } })
end
return reg.answer(series)
