-- What the store keeps of a series, so that it can be reported and shared later: plain data, no objects.

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
  "changes", "doubts", "side_points", "pin", "ends", "unaccounted", "table", "quieter" }

return function(series)
  local kept = {}
  for _, name in ipairs(FIELDS) do kept[name] = plain(series[name], DEPTH) end
  local spread = series.spread  -- a list with a field, which JSON has no form for
  kept.spread = spread and { stretches = plain(table.move(spread, 1, #spread, 1, {}), DEPTH), largest = spread.largest }
  return kept
end
