#!/usr/bin/env regengine
--- Proves that a commit is what made a test fail or a number worse. It measures the
--- good and the bad revision, the bad one with the commit reverted and the good one
--- with it applied, in turn, and prints the share of the loss that the commit brings.
--- If one of the two conflicts, it uses the other one alone. With --fix: whether a
--- commit is what made it good again.
---
---   regengine prove --repo /src/xla --good v1 --bad main --commit 5c8770f8 --test ./bench --metric 'MLUPS: {number}'

local opt = reg.options {
  "container", "checkout", "worktree", "outcome", "better", "check_build", "says",
  repo       = { "repository of the commit", type = "repo", required = true },
  commit     = { "commit to prove, such as bisect names it", type = "string", not_with = { "fix" },
                 required_unless = { "fix" }, revision_of = "repo" },
  fix        = { "in place of --commit: commit that made it good again; --bad then comes before --good",
                 type = "string", revision_of = "repo" },
  good       = { "good revision; unless given, the parent of the commit", type = "string", revision_of = "repo" },
  bad        = { "bad revision; unless given, the commit itself", type = "string", revision_of = "repo" },
  patch      = { "patch to apply to every version", type = "patch" },
  min_effect = { "smallest change that matters: it ends once good and bad differ by less", type = "fraction",
                 needs = { "metric" } },
  budget     = { "most rounds, in each of which every version runs once", type = "integer", default = 30, min = 1 },
}

local found = reg.prove(reg.git.open(opt.repo), {
  commit = opt.fix or opt.commit, fix = opt.fix ~= nil, good = opt.good, bad = opt.bad, options = opt,
  min_effect = opt.min_effect, budget = opt.budget, files = { opt.patch },
})
if opt.dry_run then return 0 end

print(reg.report.wrap(found.text))
if opt.json then print(reg.json.encode(found)) end
return found.verdict == "inconclusive" and 3 or found.verdict == "not_this_commit" and 4 or 0
