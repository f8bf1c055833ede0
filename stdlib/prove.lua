-- reg.prove: reverts and reapplies a commit to see whether it made a number worse.

local Proof = require "lib/ab/proof"
local Repos = require "lib/repos"
local Turns = require "lib/ab/turns"
local direction = require "lib/direction"
local investigation = require "lib/sweep/investigation"
local proof_range = require "lib/proof_range"
local text_of = require("lib/report/culprits").proved
local values_of = require "lib/values"

local caught, geometric_mean, map, merged = values_of.caught, values_of.geometric_mean, values_of.map, values_of.merged

local KEYS = { "commit", "series", "good", "bad", "fix", "options", "place", "budget", "min_effect", "better", "into",
  "files", "config", "title", "redo", "suspect" }
local BUDGET = 30  -- rounds

local function usage(message, hint) core.fail("usage", "prove: " .. message, hint) end

-- Where a version is built and tested: in a worktree below the folder.
local function default_place(repo, opt)
  return function(folder)
    local tree = repo:worktree(folder .. "/repo")
    local runner = reg.runner { folders = { tree }, image = opt.image, options = opt }
    return { runner = runner, checkout = function(commit, trial)
      trial:worktree(tree):checkout(commit.id, { patch = opt.patch, submodules = Repos.how().submodules })
    end, close = function()
      runner:close()
      tree:close()
    end }
  end
end

-- The versions to measure, by their names, with the commit of each.
local function versions_of(range, fix)
  local called = { before = fix and "bad" or "good", after = fix and "good" or "bad", revert = "reverted",
    apply = "applied" }
  return map({ "before", "after", "revert", "apply" }, function(name)
    local commit, of, made = range[name], range[name .. "_name"], name == "revert" or name == "apply"
    if made then commit = commit.commit end
    return commit and { name = name, made = made, commit = commit, id = commit.id, short = commit.short,
      called = called[name] .. (of and " " .. of or "") }
  end)
end

-- One run of a version, which is built first if it was not yet.
local function measure_of(places, opt)
  local built = {}
  return function(version, trial)
    local place = places[version.name]
    if not built[version.name] then
      place.checkout(version.commit, trial)
      place.runner:build(trial, opt)
      built[version.name] = true
    end
    local result = trial:test(place.runner:command(place.test or opt.test, opt.timeout), opt)
    if type(result) == "boolean" then return result and 0 or 1 end
    return result
  end
end

-- The rounds so far.
local Rounds = {}
Rounds.__index = Rounds

-- Goes on without a version that cannot be built or tested. The other direction may do without it.
local function leave_out(self, side, trial)
  local name, range = self.versions[side].name, self.range
  local what = name == "revert" and string.format("with %s reverted, %s", range.commit.short, range.after_name)
    or string.format("with %s applied, %s", range.commit.short, range.before_name)
  range[name] = { commit = range[name].commit, why = string.format("%s cannot be %s: %s", what,
    trial.status == "build_failed" and "built" or "tested", trial.message:match "^[^\n]*") }
  self.turns:drop(side)
  if not self.proof:drop(name) then self.turns:fail(side, trial) end
end

function Rounds:answer()
  local range, proof, o = self.range, self.proof, self.o
  local verdict, why = proof:verdict(true)
  local effect, low, high = proof:effect()
  local found = { verdict = verdict, why = why, commit = range.commit.id, subject = range.commit.subject, fix = o.fix,
    before = range.before.id, after = range.after.id, before_name = range.before_name, after_name = range.after_name,
    merge = range.merge or nil, metric = not o.passes and self.run.metric or nil, passes = o.passes or nil,
    unit = self.run.unit, better = o.better,
    effect = effect, low = low, high = high, confidence = 0.95, rounds = proof.n, reused = self.turns.reused,
    stored = self.turns.stored, sides = #self.turns.sides, levels = {}, values = self.values,
    suspect = self.run.suspicion:summary(self.turns.all) }
  -- The geometric mean, so that the levels have the ratio of the answer; of tests the last outcome.
  for name, values in pairs(self.values) do
    found.levels[name] = o.passes and values[#values] or geometric_mean(values)
  end
  for _, name in ipairs { "revert", "apply" } do
    local made = range[name]
    local part = { why = made.why, conflicts = made.conflicts, commit = made.commit and made.commit.id,
      value = o.passes and found.levels[name] or nil }
    part.share, part.low, part.high = proof:share(name)
    found[name] = next(part) and part or nil
  end
  return found
end

function Rounds:knows() return self.proof.n > 0 end

-- Adds rounds, those of the store first, until it is decided or the budget is spent.
function Rounds:go(progress)
  local turns = self.turns
  for side, version in ipairs(self.versions) do
    local failed = version.made and turns:failed_before(side)
    if failed then leave_out(self, side, failed) end
  end
  turns:go(progress, function() return self.proof:verdict(self.proof.n >= self.o.budget) end, function(round, stored)
    local values = {}
    for side, turn in pairs(round) do
      local name = self.versions[side].name
      values[name], self.values[name] = turn.value, self.values[name] or reg.json.array {}
      table.insert(self.values[name], turn.value)
    end
    self.proof:add(values)
    local share, low, high = self.proof:share "revert"
    if not low then share, low, high = self.proof:share "apply" end
    local note = low and string.format("share %.0f %% (%.0f to %.0f %%)", 100 * share, 100 * low, 100 * high) or ""
    progress:update { done = turns.n, total = self.o.passes and 2 or self.o.budget, subject = "",
      note = note .. (stored and " (stored)" or "") }
  end, function()
    for _, side in ipairs(table.move(turns.sides, 1, #turns.sides, 1, {})) do
      turns:warm_up(side, self.versions[side].made and function(...) leave_out(self, ...) end or nil)
    end
  end)
end

local function prove(repo, given)
  local options = given.options
  if type(options) ~= "table" then usage "needs 'options', as reg.options returns them" end
  local o = investigation.options("prove", given, KEYS, 1, { kind = "version", budget = BUDGET, metric = options.metric,
    better = options.better, into = options.store })
  if o.commit == nil then usage "needs 'commit'" end
  o.passes = o.metric == nil
  if o.passes then o.better = "lower" end
  local range = proof_range.of(repo, o)
  for _, name in ipairs { "revert", "apply" } do
    if range[name].why then reg.log.warn("%s; only the other direction is measured", range[name].why) end
  end
  local versions = versions_of(range, o.fix)
  local places <close> = setmetatable({}, { __close = function(places)
    for _, place in pairs(places) do place.close() end
  end })
  -- Paths of one length: an environment that is longer by a byte can change a timing.
  local open, id = o.place or default_place(repo, o.options), core.sha256(repo.id .. " " .. core.settings().script)
  for i, version in ipairs(versions) do
    places[version.name] = open(string.format(".regengine/worktrees/prove-%s-%d", id:sub(1, 8), i))
  end
  o.measure = measure_of(places, o.options)
  if core.settings().dry_run then
    print(string.format("%s: would run %d versions in turn, up to %d times each", o.title, #versions,
      o.passes and 2 or o.budget))
    for _, version in ipairs(versions) do
      require("lib/sweep/dry_run").show_run(string.format("%s (%s)", version.called, version.commit.short), version, o)
    end
    return nil
  end
  o.config = { prove = { range.commit.id, range.before.id, range.after.id }, more = o.config }
  return investigation.conduct(o, text_of, { unit = "round" }, function(run)
    local turns = Turns.new { subjects = versions, ids = map(versions, function(one) return one.id end),
      names = map(versions, function(one) return one.called end), run = run, of = not o.passes and "a ratio" or nil }
    local sign = o.better and ((o.better == "lower") ~= (o.fix or false) and 1 or -1)
    local proof = Proof.new { passes = o.passes, sign = sign, min_effect = o.min_effect, alone = range.alone,
      revert = range.revert.commit ~= nil, apply = range.apply.commit ~= nil }
    return setmetatable({ o = o, range = range, versions = versions, run = run, values = {}, proof = proof,
      turns = turns }, Rounds)
  end)
end

-- { commit =, good =, bad =, fix = } for a series of reg.bisect whose line goes from `first` to `last`; nil and why
-- nothing can be proved. Where the number became better, the commit is taken for a fix.
local function named(series, first, last)
  local change = series.changes[1]
  if not change then return nil, "no commit was named" end
  if #series.changes > 1 then
    return nil, #series.changes .. " changes were found; pass one of them to regengine prove --commit"
  end
  if change.open or change.untested > 0 or change.kind ~= "step" then return nil, "no single commit was named" end
  local commit = change.hi
  if commit.commits then commit = commit.commits[commit.repo] end  -- a state of reg.repos
  local better = series.passes and "lower" or series.direction or direction.of(series.metric)
  first = first or series.back and series.back.id
  local fix = better ~= nil and (change.after > change.before) == (better == "higher")
  if fix then first, last = last, first end
  return { commit = commit, good = first, bad = last, fix = fix }
end

-- Proves the commit that a search named, prints what it found, and leaves it in series.proof. The search also has its
-- answer where the commit can neither be reverted nor applied.
local function prove_named(repo, given)
  local series = given.series
  if series.dry or series.stopped then return nil end
  local question, why = named(series, given.good, given.bad)
  if not question then
    print("Nothing to prove: " .. why .. ".\n")
    return nil
  end
  question = merged(given, question)
  question.series = nil
  local found, conflict = caught("conflict", prove, repo, question)
  if conflict then
    found = { verdict = "inconclusive", why = "conflict", commit = question.commit.id,
      text = "Not proved: " .. conflict.message .. "." }
  end
  print("proof:\n" .. found.text .. "\n")
  series.proof = found
  return found
end

---@class prove.Place
---@field runner runner.Runner where the version is built and tested
---@field checkout fun(commit: git.Commit, trial: sweep.Trial) checks the version out
---@field close fun()
---@field test? string|string[] the command, if it is not that of the options

---@class prove.Options: sweep.CommonOptions
---@field commit? string|git.Commit the commit to prove
---@field series? sweep.Series in place of it: proves the one commit that a bisect named, prints the text of the
--- answer, and keeps it in series.proof, which reg.answer adds to its JSON; `good` and `bad` are the first and the last
--- revision
---@field good? string|git.Commit by default the parent of the commit, or with `fix` the commit itself
---@field bad? string|git.Commit by default the commit itself, or with `fix` its parent
---@field fix? boolean the commit made it good again: `bad` comes before `good`
---@field options table<string, any> of reg.options: metric, build, test, timeout, image, patch, store ...
---@field place? fun(folder: string): prove.Place where a version is built, with worktrees below `folder`; by default a
--- worktree of the repository
---@field budget? integer most rounds, 30 by default
---@field min_effect? number it ends once good and bad differ by less
---@field better? "higher"|"lower" which numbers are better; by default the option --better, or what the metric says

---@class prove.Part
---@field commit? string id of the version that was made
---@field share? number of the difference: 1 for all of it
---@field low? number its 95 % interval, which holds at whichever round it ends
---@field high? number
---@field value? number of a test: 0 if it passes with this version, 1 if it fails
---@field conflicts? string[] the files that conflict
---@field why? string why it was not measured

---@class prove.Answer: sweep.CommonAnswer
---@field verdict "proved"|"one_of_several"|"not_this_commit"|"inconclusive"
---@field why? "no_difference"|"mixed"|"flaky"|"undecided" of an inconclusive one
---@field commit string its id
---@field before string id of the earlier end
---@field after string id of the later end
---@field revert? prove.Part the later end with the commit reverted
---@field apply? prove.Part the earlier end with the commit applied
---@field effect? number after / before - 1
---@field low? number its 95 % interval
---@field high? number
---@field levels table<string, number> geometric means of before, after, revert and apply
---@field values table<string, number[]> the numbers of each round
---@field rounds integer

--- Tells whether a commit is what made a number worse between a good and a bad revision, or broke the test. Measures
--- both, the bad one with the commit reverted (Repo:revert) and the good one with it applied (Repo:apply), in turn;
--- each has a worktree of its own and is built once. The share of the difference is a ratio of logarithms. It is
--- "proved" if the interval of each share is above a half, "one_of_several" causes if each is above 5 %, and
--- "not_this_commit" otherwise; of a test, if both follow the commit, or neither. A direction that conflicts or cannot
--- be built is skipped. It ends once the shares are known to 10 points, after two rounds of a test, or after `budget`
--- rounds. A merge is taken against its first parent. The store keeps the rounds, and they are not run again. Times in
--- the result are seconds. Raises usage for a commit that is not between the two, not_found for a revision, conflict if
--- it can neither be reverted nor applied, and a failed trial if the good or the bad revision fails. Returns nil in a
--- dry run, and for a series that names no commit.
--- ```lua
--- local opt = reg.options { "metric", "timeout", test = { "command", type = "command", required = true } }
--- print(reg.prove(reg.git.open ".", { commit = "HEAD~3", good = "v1.0", bad = "main", options = opt }).text)
--- ```
---@param repo git.Repo
---@param options prove.Options
---@return prove.Answer? found
return function(repo, given)
  if type(given) ~= "table" then usage "takes a repository and a table of options" end
  if type(given.series) == "table" then return prove_named(repo, given) end
  return prove(repo, given)
end
