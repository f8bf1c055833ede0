-- The changes inside of one that was found between two commits of a line, where merges lie between them. By pass and
-- fail this looks for the commit that brought it as `git bisect` does: whatever a good commit contains is good. By
-- number the branches may have several changes: it names each, with the numbers of its own sides. What they leave of
-- the change came with the merge itself, or with commits that cannot be tested.

local values = require "lib/values"

local find, flat, map, only = values.find, values.flat, values.map, values.only

local SURE = 4            -- standard errors
local WIDTH = 2 * 1.96    -- of a 95 % interval, in standard errors
local NEAR = 4            -- times as near
local ROUNDED = 1e-9      -- of numbers without noise

-- The commits among which a change lies, along all parents: those from its earlier side, without it, up to its later
-- one. Of states of reg.repos these are states too, each with the other repositories as they are in the merge.
local Branches = {}
Branches.__index = Branches

local function commit_of(subject) return subject.repo and subject.commits[subject.repo].id or subject.id end

--- `stretch`: the subjects of a line after the earlier side, up to the later one. `within`: of an earlier one of these;
--- only what is left in it counts.
function Branches.new(repo, stretch, within)
  local self = setmetatable({ repo = repo, list = {}, node = {}, tried = {}, cleared = {} }, Branches)
  for _, subject in ipairs(stretch) do
    local brought = #subject.parents < 2 and { subject } or subject.repo and repo:branch(subject)
      or repo:between(subject.parents[1], subject.id)  -- what a commit of the line brought in, itself last
    for _, one in ipairs(brought) do
      local id = commit_of(one)
      if not self.node[id] and (not within or within.node[id] and not within.cleared[id]) then
        self.list[#self.list + 1] = id
        self.node[id] = { subject = one, at = #self.list, by = id ~= commit_of(subject) and subject.id or nil }
      end
    end
    self.tried[commit_of(subject)] = true
  end
  return self
end

--- The node of a subject: { subject =, by = the id of the merge on the line that brought it in }; nil for any other.
function Branches:find(subject) return self.node[commit_of(subject)] end

--- The newest commits that were not returned yet, along first parents, oldest first, and the one before them, which may
--- be nil, as at the edge of a shallow clone; nil when all were.
function Branches:next()
  local chain, at = {}, #self.list
  while at > 0 and self.tried[self.list[at]] do at = at - 1 end
  local id, oldest = self.list[at], nil
  if not id then return nil end
  while self.node[id] and not self.tried[id] do
    self.tried[id], oldest = true, self.node[id].subject
    chain[#chain + 1], id = oldest, oldest.parents[1]
  end
  for i = 1, #chain // 2 do chain[i], chain[#chain + 1 - i] = chain[#chain + 1 - i], chain[i] end
  local before = self.node[id] and self.node[id].subject
  return chain, before or id and (oldest.repo and self.repo:with(oldest, id) or self.repo:find(id))
end

--- The change is in none of the commits up to `last` that are not in the history of `first`, which may be nil.
function Branches:clear(last, first)
  local function history(subject)
    local seen, rest = {}, { subject and commit_of(subject) }
    while #rest > 0 do
      local id = table.remove(rest)
      local node = self.node[id]
      if node and not seen[id] then
        seen[id] = true
        table.move(node.subject.parents, 1, #node.subject.parents, #rest + 1, rest)
      end
    end
    return seen
  end
  local kept = history(first)
  for id in pairs(history(last)) do
    if not kept[id] then self.cleared[id], self.tried[id] = true, true end
  end
end

--- Each commit, oldest first, that contains some of these and not the last of them, with a table of these by commit.
--- Those after one for which the caller sets `failed` in it are left out.
function Branches:beside(subjects)
  local held, own, last, at = {}, values.set(map(subjects, commit_of)), commit_of(subjects[#subjects]), 0
  return function()
    while at < #self.list do
      at = at + 1
      local id, all = self.list[at], {}
      for _, parent in ipairs(self.node[id].subject.parents) do
        for key in pairs(held[parent] or {}) do all[key] = true end
      end
      if own[id] then all[id] = true end
      held[id] = all
      if next(all) and not (all[last] or all.failed or own[id]) then return self.node[id].subject, all end
    end
  end
end

--- Those that may hold the change, the newest last.
function Branches:left()
  return map(self.list, function(id) return not self.cleared[id] and self.node[id].subject or nil end)
end

local inside = {}

-- The commits from a change's earlier side, without it, to its later one.
local function stretch_of(change)
  local list = map(change.candidates or {}, function(one) return one.subject end)
  return #list > 0 and list or { change.hi }
end

-- Notes that any of these commits may have brought the change; about `runs` more, if not 0, would say which. `is_cut`:
-- the budget was spent before all of them were searched.
local function narrow(change, left, runs, is_cut)
  change.untested, change.candidates = #left - 1, nil
  if #left == 1 then return change end
  if runs > 0 or is_cut then
    change.open, change.runs_to_name = true, runs
    return change
  end
  change.candidates = map(left, function(subject)
    return { id = subject.id, label = subject.label or subject.short or subject.id, subject = subject }
  end)
  return change
end

-- The last of a search's changes in this direction; by pass and fail there is one, unless it was fixed on the way.
local function last_like(change, series)
  for i = #series.changes, 1, -1 do
    local one = series.changes[i]
    if one.kind == "step" and (one.after > one.before) == (change.after > change.before) then return one end
  end
end

-- Those of the commits, all but the last of which cannot be tested, that may have brought the change: none that another
-- commit of the whole range contains, without the last one, that is good.
local function without_good(change, left, o)
  if #left == 1 then return left end
  for subject, held in Branches.new(o.repo, o.range):beside(left) do
    local kept = only(left, function(one) return not held[commit_of(one)] end)
    if #kept < #left and not o.is_spent() then
      local found = last_like(change, o.search { change.lo, subject, change.hi })
      if found and found.lo == subject then left = kept end
      held.failed = found and found.hi == subject or nil
    end
  end
  return left
end

function inside.outcome(change, o, branches)
  local runs, chain, before = 0, branches:next()
  while chain and not o.is_spent() do
    local after_lo = before and before.id ~= change.lo.id and { before } or {}
    local series = o.search(flat { { change.lo }, after_lo, chain, { change.hi } })
    local found = last_like(change, series)
    if found and found.hi ~= change.hi and branches:find(found.hi) then
      return inside.of(found, o, branches)
    elseif found and found.hi ~= change.hi then
      branches:clear(chain[#chain])  -- it failed before the branch began
    elseif found and branches:find(found.lo) then
      branches:clear(found.lo)
    elseif not found then
      runs = runs + (series.runs_to_resolve or 0)
    end
    chain, before = branches:next()
  end
  return { narrow(change, without_good(change, branches:left(), o), runs, chain ~= nil) }
end

-- What these changes leave of another one, as the difference of the levels or, with `log`, of their logarithms; nil if
-- that is nothing beyond the noise.
local function rest_of(change, found, o, log)
  local rest, variance = 0, 0
  for i = 0, #found do
    local one = found[i] or change
    local size, err = one.after - one.before, ((one.effect_high or 0) - (one.effect_low or 0)) / WIDTH
    if log then
      size, err = math.log(one.after / one.before), err * one.before / one.after
    elseif not o.flaky then
      err = err * one.before
    end
    rest, variance = rest + (i == 0 and size or -size), variance + err ^ 2
  end
  local scale = (log or o.flaky) and 1 or math.max(math.abs(change.before), math.abs(change.after))
  return math.abs(rest) > SURE * math.sqrt(variance) + (ROUNDED + (o.min_effect or 0)) * scale and rest or nil
end

-- The level before a change without what is inside of it; nil where that is all of it: the differences of the levels
-- add up to it, or their ratios do.
local function level_before(change, changes, o)
  local found = only(changes, function(one) return one.kind == "step" end)
  if #found == 0 then return change.before end
  local function has_no_ratio(one) return one.before * one.after <= 0 end
  local rest, log = rest_of(change, found, o), not (o.flaky or has_no_ratio(change) or find(found, has_no_ratio))
  local of_log = rest and log and rest_of(change, found, o, true)
  if not rest or log and not of_log then return nil end
  local before, by_ratios = change.after - rest, log and change.after * math.exp(-of_log) or change.after - rest
  return math.abs(by_ratios - before) > ROUNDED * math.abs(before) and by_ratios or before
end

-- Adds what was found on a branch, if it is new and of the commits of these branches. They may have merged others: a
-- change that may be of those goes to `doubtful`.
local function add(found, doubtful, more, branches)
  for _, change in ipairs(more) do
    local is_known = find(found, function(one) return one.first_bad == change.first_bad end)
    local is_doubtful = find(stretch_of(change), function(one) return not branches:find(one) end)
    if branches:find(change.hi) and not is_known then table.insert(is_doubtful and doubtful or found, change) end
  end
end

-- Makes of a change what is left of it from this level on. That is the level of the tip of a branch which has all that
-- was found, if there is one.
local function begin_at(before, change, tips, flaky)
  local is_difference = flaky or change.effect == change.after - change.before
  for _, tip in ipairs(tips) do
    if NEAR * math.abs(tip.value - before) < math.abs(change.before - before) then
      change.lo, change.last_good = tip.subject, tip.id
    end
  end
  for _, name in ipairs { "before_low", "before_high", "effect_low", "effect_high" } do change[name] = nil end
  change.before, change.ratio = before, change.after / before
  change.effect = is_difference and change.after - before or change.ratio - 1
end

function inside.number(change, o, branches)
  local found, doubtful, tips, runs, chain, before = {}, {}, {}, 0, branches:next()
  while chain and not o.is_spent() do
    table.insert(chain, 1, before)
    local series = o.search(chain)
    for _, one in ipairs(series.changes) do add(found, doubtful, inside.of(one, o), branches) end
    local measured = only(series.points, function(point) return point.value end)
    if series.verdict == "no_change" or series.verdict == "changes" and not series.spread then
      branches:clear(measured[#measured].subject, measured[1].subject)
    else
      runs = runs + (series.runs_to_resolve or 0)
    end
    tips[#tips + 1] = measured[#measured]
    chain, before = branches:next()
  end
  local with = flat { found, doubtful }
  if #doubtful > 0 and not level_before(change, with, o) then found = with end
  local level = level_before(change, found, o)
  if level and level ~= change.before then begin_at(level, change, tips, o.flaky) end
  if level then found[#found + 1] = narrow(change, branches:left(), runs, chain ~= nil) end
  table.sort(found, function(a, b) return branches:find(a.hi).at < branches:find(b.hi).at end)
  return found
end

local PLACE = { "lo", "hi", "last_good", "first_bad", "untested", "candidates", "merge", "open", "runs_to_name" }

-- A temporary change, which begins with the one change that is inside of its beginning.
local function begun_by(change, o)
  local found = inside.of(values.merged(change, { kind = "step" }), o)
  for _, name in ipairs(#found == 1 and PLACE or {}) do change[name] = found[1][name] end
  return { change }
end

--- The changes inside of one of a series, in order, or itself. `o`: repo, passes, flaky and min_effect of reg.bisect;
--- search(line), which searches the commits of a branch and returns a series; is_spent(): whether its budget is; range,
--- the commits of the whole line after the first one; good, its first commit, if that is known.
function inside.of(change, o, within)
  if change.open then return { change } end
  if change.kind == "dip" then return begun_by(change, o) end
  local branches, by_outcome = Branches.new(o.repo, stretch_of(change), within), o.passes and not o.flaky
  if by_outcome and o.good then branches:clear(o.good) end
  local found = inside[by_outcome and "outcome" or "number"](change, o, branches)
  for _, one in ipairs(found) do one.merge = (branches:find(one.hi) or {}).by end
  return found
end

return inside.of
