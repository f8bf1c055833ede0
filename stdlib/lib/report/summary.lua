-- A series, or its findings, for other programs: as JSON, and as the rows of a table.

local direction = require "lib/direction"
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"
local read = require "lib/report/read"
local values = require "lib/values"

local each, summary = read.each, {}

local CHANGE = { "kind", "role", "last_good", "first_bad", "before", "after", "ratio", "p", "effect", "effect_low",
  "effect_high", "recovered_at" }
local STRETCH = { "effect", "effect_low", "effect_high", "runs_to_narrow" }

-- A change or a stretch, with these of its fields and what identifies its sides.
local function sides_of(change, fields)
  return values.merged(values.picked(change, fields), { good = names.identity(change.lo, change.last_good),
    bad = names.identity(change.hi, change.first_bad) })
end

local function json_change(change)
  local picked = sides_of(change, CHANGE)
  picked.confidence = change.p
  if #change.candidates > 0 then
    picked.candidates = each(change.candidates, function(candidate) return candidate.id end)
  end
  if change.open then picked.open, picked.runs_to_name = true, change.runs_to_name end
  for _, name in ipairs { "culprit", "culprit_of_end" } do picked[name] = change[name] and json_change(change[name]) end
  return picked
end

--- What --json prints of a series, and what the store keeps beside it.
function summary.json(found)
  local null = reg.json.null
  local skips = each(found.skips, function(range)
    return { first = range.first.id, last = range.last.id, count = range.count, tried = range.tried,
      status = range.status, message = range.message }
  end)
  local stretches = each(found.spread, function(one) return sides_of(one, STRETCH) end)
  return { verdict = found.verdict, why = found.why, metric = found.kind == "metric" and found.metric or null,
    unit = found.unit or null, direction = found.direction or null, error = found.error, noise = found.noise,
    resolution = found.resolution.size, changes = each(found.changes, json_change), runs = found.runs,
    stored = found.stored, skipped = found.skipped, skipped_ranges = skips, pin = found.pin,
    seconds = found.seconds, suspect = found.suspect and found.suspect.trials,
    back = found.back, ends = found.ends, unaccounted = found.unaccounted,
    spread = found.spread and { stretches = stretches, largest = found.spread.largest },
    table = #found.table > 0 and found.table or nil,
    moves = #found.moves > 0 and found.moves or nil, missing = #found.missing > 0 and found.missing or nil }
end

-- What stands beside the first subject after a change, and where a temporary one ends: "change -7.0 %", "recovered".
local function beside(series, id)
  local list = {}
  for _, change in ipairs(series.changes or {}) do
    if change.first_bad ~= nil and tostring(change.first_bad) == id then
      local effect = numbers.effect(change, series)
      local among = (read.integer(change.untested) or 0) + 1
      list[#list + 1] = (change.kind == "dip" and "temporary change" or "change") .. (effect and " " .. effect or "")
        .. (among > 1 and " at one of these " .. among or "")
    end
    if change.recovered_at ~= nil and tostring(change.recovered_at) == id then list[#list + 1] = "recovered" end
  end
  return table.concat(list, ", ")
end

--- The rows, and the names of their columns. `lean`: without the columns that are empty in each row.
function summary.rows(series, lean)
  local metric = lean and direction.labeled(series.metric or "value", series.unit) or series.metric or "value"
  local columns = { "subject", metric, "status", "change", "message" }
  local rows = values.map(series.points, function(point)
    if type(point) ~= "table" then core.fail("usage", "report: the points of a series must be tables") end
    local id = tostring(point.id)
    return { subject = tostring(point.label or id), status = point.status or "ok", change = beside(series, id),
      message = point.message or "", [metric] = point.value }
  end)
  if not lean or #rows == 0 then return rows, columns end
  return rows, values.only(columns, function(name)
    return values.find(rows, function(row) return row[name] ~= nil and row[name] ~= "" end)
  end)
end

return summary
