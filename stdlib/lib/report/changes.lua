-- Changes: where they lie among the points of a series, which are numbered from 1, and what they are in words: as a
-- sentence of a title, and as lines like those that `git bisect` prints for its culprit.

local map = require("lib/values").map
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"

local changes = {}

local MOST_NAMED = 4  -- candidates in a title
local MOST_CANDIDATES = 10
local MOST_FILES = 10

--- { from = last point before, to = first point after, or the merge, change =, recovery = whether it ends here }.
function changes.edges(points, list)
  local place_of, edges = {}, {}
  for i, point in ipairs(points) do place_of[tostring(point.id)] = place_of[tostring(point.id)] or i end
  local function add(change, last, first, recovery)
    local to = place_of[tostring(first)]
    local from = to and (place_of[tostring(last)] or to - 1)
    if from and from > 0 and from < to then
      edges[#edges + 1] = { from = from, to = to, change = change, recovery = recovery }
    end
  end
  for _, change in ipairs(list) do
    local count = #edges
    add(change, not change.merge and change.last_good or nil, change.merge or change.first_bad, false)
    if #edges > count then add(change, change.still_bad, change.recovered_at, true) end
  end
  table.sort(edges, function(a, b) return a.to < b.to end)
  return edges
end

--- { first = point, last = point, value =, low =, high = } of each level between these edges, in order.
function changes.levels(points, edges)
  local found = {}
  local function add(edge, after, first, last)
    local change, side = edge.change, (edge.recovery or false) ~= after and "after" or "before"
    if last < first or not read.number(change[side]) then return end
    found[#found + 1] = { first = first, last = last, value = change[side], low = read.number(change[side .. "_low"]),
      high = read.number(change[side .. "_high"]) }
  end
  for i, edge in ipairs(edges) do
    local previous = edges[i - 1]
    -- After a temporary change the level is only about what it was before; the next change has an estimate of its own.
    local known = previous and not previous.recovery
    add(known and previous or edge, known or false, previous and previous.to or 1, edge.from)
    if i == #edges then add(edge, true, edge.to, #points) end
  end
  return found
end

--- What the subjects on both sides of a change are called. Only a regression has a bad and a good side, and a fix that
--- was searched; --term-good and --term-bad name them.
function changes.sides(change)
  if change.called then return change.called.first, change.called.last end
  if change.role == "regression" then return "first bad", "last good" end
  return "first new", "last old"
end

-- How many subjects a change may be of; where a finer search found it, commits.
local function how_many(change, found)
  return numbers.count(change.untested + 1, names.is_commit(change.hi) and "commit" or found.thing)
end

local function both_sides(change, found, name)
  return string.format("%s and %s (%s)", name(change.lo, change.last_good), name(change.hi, change.first_bad),
    how_many(change, found))
end

-- "a1, b2, c3", or "a1 to f6" of many.
local function named(candidates)
  local list = map(candidates, function(one) return names.short(one.subject, one.id) end)
  if #list > MOST_NAMED then return list[1] .. " to " .. list[#list] end
  return table.concat(list, ", ")
end

-- Where a change lies, in a sentence. `before` stands before the name of a single subject, `at` before several.
local function where(change, found, name, before, at)
  local of = change.culprit or change
  if of.open then return " between " .. both_sides(of, found, name) end
  if of.untested == 0 then return before .. name(of.hi, of.first_bad) end
  local text = at .. "one of these " .. how_many(of, found)
  return #of.candidates > 0 and text .. " (" .. named(of.candidates) .. ")" or text
end

-- The same with the end of a temporary change.
local function when(change, found, name, before)
  if change.kind ~= "dip" or not change.recovered_at then return where(change, found, name, before, " at ") end
  local ended = change.culprit_of_end
  return where(change, found, name, " from ", " from ") .. " until"
    .. (ended and where(ended, found, name, " ", " ") or " " .. name(change.leave_hi, change.recovered_at))
end

local function test_of(change)
  return change.after > change.before and "test fails" or "test passes" .. (change.called and "" or " again")
end

--- The size of a change, "-12 %", and its interval or nil; "0 to 3" without a size; of a test "fails" or "passes".
function changes.effect(change, found)
  if found.kind == "test" then return change.after > change.before and "fails" or "passes" end
  local size, interval = numbers.effect(change, found)
  return size or string.format("%s to %s", numbers.pair(change, found)), interval
end

--- A change as a title: 'MLUPS fell by 12 %: first bad 2024-03-11'.
function changes.title(change, found)
  local before, after = numbers.pair(change, found)
  local what
  if found.kind == "test" then
    what = "The " .. test_of(change)
  elseif found.kind == "flaky" then
    what = string.format("The failure rate %s from %s to %s", change.after < change.before and "fell" or "rose", before,
      after)
  else
    local factor, _, percentage = numbers.effect(change, found)
    local moved = change.after < change.before and "fell " or "rose "
    what = found.metric .. " " .. (percentage and moved .. "by " .. percentage or factor
      or string.format("%sfrom %s to %s", moved, before, after))
  end
  return what .. when(change, found, names.quoted, ": " .. changes.sides(change) .. " ")
end

--- A change in the list of a title: '-12 % at 2024-03-11'.
function changes.listed(change, found)
  return changes.effect(change, found) .. when(change, found, names.short, " at ")
end

--- "regression", "temporary change".
function changes.role(change)
  return (change.kind == "dip" and "temporary " or "") .. (change.called and change.called.role or change.role)
end

-- "2 files changed: src/a.c (+3 -1), b.png (binary)".
local function files_changed(files)
  local list = map(files, function(file)
    return file.path .. (file.binary and " (binary)" or (" (+%d -%d)"):format(file.insertions, file.deletions))
  end)
  return numbers.count(#files, "file") .. " changed: " .. numbers.some(list, MOST_FILES, ", ")
end

-- Who may have brought a change: the one subject, as `git bisect` prints it; the candidates; or where it lies. `finer`:
-- the change is that of a finer search, and the label stays.
local function add_culprit(label, change, found, add, finer)
  if change.open then
    local runs = change.runs_to_name
    add(finer and label or "between", (finer and "between " or "") .. both_sides(change, found, names.short)
      .. (runs > 0 and "; about " .. numbers.count(runs, "more run") .. " would name one" or ""))
  elseif change.untested > 0 then
    add(finer and label or "one of", string.format("%sthese %s; %d could not be tested", finer and "one of " or "",
      how_many(change, found), change.untested))
    names.folded(change.candidates, MOST_CANDIDATES, function(candidate)
      local failed = candidate.status and candidate.status ~= "ok" and "   " .. names.status(candidate.status) or ""
      add("", names.full(candidate.subject, candidate.id) .. failed)
    end, function(more) add("", string.format("... %d more: --json lists them", more)) end)
  else
    add(label, names.full(change.hi, change.first_bad))
    if names.author(change.hi) then add("", names.author(change.hi)) end
    if #change.files > 0 then add("", files_changed(change.files)) end
  end
end

local function change_text(change, found)
  local first, last = changes.sides(change)
  local what = found.kind == "test" and "the " .. test_of(change)
    or (found.flaky and "failure rate " or found.metric .. " ") .. numbers.moved(change, found)
  local lines = { string.format("%s   %s%s", changes.role(change):upper(), what,
    change.p and (found.passes or found.kind ~= "test") and "   confidence " .. numbers.confidence(change.p) or "") }
  local function add(label, text) lines[#lines + 1] = string.format("  %-10s  %s", label, text) end
  add_culprit(first, change, found, add)
  local failing = found.kind == "test" and found.by_id[change.first_bad] or {}
  if failing.value == 1 and failing.message then add("output", failing.message) end  -- the line of --crash
  add(last, names.full(change.lo, change.last_good))
  local label = "commits"
  names.folded({ table.unpack(change.brought, 2) }, MOST_CANDIDATES, function(commit)
    add(label, names.full(commit))
    label = ""
  end, function(more) add("", string.format("... %d more", more)) end)
  if change.merge then add("merged by", change.merge) end
  if change.culprit then add_culprit("culprit", change.culprit, found, add, true) end
  if change.recovered_at then
    add(change.role == "regression" and "recovered" or "until", names.full(change.leave_hi, change.recovered_at))
  end
  if change.culprit_of_end then add_culprit("ended by", change.culprit_of_end, found, add, true) end
  return table.concat(lines, "\n")
end

--- The changes to list: the text of each, how much of it names the role, and the role.
function changes.all(found)
  return map(found.listed, function(change)
    return { role = change.role, head = #changes.role(change), text = change_text(change, found) }
  end)
end

return changes
