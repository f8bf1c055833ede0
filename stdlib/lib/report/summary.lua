-- What --json prints of a series, and what the store keeps beside it.

local names = require "lib/report/names"

local CHANGE = { "kind", "role", "last_good", "first_bad", "before", "after", "ratio", "p", "effect", "effect_low",
  "effect_high", "recovered_at" }

local function json_change(change)
  local picked = {}
  for _, name in ipairs(CHANGE) do picked[name] = change[name] end
  picked.confidence = change.p
  picked.good, picked.bad = names.identity(change.lo, change.last_good), names.identity(change.hi, change.first_bad)
  if #change.candidates > 0 then
    picked.candidates = reg.json.array {}
    for i, candidate in ipairs(change.candidates) do picked.candidates[i] = candidate.id end
  end
  if change.open then picked.open, picked.runs_to_name = true, change.runs_to_name end
  for _, name in ipairs { "culprit", "culprit_of_end" } do
    picked[name] = change[name] and json_change(change[name])
  end
  return picked
end

local function json_skip(range)
  return { first = range.first.id, last = range.last.id, count = range.count, tried = range.tried,
    status = range.status, message = range.message }
end

local function json_stretches(spread)
  local list = reg.json.array {}
  for i, one in ipairs(spread) do
    list[i] = { good = names.identity(one.lo, one.last_good), bad = names.identity(one.hi, one.first_bad),
      effect = one.effect, effect_low = one.effect_low, effect_high = one.effect_high,
      runs_to_narrow = one.runs_to_narrow }
  end
  return list
end

return function(found)
  local changes, skips, null = reg.json.array {}, reg.json.array {}, reg.json.null
  for i, range in ipairs(found.skips) do skips[i] = json_skip(range) end
  for i, change in ipairs(found.changes) do changes[i] = json_change(change) end
  return { verdict = found.verdict, why = found.why, metric = found.kind == "metric" and found.metric or null,
    unit = found.unit or null, direction = found.direction or null, error = found.error, noise = found.noise,
    resolution = found.resolution.size, changes = changes, runs = found.runs, stored = found.stored,
    skipped = found.skipped, skipped_ranges = skips, pin = found.pin,
    seconds = found.seconds, suspect = found.suspect and found.suspect.trials,
    back = found.back, ends = found.ends, unaccounted = found.unaccounted,
    spread = found.spread and { stretches = json_stretches(found.spread), largest = found.spread.largest },
    table = #found.table > 0 and found.table or nil,
    moves = #found.moves > 0 and found.moves or nil, missing = #found.missing > 0 and found.missing or nil }
end
