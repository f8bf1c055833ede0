-- What a series found, as the one model that the terminal, --json, the HTML page and the shared Markdown show. The
-- series comes from a sweep that just ended, or from a store that may be older than this engine or damaged: missing
-- fields get their defaults, malformed ones are dropped. words.lua turns the model into sentences; statistics are the
-- search's (engine/search).

local direction = require "lib/direction"
local failure = require "lib/failure"
local changes = require "lib/report/changes"
local median = require("lib/values").median
local read = require "lib/report/read"
local words = require "lib/report/words"

local number, text, record = read.number, read.text, read.record

local count, named = read.default(read.integer, 0), read.default(text, "?")
local function yes(x) return x == true end
local function texts(x) return read.each(x, text) end

local FIELDS = { "id", "subject", "message", "author", "email", "author_date", "date", "repo", "short", "label",
  "image", "at" }

local function fields_of(of, into)
  for _, name in ipairs(FIELDS) do into[name] = text(of[name]) end
  return into
end

local function commit_of(of)
  if type(of) ~= "table" then of = { id = of } end
  if not text(of.id) then return nil end
  local commit = fields_of(of, {})
  commit.short = commit.short or commit.id:sub(1, 10)
  return commit
end

-- A subject: its own fields, its commits, and in `facts` all its plain fields.
local function subject_of(of)
  if type(of) ~= "table" then return text(of) end
  local subject = fields_of(of, { facts = {} })
  for name, value in pairs(of) do
    if type(name) == "string" then subject.facts[name] = text(value) end
  end
  subject.id = subject.id or subject.at
  for name, commit in pairs(read.list(of.commits)) do
    subject.commits = subject.commits or {}
    subject.commits[tostring(name)] = commit_of(commit)
  end
  return subject
end

local function point_of(of, i)
  if type(of) ~= "table" then return nil end
  local id = named(of.id)
  local point = { id = id, label = text(of.label) or id, index = number(of.index) or i,
    values = read.each(of.values, number), value = number(of.value), status = text(of.status) or "ok",
    message = text(of.message), subject = subject_of(of.subject), trials = read.each(of.trials, math.tointeger) }
  if not point.value and #point.values > 0 then point.value = median(point.values) end
  if not point.value and point.status == "ok" then point.status = "skipped" end
  return point
end

local ESTIMATES = { "before", "before_low", "before_high", "after", "after_low", "after_high", "effect", "effect_low",
  "effect_high", "p", "ratio" }

local function candidate_of(of)
  if type(of) ~= "table" or not text(of.id) then return nil end
  local subject = subject_of(of.subject)
  return { id = of.id, subject = type(subject) == "table" and subject or { label = text(of.label) or of.id } }
end

local file_of = record({ path = text, status = read.default(text, "modified"), binary = yes, insertions = count,
  deletions = count }, "path")

-- The user's words for the sides of a change, and what the change is to them.
local called_of = record({ first = text, last = text, role = text }, "first", "last")

local function change_of(of)
  if type(of) ~= "table" or not (number(of.before) and number(of.after)) then return nil end
  local change = { kind = of.kind == "dip" and "dip" or "step", lo = subject_of(of.lo), hi = subject_of(of.hi),
    leave_hi = subject_of(of.leave_hi), untested = count(of.untested), open = of.open == true,
    runs_to_name = count(of.runs_to_name), files = read.each(of.files, file_of),
    brought = read.each(of.brought, subject_of),  -- of an hour: its commits, after the good end
    candidates = read.each(of.candidates, candidate_of), called = called_of(of.called) }
  for _, name in ipairs(ESTIMATES) do change[name] = number(of[name]) end
  for _, name in ipairs { "last_good", "first_bad", "still_bad", "recovered_at", "merge" } do
    change[name] = text(of[name])
  end
  change.first_bad, change.last_good = change.first_bad or "?", change.last_good or "?"
  change.effect = change.effect or (change.before ~= 0 and change.after / change.before - 1) or 0
  change.culprit, change.culprit_of_end = change_of(of.culprit), change_of(of.culprit_of_end)
  return change
end

-- The subjects any of which may be the culprit, with how they failed: the first bad one and those before it that could
-- not be tested. None where one is named, or where the search was not at its end. A series of an older engine has only
-- its points.
local function candidates_of(change, points, side_points)
  if change.open or change.untested == 0 then return {} end
  local found, from, by_id = change.candidates, nil, {}
  for _, list in ipairs { points, side_points } do
    for _, point in ipairs(list) do by_id[point.id] = point end
  end
  for _, point in ipairs(#found == 0 and points or {}) do
    if from then found[#found + 1] = candidate_of(point) end
    if point.id == change.first_bad then break end
    from = from or point.id == change.last_good
  end
  for _, candidate in ipairs(found) do
    local point = by_id[candidate.id]
    candidate.status = point and point.status
  end
  return found
end

local DIRECTIONS = { higher = "higher", lower = "lower" }

-- "lower" or "higher" is better; nil where the series does not say. Of tests a value is a failure, or how often it
-- fails.
local function better_of(series, found) return found.kind ~= "metric" and "lower" or DIRECTIONS[series.direction] end

-- `rise`: by how much the number is larger afterwards.
local function role_of(rise, better)
  if not better or rise == 0 then return "change" end
  return (rise > 0) == (better == "higher") and "improvement" or "regression"
end

-- "test" where each value is 0 for passed or 1 for failed, "flaky" where they are so by chance, else "metric". A count
-- may be 0 or 1, too.
local function kind_of(series, points)
  if series.flaky == true then return "flaky" end
  if series.exact ~= true or direction.is_counted(text(series.metric) or "") then return "metric" end
  for _, point in ipairs(points) do
    if point.value and point.value ~= 0 and point.value ~= 1 then return "metric" end
  end
  return "test"
end

-- The points with those that were assumed to fail, in the subjects' order.
local function all_points(points, assumed)
  local all = table.move(assumed, 1, #assumed, #points + 1, table.move(points, 1, #points, 1, {}))
  if #assumed > 0 then table.sort(all, function(a, b) return a.index < b.index end) end
  return all
end

local function effect_of(of, more)
  if type(of) ~= "table" then return nil end
  more.effect, more.effect_low, more.effect_high = number(of.effect), number(of.effect_low), number(of.effect_high)
  return more
end

local function doubt_of(of)
  if type(of) ~= "table" then return nil end
  return effect_of(of, { label = named(of.label), p = number(of.p), after = text(of.after),
    upto = text(of.upto) })
end

-- Where a doubt is about a single subject, its label as `at`.
local function locate(doubts, points)
  local by_id = {}
  for _, point in ipairs(points) do by_id[point.id] = point end
  for _, doubt in ipairs(doubts) do
    local lo, hi = by_id[doubt.after], by_id[doubt.upto]
    doubt.at = lo and hi and hi.index == lo.index + 1 and hi.label or nil
  end
end

-- How the two ends differ; nil where that was not asked.
local function ends_of(of, points)
  if type(of) ~= "table" or #points < 2 then return nil end
  local differ = of.differ
  if type(differ) ~= "boolean" then differ = nil end
  return effect_of(of, { differ = differ, bound = number(of.bound), runs_to_tell = count(of.runs_to_tell),
    good = text(of.good) or points[1].label, bad = text(of.bad) or points[#points].label })
end

-- The stretches over which ends differ whose difference no single subject carries, and the most that one may carry.
local function spread_of(of)  -- as the sweep has it, or as the store has it (lib/sweep/series)
  local found = read.each(read.list(of).stretches or of, function(one)
    return type(one) == "table" and effect_of(one, { lo = subject_of(one.lo), hi = subject_of(one.hi),
      last_good = named(one.last_good), first_bad = named(one.first_bad),
      runs_to_narrow = count(one.runs_to_narrow) }) or nil
  end)
  found.largest = number(read.list(of).largest)
  return #found > 0 and found or nil
end

-- A row of the table of a few subjects that were all measured.
local row_of = record({ index = read.integer, label = text, runs = count, status = text, message = text,
  step_is_change = yes, value = number, low = number, high = number, step = number, step_low = number,
  step_high = number, from_first = number, from_first_low = number, from_first_high = number }, "label")

local suspect_of = record { trials = count, of = count, set_aside = count, in_vain = yes, why = texts }
local stored_of = record({ runs = count, from = number, upto = number }, "from", "upto")  -- when they were made

-- What the programs of all subjects loaded alike.
local same_loaded_of = record({ one = text, files = read.default(read.integer, 1), subjects = count }, "one")

-- A package that the test itself installs, with the stretches of subjects for which it has one version.
local stretch_of = record({ version = text, from = named, upto = named }, "version")
local installed_of = record({ name = text, stretches = function(list) return read.each(list, stretch_of) end }, "name")
local function package_of(of)
  local package = installed_of(of)
  return package and #package.stretches > 1 and package or nil
end

-- How the good end differed when it was run again; `failed` says why it has no number.
local checked_of = record { label = named, failed = text, before = number, after = number,
  from = read.default(number, 0), upto = read.default(number, 0), sure = yes, unused = read.integer }
local function move_of(of)
  local move = checked_of(of)
  return move and (move.failed or move.before and move.after) and move or nil
end

-- The pin of a superproject or dependency whose range was searched (reg.descend).
local pin_of = record({ of = text, commit = text, name = text, old = text, new = text, path = text, base = text,
  advice = text, line = read.integer }, "of", "commit", "name", "old", "new", "path")

-- Why the search ended before its time.
local stopped_of = record({ why = text, hint = text, log = text, tail = text, alike = texts }, "why")

-- The CPU time or the instructions beside the time that was compared (lib/sweep/quieter).
local quieter_of = record({ taken = text, why = text, other = text, noise = number, other_noise = number, runs = count,
  unit = text }, "other", "noise", "other_noise")

-- How far the search went back to a good end.
local back_of = record({ id = named, label = text, distance = number, words = text,
  unit = read.default(text, "subject"), from = named, runs = count }, "label", "words")

-- The subjects that have no number, in ranges of neighbors that failed alike, those among them that were only assumed
-- to. `points`: all points in the subjects' order. Returns { first =, last = (points), count =, tried =,
-- status =, message =, before = }: status and message of the first point that was tried; `before`, the last point
-- before them that has a number.
local function skips_of(points)
  local ranges, current, upto, cause, before = {}, nil, nil, nil, nil
  for _, point in ipairs(points) do
    if point.status == "ok" then
      before = point
    else
      local own = failure.cause("", point.message)
      if not (current and point.index and point.index == upto + 1 and own == cause) then
        current, cause = { first = point, count = 0, tried = 0, before = before }, own
        ranges[#ranges + 1] = current
      end
      current.last, current.count, upto = point, current.count + 1, point.index
      if point.status ~= "assumed" then
        current.tried = current.tried + 1
        current.status, current.message = current.status or point.status, current.message or point.message
      end
    end
  end
  return ranges
end

local COUNTS = { "reused", "skipped", "runs_to_resolve", "runs_for_finer", "same_build",
  "other_machines" }

-- What a change is in this series. Where a finer search narrowed it down, that one's change is its culprit.
local function complete(change, found, points)
  change.role = role_of(change.after - change.before, found.direction)
  change.candidates = candidates_of(change, points, found.side_points)
  for _, name in ipairs { "culprit", "culprit_of_end" } do
    local finer = change[name]
    if finer then finer.role, finer.candidates = change.role, candidates_of(finer, {}, {}) end
  end
end

-- Of exact numbers: the levels of the ends, if they differ without a change that is large enough to be listed.
local function drift_of(series, found)
  if series.exact ~= true or found.kind ~= "metric" or #found.changes > 0 or #found.points == 0 then return nil end
  local before, after = found.points[1].value, found.points[#found.points].value
  return before and after and before ~= after and { before = before, after = after } or nil
end

--- The model of a series; nil where `series` is not one. `o`: title and thing ("night"), for what the series itself
--- does not say; only = "regressions" lists no other changes.
return function(series, o)
  if type(series) ~= "table" or type(series.points) ~= "table" then return nil end
  local thing = text(series.kind) or o and o.thing or ""
  local found = { title = text(series.title) or o and o.title, thing = thing:match "^%l+$" or "subject",
    by_chance = text(series.by_chance),
    metric = text(series.metric) or "value", verdict = words.verdict(series), why = text(series.why),
    points = read.each(series.points, point_of), side_points = read.each(series.side_points, point_of),
    assumed = read.each(series.assumed, point_of),
    changes = read.each(series.changes, change_of), doubts = read.each(series.doubts, doubt_of),
    missing = read.each(series.missing, text),
    noise = number(series.noise), build_noise = number(series.build_noise), error = number(series.error),
    finer = number(series.finer), spread = spread_of(series.spread), table = read.each(series.table, row_of),
    unaccounted = effect_of(series.unaccounted, {}), suspect = suspect_of(series.suspect),
    stored = stored_of(series.stored), moves = read.each(series.moves, move_of),
    stopped = stopped_of(series.stopped), back = back_of(series.back), pin = pin_of(series.pin),
    quieter = quieter_of(series.quieter),
    installed = read.each(series.installed, package_of), same_loaded = same_loaded_of(series.same_loaded) }
  for _, name in ipairs(COUNTS) do found[name] = count(series[name]) end
  found.subjects, found.runs = read.integer(series.subjects) or #found.points, count(series.runs)
  found.seconds = math.max(number(series.seconds) or 0, 0)
  found.kind = kind_of(series, found.points)
  found.flaky, found.passes = found.kind == "flaky", found.kind == "test" and series.passes == true
  local all = all_points(found.points, found.assumed)
  found.skips = skips_of(all)
  found.ends = ends_of(series.ends, found.points)
  locate(found.doubts, all)
  found.direction, found.unit = better_of(series, found), found.kind == "metric" and text(series.unit) or nil
  if found.spread then found.spread.role = role_of((found.ends or {}).effect or 0, found.direction) end
  for _, row in ipairs(found.table) do
    row.role = row.step_is_change and row.step and role_of(row.step, found.direction) or nil
  end
  found.listed = {}
  for _, change in ipairs(found.changes) do
    complete(change, found, all)
    if change.role == "regression" or not (o and o.only) then found.listed[#found.listed + 1] = change end
  end
  found.drift = drift_of(series, found)
  found.edges = changes.edges(found.points, found.changes)
  found.levels = found.kind == "test" and {} or changes.levels(found.points, found.edges)
  -- No lasting change of `size` (relative; nil if that is not known) or more was missed; a temporary one of fewer
  -- subjects than `width` may have been.
  found.resolution = { width = count(series.narrowest_dip), size = number(series.resolution) }
  return found
end
