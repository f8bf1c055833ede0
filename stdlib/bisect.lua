-- reg.bisect: the commit of a line that changed the number or broke the test.

local Suspicion = require("lib/sweep/queue").Suspicion
local due = require "lib/report/due"
local investigation = require "lib/sweep/investigation"
local values = require "lib/values"

local find, flat, map, merged = values.find, values.flat, values.map, values.merged

-- The ids of the commits that the user excludes: revisions, and ranges A..B as git has them. nil for none.
local function excluded_of(o, commits)
  if #(o.skip or {}) == 0 then return nil end
  local skipped = flat(o.skip, function(revision)
    local good, bad = revision:match "^(.+)%.%.(.+)$"
    return good and o.repo:between(good, bad) or { o.repo:resolve(revision) }
  end)
  local excluded = values.set(map(skipped, function(commit) return commit.id end))
  local goes_back = type(commits) == "function"
  local list = goes_back and commits(0) or commits
  for role, commit in pairs { good = not goes_back and list[1] or nil, bad = list[#list] } do
    if excluded[commit.id] then
      core.fail("usage", string.format("--skip excludes the %s revision: %s", role, commit.short or commit.id),
        "Exclude only commits between the two.")
    end
  end
  return excluded
end

-- Of a branch, `line` is the series of the whole line. `spent`: what all of them used of the budget (see Session.new).
local function search(commits, o, excluded, spent, line)
  local options = merged({ kind = "commit", title = "commits" }, o)
  options.repo, options.first_parent, options.skip, options.excluded = nil, nil, nil, excluded
  options.find, options.terms, options.log, options.spent = nil, nil, nil, spent
  if not line then
    options.known_ends = (not o.passes or o.flaky) and "measured" or o.find == "fix" and "fails" or "passes"
  else  -- a branch of a line that was measured
    options.known_ends, options.reported = "branch", nil
    options.flaky = o.flaky or line.by_chance ~= nil or nil
  end
  return reg.sweep(commits, options)
end

-- What the user calls the sides of changes: of regressions, and of the fix that was searched.
local function name_sides(series, o)
  local good, bad = o.terms and o.terms.good or "good", o.terms and o.terms.bad or "bad"
  local better = o.passes and "lower" or series.direction
  for _, change in ipairs(better and (o.terms or o.find) and series.changes or {}) do
    local is_better = (change.after > change.before) == (better == "higher")
    if is_better and o.find == "fix" then
      change.called = { first = "first " .. good, last = "last " .. bad, role = "fix" }
    elseif not is_better then
      change.called = { first = "first " .. bad, last = "last " .. good }
    end
  end
end

-- Without a change it matters that the bad end has no result: what was compared are other commits.
local function check_bad_end(series, wanted)
  local last = series.points[#series.points]
  if series.stopped or series.dry or #series.changes > 0 or not last or last.index ~= series.subjects then return end
  if last.status == "ok" then return end
  local what, crash = string.format("cannot test the %s commit %s: %s", wanted == "fix" and "good" or "bad", last.label,
    last.message), (core.options or {}).crash
  if crash and (last.status == "crashed" or last.status == "test_failed") then
    what = ("the failure of the bad commit %s does not contain '%s': %s"):format(last.label, crash,
      (last.message:gsub("%s*\n%s*", "; ")))
  end
  series.verdict, series.why, series.ends = "inconclusive", what, nil
end

-- Adds what a search of a branch took and found to the series of the whole line.
local function add_side(series, inner)
  due.drop(inner)
  series.runs, series.skipped = series.runs + inner.runs, series.skipped + inner.skipped
  series.seconds = series.seconds + inner.seconds
  series.stored = investigation.stored_together(series.stored, inner.stored)
  series.reused = series.reused + (inner.stored and inner.stored.runs or 0)
  series.suspect = Suspicion.together(series.suspect, inner.suspect)
  table.move(inner.asked, 1, #inner.asked, #series.side_asked + 1, series.side_asked)
  -- What was not looked at closely is not claimed to be unchanged.
  series.resolution = inner.resolution and series.resolution and math.max(series.resolution, inner.resolution)
  series.narrowest_dip = math.max(series.narrowest_dip or 0, inner.narrowest_dip or 0)
  local seen = values.set(map(flat { series.points, series.side_points }, function(point) return point.id end))
  for _, point in ipairs(values.sort_by(flat { inner.points, inner.assumed }, function(one) return one.index end)) do
    if not seen[point.id] then table.insert(series.side_points, point) end
  end
end

-- Puts the changes that are inside of merges in place of these. `commits`: of the whole line.
local function follow_merges(series, o, commits, excluded, spent)
  local line = type(commits) == "function" and commits(series.subjects - 1) or commits
  local range = table.move(line, 2, #line, 1, {})
  if not find(range, function(commit) return #commit.parents > 1 end) then return end
  local how = setmetatable({ good = type(commits) == "table" and commits[1] or nil, range = range,
    flaky = o.flaky or series.by_chance ~= nil }, { __index = o })
  function how.search(branch)
    local inner = search(branch, o, excluded, spent, series)
    add_side(series, inner)
    return inner
  end
  function how.is_spent() return o.budget ~= nil and spent.runs >= o.budget end
  local inside = require "lib/merges"
  series.changes = flat(series.changes, function(change) return inside(change, how) end)
  if how.is_spent() and find(series.changes, function(change) return change.open end) then
    series.why = series.why or string.format("the budget of %d runs was used %s", o.budget,
      #series.side_asked > 0 and "inside the merge" or "before the merge was searched")
  end
end

-- The pins that a commit bumps: where to go on. nil as well where a partial clone lacks a file.
local function bumped(repo, commit)
  if commit.repo then repo, commit = repo.repos[commit.repo], commit.commits[commit.repo] end
  local ok, pins = pcall(require("lib/pins/found").of_commit, repo, commit)
  return ok and #pins > 0 and pins or nil
end

-- Writes what was measured as `git bisect replay` reads it. On which side a commit lies follows from the first change.
local function write_log(series, o)
  local change, old, new = series.changes[1], "good", "bad"
  local start = "git bisect start" .. (o.first_parent and " '--first-parent'" or "")
  if o.terms then old, new = o.terms.good, o.terms.bad elseif o.find == "fix" then old, new = "fixed", "broken" end
  if o.find == "fix" then old, new = new, old end
  if old ~= "good" then start = string.format("%s '--term-old=%s' '--term-new=%s'", start, old, new) end
  local lines, first_new = { start }, nil  -- which comes last: git goes by the last new one
  for _, point in ipairs(change and flat { series.points, series.side_points } or {}) do
    local word = point.status ~= "ok" and "skip" or o.repo:is_ancestor(change.first_bad, point.id) and new or old
    local line = string.format("# %s: [%s] %s\ngit bisect %s %s", word, point.id,
      (point.subject or {}).subject or point.label, word, point.id)
    if point.id == change.first_bad then first_new = line else lines[#lines + 1] = line end
  end
  lines[#lines + 1] = first_new
  reg.fs.write(o.log, table.concat(lines, "\n") .. "\n")
end

---@class bisect.Options: sweep.Options
---@field repo? git.Repo the repository of the commits, to follow merges into their branches
---@field first_parent? boolean do not follow merges
---@field find? "regression"|"fix" what made it bad; or the fix: then the first commit is bad and the last one good
---@field terms? { good: string, bad: string } what the answer calls the two, as --term-old and --term-new of git bisect
---@field log? string file to write what was measured to, as `git bisect replay` reads it; needs `repo`
---@field skip? string[] revisions and ranges A..B, as git has them, that are neither built nor tested; needs `repo`

--- Finds the commit of a line, good first and bad last, that changed a number (`measure`) or broke a test (`passes`).
--- Both ends are run first. It stops with the verdict "inconclusive" if the good end cannot be built or tested, or if a
--- test that is not `flaky` fails at the good end or passes at the bad one. With what reg.history returns without a
--- good revision, it goes back to a good commit first. Units are those of reg.sweep, whose options it takes. Raises
--- usage for fewer than two commits or neither function.
--- ```lua
--- local repo = reg.git.open "."
--- local series = reg.bisect(reg.history(repo, "v1.0", "main"), {
---   repo = repo, passes = function(commit, trial) return trial:passes { cmd = { "./test", commit.id } } end,
--- })
--- ```
---@param commits git.Commit[]|fun(n: integer): git.Commit[], boolean
---@param options bisect.Options
---@return sweep.Series series
return function(commits, o)
  local goes_back = type(commits) == "function"
  if type(commits) ~= "table" and not goes_back or type(o) ~= "table" or not (o.measure or o.passes) then
    core.fail("usage", "bisect: takes a list of commits, good first, and { measure = ... } or { passes = ... }")
  end
  if not goes_back and #commits < 2 then
    core.fail("usage", "bisect: needs a good commit and a bad one after it, but the list has " .. #commits)
  end
  local excluded, spent = excluded_of(o, commits), { runs = 0, trials = {} }
  local series = search(commits, o, excluded, spent)
  check_bad_end(series, o.find)
  local named = series.ends and not goes_back and commits.named
  for name, called in pairs(named or {}) do series.ends[name] = called end
  series.side_points, series.side_asked = {}, {}
  if series.verdict == "machine_changed" then return series end
  if o.repo and not o.first_parent and #series.changes > 0 then follow_merges(series, o, commits, excluded, spent) end
  name_sides(series, o)
  for _, change in ipairs(o.repo and series.changes or {}) do
    if change.untested == 0 then change.files, change.pins = o.repo:files(change.hi), bumped(o.repo, change.hi) end
  end
  if o.log and not series.dry then write_log(series, o) end
  return series
end
