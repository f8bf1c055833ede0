-- What a session found, in terms of its subjects: the series that scripts, reports and the answer use.

---@class sweep.Change: report.Change, search.Change
---@field lo any the subject last_good
---@field hi any the subject first_bad
---@field untested integer subjects between the two that have no number; of an open change all subjects between
---@field candidates? sweep.Candidate[] with `untested` above 0: the subjects any of which may have brought the change
---@field files? git.File[] with reg.bisect and `repo`: what the commit changed
---@field called? { first: string, last: string, role: string? } with `find` or `terms`: "first slow", "last fast"
---@field culprit? sweep.Change what a finer search found between lo and hi, if the script sets it; the answer names it
---@field culprit_of_end? sweep.Change of a temporary change: the same for its end
---@field leave_lo? any of a temporary change: its last subject
---@field leave_hi? any of a temporary change: the subject recovered_at
---@field still_bad? string of a temporary change: id of leave_lo
---@field merge? string with reg.bisect: id of the merge that brought the commit in

---@class sweep.Candidate
---@field id string
---@field label string
---@field subject any

---@class sweep.Doubt
---@field label string where a change may lie, as "s012..s040"
---@field after string id of the subject before it
---@field upto string id of the last subject that may have brought it
---@field p number its probability

local question = require "lib/sweep/question"
local values_of = require "lib/values"

local map, merged = values_of.map, values_of.merged

-- The subjects between the sides of a change that could not be tested, and the first one after it that could.
local function candidates_of(session, change)
  if change.open or change.hi - change.lo == 1 then return nil end
  return map({ table.unpack(session.subjects, change.lo + 1, change.hi) }, function(subject, i)
    return { id = session.ids[change.lo + i], label = session.labels[change.lo + i], subject = subject }
  end)
end

-- The changes of the search in terms of the subjects.
local function changes_of(session, found)
  local subjects, ids = session.subjects, session.ids
  for _, c in ipairs(found) do
    c.untested, c.candidates = c.hi - c.lo - 1, candidates_of(session, c)
    c.last_good, c.first_bad, c.lo, c.hi = ids[c.lo], ids[c.hi], subjects[c.lo], subjects[c.hi]
    if session.asking.kind == "exact" then
      c.before, c.after = math.tointeger(c.before) or c.before, math.tointeger(c.after) or c.after
    end
    if c.leave_hi then
      c.still_bad, c.recovered_at = ids[c.leave_lo], ids[c.leave_hi]
      c.leave_lo, c.leave_hi = subjects[c.leave_lo], subjects[c.leave_hi]
    end
  end
  return found
end

-- The level of a flaky test is its failure rate, a mean; any other level is a median.
local function level(values, flaky) return flaky and values_of.sum(values) / #values or values_of.median(values) end

-- The places to show: those that were asked for, and the sides of every change, which may stand for another one.
local function shown(session, found)
  local places = values_of.set(map(session.asked, function(entry) return entry.place end))
  question.each_side(found, function(place) places[place] = true end)
  return places
end

-- The runs of each build, by the first place of the build.
local function runs_by_build(session)
  local runs = {}
  for _, entry in ipairs(session.asked) do
    local head = session.head[entry.place]
    local build = runs[head] or { values = {}, trials = {} }
    runs[head] = build
    table.insert(build.trials, entry.trial)
    build.suspect = entry.suspect or build.suspect
    if entry.value then table.insert(build.values, entry.value) else build.failed = entry end
    if entry.value and (entry.message or "") ~= "" then build.crash = build.crash or entry.message end
  end
  return runs
end

local function point_of(session, i, status, message, build)
  return { id = session.ids[i], label = session.labels[i], index = i, subject = session.subjects[i], status = status,
    message = message, values = build and build.values or {}, trials = build and build.trials or {} }
end

-- One point for each subject that is shown, in order.
local function points_of(session, found)
  local runs, points, places = runs_by_build(session), {}, shown(session, found)
  for i = 1, #session.subjects do
    local build = places[i] and runs[session.head[i]]
    if build and #build.values > 0 then
      local message = build.suspect and "suspect: " .. table.concat(build.suspect, ", ") or build.crash
      points[#points + 1] = point_of(session, i, "ok", message or nil, build)
      points[#points].value = level(build.values, session.asking.kind == "flaky")
    elseif build then
      points[#points + 1] = point_of(session, i, build.failed.status, build.failed.message, build)
    end
  end
  return points
end

-- The subjects that were not run, as points: excluded ones, and those around which others fail alike, with a message.
local function assumed_of(session, found)
  local runs, points = runs_by_build(session), {}
  for i, id in ipairs(session.ids) do
    if session.excluded[id] then points[#points + 1] = point_of(session, i, "excluded") end
  end
  for _, range in ipairs(found.assumed) do
    local before = range.first - 1
    while not (runs[session.head[before]] and runs[session.head[before]].failed) do before = before - 1 end
    local message = runs[session.head[before]].failed.message
    for i = range.first, range.last do points[#points + 1] = point_of(session, i, "assumed", message) end
  end
  return points
end

-- How many runs have this field; nil if none has.
local function count_with(field, asked)
  local count = #values_of.only(asked, function(entry) return entry[field] end)
  return count > 0 and count or nil
end

-- Where a change may lie that was not narrowed down.
local function doubts_of(session, found)
  for _, doubt in ipairs(found) do
    doubt.after, doubt.upto = session.ids[doubt.lo], session.ids[doubt.hi]
    doubt.label = session.labels[doubt.lo] .. ".." .. session.labels[doubt.hi]
    doubt.lo, doubt.hi = nil, nil
  end
  return found
end

-- The parts of the line over which ends differ that no single place explains; nil where there are none.
local function spread_of(session, found)
  for _, part in ipairs(found.spread or {}) do
    part.last_good, part.first_bad = session.ids[part.lo], session.ids[part.hi]
    part.lo, part.hi = session.subjects[part.lo], session.subjects[part.hi]
    found.spread.largest = found.resolution
  end
  return found.spread
end

-- Of few subjects that were all measured a row each, with those that failed.
local function table_of(session, found, points)
  if not found.table then return nil end
  local rows, changed = {}, {}
  for _, row in ipairs(found.table) do rows[row.place] = row end
  for _, change in ipairs(found.changes) do
    changed[change.open and 0 or change.hi], changed[change.leave_hi or 0] = true, true
  end
  return map(points, function(point)
    local row, failed = merged(rows[session.head[point.index]]), point.status ~= "ok"
    row.index, row.label, row.runs, row.low, row.high = point.index, point.label, #point.trials, row.value_low,
      row.value_high
    row.status, row.message = failed and point.status or nil, failed and point.message or nil
    row.step_is_change, row.place, row.value_low, row.value_high = changed[point.index], nil, nil, nil
    return row
  end)
end

-- Of a machine that kept changing, the changes that are far larger than its moves.
local function leave_large(session, found, moves)
  found.changes = values_of.only(found.changes, function(change)
    return math.abs(change.effect) >= session.least_change
  end)
  found.doubts, found.unaccounted, found.spread, found.resolution = {}, nil, nil, nil
  if #found.changes == 0 then return end
  found.verdict, found.why, session.moved = "changes", "the machine changed " .. #moves .. " times", nil
end

-- Numbers that may be those of two machines say nothing. A search that started again speaks of the rest of the budget.
local function judge_machine(session, found)
  local moves = session.good_end and session.good_end.moves or {}
  local last = moves[#moves]
  if session.moved then leave_large(session, found, moves) end
  if not last or last.failed then return end
  local spent = not session:has_room() and string.format(", and the budget of %d runs is spent", session.asking.budget)
  if not last.sure then
    found.verdict, found.why = "inconclusive", "the machine may have changed" .. (spent or "")
    found.changes, found.doubts = {}, {}
  elseif spent and found.verdict == "inconclusive" then
    found.why = "the machine changed" .. spent
  end
end

local series_of = {}

--- The series of a session that has ended. `o`: the sweep's options; from them come title, exact and flaky.
function series_of.session(session, o)
  local found, suspicion, stopped = session.search:answer(), session.run.suspicion, session.stopped
  if stopped then found.verdict, found.why, found.changes, found.doubts = "inconclusive", stopped.why, {}, {} end
  if not stopped then judge_machine(session, found) end
  if session.nodes and not stopped then session.nodes:judge(session, found) end
  local points, asked, moves = points_of(session, found.changes), session.asked, (session.good_end or {}).moves
  local series = merged(found, { title = o.title, kind = o.kind, metric = session.run.metric, unit = session.run.unit,
    direction = session.run.direction, subjects = #session.subjects, points = points,
    assumed = assumed_of(session, found), asked = asked, runs = session.measured + suspicion.extra_runs,
    reused = session.reused, stored = session.stored_runs, set_aside = session.discarded,
    seconds = core.seconds() - session.run.began, exact = session.asking.kind == "exact", passes = o.passes and true,
    flaky = session.asking.kind == "flaky" or nil, by_chance = session.by_chance,
    suspect = suspicion:summary(asked), store = session.run.store, same_build = count_with("same_as", asked),
    same_loaded = count_with("loaded", asked) and require("lib/sweep/program_files").same_loaded(asked, session.head),
    installed = count_with("installed", asked) and require("lib/sweep/program_files").differing_packages(asked),
    other_machines = session.elsewhere > 0 and session.elsewhere or nil,
    investigation = session.run.investigation, stopped = stopped, missing = session.subjects.missing,
    back = session.back and session.back.found, quieter = not stopped and session:quieter() or nil,
    moves = moves and moves[1] and moves or nil, nodes = session.nodes and session.nodes:summary(session, found) or nil,
    table = table_of(session, found, points) })
  series.changes, series.doubts = changes_of(session, found.changes), doubts_of(session, found.doubts)
  series.spread = spread_of(session, found)
  local is_one_build = #session.subjects > 1 and session.head[#session.subjects] == 1
  if is_one_build and asked[1] and asked[1].value and series.verdict == "inconclusive" then  -- nothing can have changed
    series.verdict, series.why, series.same_build = "no_change", nil, #session.subjects - 1
  end
  if session.moved then series.verdict, series.why = "machine_changed", session.moved end
  series.skipped = #series.assumed + #map(points, function(point) return point.status ~= "ok" or nil end)
  return series
end

local DEPTH = 8  -- changes, a change, its culprit, the candidates, one of them, its subject, the commits, a commit

-- Strings, finite numbers, booleans and tables of them; anything else is left out.
local function plain(value, depth)
  local kind = type(value)
  if kind == "string" or kind == "boolean" then return value end
  if kind == "number" then return math.abs(value) < math.huge and value or nil end
  if kind ~= "table" or depth == 0 then return nil end
  local copy = #value > 0 and reg.json.array {} or {}
  for key, inner in pairs(value) do copy[key] = plain(inner, depth - 1) end
  return copy
end

local FIELDS = { "title", "kind", "metric", "unit", "direction", "exact", "flaky", "by_chance", "passes", "subjects",
  "runs", "reused", "stored", "skipped", "seconds", "verdict", "why", "noise", "build_noise", "error", "narrowest_dip",
  "resolution", "runs_to_resolve", "finer", "runs_for_finer", "suspect", "moves", "stopped",
  "back", "missing", "same_build", "same_loaded", "installed", "other_machines", "points", "assumed",
  "changes", "doubts", "side_points", "pin", "ends", "unaccounted", "table", "quieter", "nodes" }

--- What the store keeps of a series, so that it can be reported and shared later: plain data, no objects.
function series_of.store(series)
  local kept = {}
  for _, name in ipairs(FIELDS) do kept[name] = plain(series[name], DEPTH) end
  local spread = series.spread  -- a list with a field, which JSON has no form for
  kept.spread = spread and { stretches = plain(table.move(spread, 1, #spread, 1, {}), DEPTH), largest = spread.largest }
  return kept
end

return series_of
