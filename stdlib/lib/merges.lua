-- The changes inside of one that was found between two commits of a line, where merges lie between them. By pass and
-- fail the commit that brought it is looked for as `git bisect` does: whatever a good commit contains is good. By number
-- the branches may have several changes; each is named, with the numbers of its own sides. What they leave of the
-- change is that of the merge itself, or of commits that could not be tested.

local Branches = require "lib/branches"

local SURE = 3            -- standard errors
local WIDTH = 2 * 1.96    -- of a 95 % interval, in standard errors
local NEAR = 4            -- times as near
local ROUNDED = 1e-9      -- of numbers without noise

local inside = {}

-- The commits from a change's earlier side, without it, to its later one.
local function stretch_of(change)
  local list = {}
  for i, one in ipairs(change.candidates or {}) do list[i] = one.subject end
  return #list > 0 and list or { change.hi }
end

-- Notes that any of these commits may have brought the change; about `runs` more, if not 0, would say which.
local function narrow(change, left, runs)
  change.untested, change.candidates = #left - 1, nil
  if #left == 1 then return change end
  if runs > 0 then
    change.open, change.runs_to_name = true, runs
    return change
  end
  change.candidates = {}
  for i, subject in ipairs(left) do
    change.candidates[i] = { id = subject.id, label = subject.label or subject.short or subject.id, subject = subject }
  end
  return change
end

-- Notes which merge of the line brought in each of these changes.
local function add_merges(found, branches)
  for _, change in ipairs(found) do change.merge = (branches:find(change.hi) or {}).by end
  return found
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
  for subject, held in o.range():beside(left) do
    local kept = {}
    for _, one in ipairs(left) do kept[#kept + 1] = not held[Branches.commit_of(one)] and one or nil end
    if #kept < #left then
      local found = last_like(change, o.search { change.lo, subject, change.hi })
      if found and found.lo == subject then left = kept end
      held.failed = found and found.hi == subject or nil
    end
  end
  return left
end

function inside.outcome(change, o, within)
  local branches, runs = Branches.new(o.repo, stretch_of(change), within), 0
  local chain, before = branches:next()
  while chain do
    local line = { change.lo, before and before.id ~= change.lo.id and before or nil }
    table.move(chain, 1, #chain, #line + 1, line)
    line[#line + 1] = change.hi
    local series = o.search(line)
    local found = last_like(change, series)
    if found and found.hi ~= change.hi and branches:find(found.hi) then
      return add_merges(inside.outcome(found, o, branches), branches)
    elseif found and found.hi ~= change.hi then
      branches:clear(chain[#chain])  -- it failed before the branch began
    elseif found and branches:find(found.lo) then
      branches:clear(found.lo)
    elseif not found then
      runs = runs + (series.runs_to_resolve or 0)
    end
    chain, before = branches:next()
  end
  return { narrow(change, without_good(change, branches:left(), o), runs) }
end

-- The first and the last point with a number.
local function ends_of(points)
  local first, last
  for _, point in ipairs(points) do
    if point.value then first, last = first or point, point end
  end
  return first, last
end

-- The size of a change, and its variance: the difference of its levels, or of their logarithms.
local function size(change, log, flaky)
  local err = ((change.effect_high or 0) - (change.effect_low or 0)) / WIDTH
  if log then return math.log(change.after / change.before), (err * change.before / change.after) ^ 2 end
  return change.after - change.before, (flaky and err or err * change.before) ^ 2
end

-- What the changes that were found leave of this one, and its standard error; nil where they are all of it.
local function rest_of(change, found, log, o)
  local rest, variance = size(change, log, o.flaky)
  for _, one in ipairs(found) do
    local own, own_variance = size(one, log, o.flaky)
    rest, variance = rest - own, variance + own_variance
  end
  local scale = (log or o.flaky) and 1 or math.max(math.abs(change.before), math.abs(change.after))
  local err = math.sqrt(variance)
  if math.abs(rest) > SURE * err + (ROUNDED + (o.min_effect or 0)) * scale then return rest, err end
end

local function all_positive(change, found)
  for _, one in ipairs(found) do
    if one.before <= 0 or one.after <= 0 then return false end
  end
  return change.before > 0 and change.after > 0
end

-- What the changes inside of one leave of it, as the difference of levels and of their logarithms, each with its standard
-- error; nil where that is nothing: their differences add up to it, or their ratios do.
local function left_of(change, found, o)
  local rest, err = rest_of(change, found, false, o)
  local log = not o.flaky and all_positive(change, found)
  local of_log, err_of_log
  if rest and log then of_log, err_of_log = rest_of(change, found, true, o) end
  if rest and (of_log or not log) then return rest, err, of_log, err_of_log end
end

-- Makes of a change what these ones leave of it; nil where that is nothing.
local function take_off(change, found, o)
  local rest, err, log, err_of_log = left_of(change, found, o)
  if not rest then return nil end
  local before, of_ratios = change.after - rest, log and change.after * math.exp(-log)
  if log and math.abs(of_ratios - before) > ROUNDED * math.abs(before) then before = of_ratios end
  for _, side in ipairs { "before_low", "before_high" } do
    change[side] = change[side] and change[side] + before - change.before
  end
  err = log and err_of_log * change.after / before or o.flaky and err or err / before
  change.before, change.ratio = before, change.after / before
  change.effect = o.flaky and change.after - before or change.ratio - 1
  change.effect_low, change.effect_high = change.effect - WIDTH / 2 * err, change.effect + WIDTH / 2 * err
  return change
end

-- Adds what was found on a branch, if it is new and of the commits of these branches. They may have merged others: a
-- change that may be of those goes to `doubtful`.
local function add(found, doubtful, more, branches)
  for _, change in ipairs(more) do
    local is_new, all = branches:find(change.hi) ~= nil, true
    for _, one in ipairs(stretch_of(change)) do all = all and branches:find(one) ~= nil end
    for _, one in ipairs(found) do is_new = is_new and one.first_bad ~= change.first_bad end
    if is_new then table.insert(all and found or doubtful, change) end
  end
end

-- The line up to where a branch begins. If that is a commit that could not be tested, it begins before the change.
local function up_to(before, change)
  local line = { change.lo }
  for _, subject in ipairs(before and change.untested > 0 and stretch_of(change) or {}) do
    line[#line + 1] = subject
    if subject.id == before.id then return line end
  end
  return { before }
end

function inside.number(change, o)
  local branches, found, runs, tips = Branches.new(o.repo, stretch_of(change)), {}, 0, {}
  local doubtful = {}
  local chain, before = branches:next()
  while chain do
    local line = up_to(before, change)
    table.move(chain, 1, #chain, #line + 1, line)
    local series = #line > 1 and o.search(line)
    for _, one in ipairs(series and series.changes or {}) do add(found, doubtful, inside.of(one, o), branches) end
    local first, last = ends_of(series and series.points or {})
    if series and (series.verdict == "no_change" or series.verdict == "changes" and not series.spread) then
      branches:clear(last.subject, first.subject)
    elseif series then
      runs = runs + (series.runs_to_resolve or 0)
    end
    tips[#tips + 1] = last
    chain, before = branches:next()
  end
  local with = table.move(doubtful, 1, #doubtful, #found + 1, table.move(found, 1, #found, 1, {}))
  if #doubtful > 0 and not left_of(change, with, o) then found = with end
  if #found == 0 then return { narrow(change, branches:left(), runs) } end
  local level = change.before
  if take_off(change, found, o) then
    -- What remains is beside the tip of a branch that has all that was found.
    for _, tip in ipairs(tips) do
      if NEAR * math.abs(tip.value - change.before) < math.abs(level - change.before) then
        change.lo, change.last_good = tip.subject, tip.id
      end
    end
    found[#found + 1] = narrow(change, branches:left(), runs)
  end
  branches:sort(found)
  return add_merges(found, branches)
end

--- The changes inside of one of a series, in order, or itself. `o`: repo; passes, flaky, has_noise and min_effect of the
--- search; search(line), which searches the commits of a branch and returns a series.
function inside.of(change, o)
  if change.kind ~= "step" or change.open then return { change } end
  return o.passes and not o.flaky and inside.outcome(change, o) or inside.number(change, o)
end

return inside.of
