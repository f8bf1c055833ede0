-- What a series found, as the one model that the terminal, --json, the HTML page and the shared Markdown show. A series
-- of a store may be older than this engine or damaged: missing fields get their defaults, malformed ones are dropped.
-- words.lua turns the model into sentences; statistics are the search's (engine/search).

local direction = require "lib/direction"
local failure = require "lib/failure"
local changes = require "lib/report/changes"
local read = require "lib/report/read"
local values = require "lib/values"
local words = require "lib/report/words"

local number, text, record, list_of = read.number, read.text, read.record, read.list_of

local count, named, texts = read.default(read.integer, 0), read.default(text, "?"), list_of(text)
local function yes(x) return x == true end

local EFFECT <const> = "effect effect_low effect_high"

local FIELDS = { ["id subject message author email author_date date repo short label image at"] = text }
local identified = record(FIELDS, "id")

local function commit_of(of)
  local commit = identified(type(of) == "table" and of or { id = of })
  if commit then commit.short = commit.short or commit.id:sub(1, 10) end
  return commit
end

local described = record(values.merged(FIELDS, { commits = read.table_of(commit_of) }))
local facts_of = read.table_of(text)

-- A subject: its own fields, its commits, and in `facts` all its plain fields.
local function subject_of(of)
  local subject = described(of)
  if not subject then return text(of) end
  subject.id, subject.facts = subject.id or subject.at, facts_of(of)
  return subject
end

local point_fields = record { id = named, ["label message"] = text, ["index value"] = number, values = list_of(number),
  status = read.default(text, "ok"), subject = subject_of, trials = list_of(math.tointeger) }
local function point_of(of, i)
  local point = point_fields(of)
  if not point then return nil end
  point.label, point.index = point.label or point.id, point.index or i
  if not point.value and #point.values > 0 then point.value = values.median(point.values) end
  if not point.value and point.status == "ok" then point.status = "skipped" end
  return point
end

local candidate_fields = record({ ["id label"] = text, subject = subject_of }, "id")
local function candidate_of(of)
  local candidate = candidate_fields(of)
  if candidate and type(candidate.subject) ~= "table" then
    candidate.subject = { label = candidate.label or candidate.id }
  end
  return candidate
end

local change_of
local change_fields = record({ [EFFECT] = number, ["kind still_bad recovered_at merge"] = text,
  ["before before_low before_high after after_low after_high p ratio"] = number, ["lo hi leave_hi"] = subject_of,
  ["untested runs_to_name"] = count, open = yes, ["last_good first_bad"] = named,
  files = list_of(record({ path = text, binary = yes, ["insertions deletions"] = count }, "path")),
  brought = list_of(subject_of),  -- of an hour: its commits, after the good end
  candidates = list_of(candidate_of),  -- the first bad one, and those before it that could not be tested
  -- the user's words for the sides of the change, and what it is to them
  called = record({ ["first last role"] = text }, "first last"),
  ["culprit culprit_of_end"] = function(of) return change_of(of) end }, "before after")

function change_of(of)
  local change = change_fields(of)
  if not change then return nil end
  change.kind = change.kind == "dip" and "dip" or "step"
  change.effect = change.effect or (change.before ~= 0 and change.after / change.before - 1) or 0
  return change
end

-- "lower" or "higher" is better; nil where the series does not say. Of tests a value is a failure, or their rate.
local function better_of(series, found)
  local given = series.direction
  return found.kind ~= "metric" and "lower" or (given == "higher" or given == "lower") and given or nil
end

-- `rise`: by how much the number is larger afterwards.
local function role_of(rise, better)
  if not better or rise == 0 then return "change" end
  return (rise > 0) == (better == "higher") and "improvement" or "regression"
end

-- "test" where each value is 0 for passed or 1 for failed, "flaky" where by chance, else "metric", as a count may be.
local function kind_of(series, points)
  if series.flaky == true then return "flaky" end
  if series.exact ~= true or direction.is_counted(text(series.metric) or "") then return "metric" end
  local function is_measured(point) return point.value and point.value ~= 0 and point.value ~= 1 end
  return values.find(points, is_measured) and "metric" or "test"
end

-- How the two ends differ; nil where that was not asked.
local ends_fields = record { [EFFECT] = number, bound = number, runs_to_tell = count, ["good bad"] = text,
  differ = function(x) if x == true or x == false then return x end end }
local function ends_of(of, points)
  local ends = #points > 1 and ends_fields(of) or nil
  if ends then ends.good, ends.bad = ends.good or points[1].label, ends.bad or points[#points].label end
  return ends
end

-- The stretches over which ends differ whose difference no single subject carries, and the most that one may carry.
local part_of = record { [EFFECT] = number, ["lo hi"] = subject_of, ["last_good first_bad"] = named,
  runs_to_narrow = count }
local function spread_of(of)  -- as the sweep has it, or as the store has it (lib/sweep/series)
  local found = read.each(read.list(of).stretches or of, part_of)
  found.largest = number(read.list(of).largest)
  return #found > 0 and found or nil
end

-- The numbers of a subject, or the sizes of a change, on several nodes.
local at_nodes = record({ label = text,
  on = list_of(record({ node = text, ["value effect"] = number }, "node")) }, "label")

local series_fields = record {
  ["title kind by_chance why"] = text, ["points side_points assumed"] = list_of(point_of),
  ["noise build_noise error finer"] = number,
  ["runs reused skipped runs_to_resolve runs_for_finer same_build other_machines"] = count,
  metric = read.default(text, "value"), changes = list_of(change_of), missing = texts, spread = spread_of,
  doubts = list_of(record { [EFFECT] = number, label = named, p = number, ["after upto"] = text }),
  -- the table of a few subjects that were all measured
  table = list_of(record({ ["label status message"] = text, index = read.integer, runs = count, step_is_change = yes,
    ["value low high step step_low step_high from_first from_first_low from_first_high"] = number }, "label")),
  unaccounted = record { [EFFECT] = number }, subjects = read.integer, seconds = read.default(number, 0),
  suspect = record { ["trials of set_aside"] = count, in_vain = yes, why = texts },
  stored = record({ runs = count, ["from upto"] = number }, "from upto"),  -- when they were made
  -- how the good end differed when it was run again; `failed` says why it has no number
  moves = list_of(record { label = named, failed = text, ["before after"] = number,
    ["from upto"] = read.default(number, 0), sure = yes, unused = read.integer }),
  -- why the search ended before its time
  stopped = record({ ["why hint log tail"] = text, alike = texts }, "why"),
  -- how far the search went back to a good end
  back = record({ ["id from"] = named, ["label words"] = text, distance = number,
    unit = read.default(text, "subject"), runs = count }, "label words"),
  -- the pin of a superproject or dependency whose range was searched (reg.descend)
  pin = record({ ["of commit name old new path base advice"] = text, line = read.integer },
    "of commit name old new path"),
  nodes = record({ ["names odd"] = texts, ["reference only"] = text,  -- of a cluster
    factors = read.default(read.table_of(number), {}), differing = at_nodes, spread = list_of(at_nodes) }, "names"),
  -- the number that has much less noise than the time that was compared (lib/quieter)
  quieter = record({ other = text, ["noise other_noise effect"] = number }, "other noise other_noise"),
  -- packages that the test itself installs, with the stretches of subjects for which each has one version
  installed = list_of(record({ name = text,
    stretches = list_of(record({ version = text, ["from upto"] = named }, "version")) }, "name")),
  -- what the programs of all subjects loaded alike
  same_loaded = record({ one = text, files = read.default(read.integer, 1), subjects = count }, "one"),
}

-- The subjects without a number, in ranges of neighbors that failed alike or are assumed to. `points`: all, in order.
-- Returns { first =, last = (points), count =, tried =, status =, message =, before = }: status and message of the
-- first point that was tried; `before`, the last point before them that has a number.
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
  o = o or {}
  local found = series_fields(series)
  local thing = found.kind or o.thing or ""
  found.title, found.thing = found.title or o.title, thing:match "^%l+$" or "subject"
  found.verdict, found.subjects = words.verdict(series), found.subjects or #found.points
  found.seconds = math.max(found.seconds, 0)
  found.kind = kind_of(series, found.points)
  found.flaky, found.passes = found.kind == "flaky", found.kind == "test" and series.passes == true
  found.moves = values.only(found.moves, function(move) return move.failed or move.before and move.after end)
  found.installed = values.only(found.installed, function(package) return #package.stretches > 1 end)
  -- The points with those that were assumed to fail, in the subjects' order.
  local all = values.flat { found.points, found.assumed }
  values.sort_by(all, function(point) return #found.assumed > 0 and point.index or 0 end)
  found.skips, found.by_id = skips_of(all), {}
  for _, point in ipairs(values.flat { found.side_points, all }) do found.by_id[point.id] = point end
  found.ends = ends_of(series.ends, found.points)
  for _, doubt in ipairs(found.doubts) do  -- one about a single subject has its label as `at`
    local lo, hi = found.by_id[doubt.after], found.by_id[doubt.upto]
    doubt.at = lo and hi and hi.index == lo.index + 1 and hi.label or nil
  end
  found.direction, found.unit = better_of(series, found), found.kind == "metric" and text(series.unit) or nil
  if found.spread then found.spread.role = role_of((found.ends or {}).effect or 0, found.direction) end
  for _, row in ipairs(found.table) do
    row.role = row.step_is_change and row.step and role_of(row.step, found.direction) or nil
  end
  found.listed = values.map(found.changes, function(change)
    -- where a finer search narrowed it down, that one's change is its culprit
    for _, one in ipairs { change, change.culprit or change, change.culprit_of_end } do
      one.role = role_of(change.after - change.before, found.direction)
      for _, candidate in ipairs(one.candidates) do candidate.status = (found.by_id[candidate.id] or {}).status end
    end
    return (change.role == "regression" or not o.only) and change or nil
  end)
  found.drift = drift_of(series, found)
  found.edges = changes.edges(found.points, found.changes)
  found.levels = found.kind == "test" and {} or changes.levels(found.points, found.edges)
  -- No lasting change of `size` (relative, or nil) or more was missed, nor a temporary one of `width` subjects.
  found.resolution = { width = count(series.narrowest_dip), size = number(series.resolution) }
  return found
end
