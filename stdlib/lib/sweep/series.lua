-- From places to subjects: what a session found, as scripts and reg.report see it.

local trials = require "lib/sweep/trial"

local series = {}

local ESTIMATES = { "before", "after", "effect" }
local COPIED = { "kind", "p", "ratio" }
for _, name in ipairs(ESTIMATES) do
  for _, suffix in ipairs { "", "_low", "_high" } do COPIED[#COPIED + 1] = name .. suffix end
end

--- The changes of an answer, of these subjects.
function series.changes(found, subjects, ids)
  local changes = {}
  for i, change in ipairs(found) do
    local c = { lo = subjects[change.lo], hi = subjects[change.hi], last_good = ids[change.lo], first_bad = ids[change.hi],
      untested = change.hi - change.lo - 1 }
    for _, name in ipairs(COPIED) do c[name] = change[name] end
    if change.leave_hi then
      c.still_bad, c.recovered_at = ids[change.leave_lo], ids[change.leave_hi]
      c.leave_lo, c.leave_hi = subjects[change.leave_lo], subjects[change.leave_hi]
    end
    changes[i] = c
  end
  return changes
end

-- A failure rate is a mean, a level a median.
local function level(values, flaky)
  if not flaky then return trials.median(values) end
  local sum = 0
  for _, value in ipairs(values) do sum = sum + value end
  return sum / #values
end

-- Places that are shown: those that were asked for, and both sides of every change, which may stand for another of its build.
local function shown(session, found)
  local places = {}
  for _, entry in ipairs(session.asked) do places[entry.place] = true end
  for _, change in ipairs(found) do
    for _, side in ipairs { "lo", "hi", "leave_lo", "leave_hi" } do
      if change[side] then places[change[side]] = true end
    end
  end
  return places
end

--- One point for each subject that is shown, in order.
function series.points(session, found)
  local of_head = {}
  for _, entry in ipairs(session.asked) do
    local head = session.head[entry.place]
    local all = of_head[head] or { values = {}, trials = {} }
    of_head[head] = all
    table.insert(all.trials, entry.trial)
    all.suspect = entry.suspect or all.suspect
    if entry.value then table.insert(all.values, entry.value) else all.failed = entry end
  end
  local points, places = {}, shown(session, found)
  for i, subject in ipairs(session.subjects) do
    local all = places[i] and of_head[session.head[i]]
    if all then
      local point = { id = session.ids[i], label = session.labels[i], index = i, subject = subject, values = all.values,
        trials = all.trials, status = "ok" }
      if #all.values > 0 then
        point.value = level(all.values, session.asking.kind == "flaky")
        point.message = all.suspect and "suspect: " .. table.concat(all.suspect, ", ")
      else
        point.status, point.message = all.failed.status, all.failed.message
      end
      points[#points + 1] = point
    end
  end
  return points
end

--- Where a change may lie that was not narrowed down.
function series.doubts(found, ids, labels)
  local doubts = {}
  for i, doubt in ipairs(found) do
    doubts[i] = { p = doubt.p, after = ids[doubt.lo], upto = ids[doubt.hi], label = labels[doubt.lo] .. ".." .. labels[doubt.hi] }
  end
  return doubts
end

return series
