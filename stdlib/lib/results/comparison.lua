-- reg.results.compare: compares two sets of runs for each workload and configuration, the worst first.

---@class results.Comparison
---@field unit? string of the metric, if the records of both sides tell and agree
---@field rows results.ComparisonRow[] slower ones first, the largest effect first
---@field missing results.Missing[] what only one side has samples of
---@field slower integer number of rows, like ambiguous, same and faster
---@field ambiguous integer
---@field same integer
---@field faster integer

---@class results.ComparisonRow
---@field model string
---@field configuration string "dynamo=openxla test=eval ...", all fields
---@field differs string only the fields in which rows differ
---@field verdict "slower"|"ambiguous"|"same"|"faster" this and the numbers below as in reg.compare
---@field old number
---@field new number
---@field effect number new / old - 1
---@field times_faster number 1.32: the new side is 1.32 times as fast; below 1 it is slower
---@field old_load? number median load average before its processes, if the records tell
---@field new_load? number
---@field load_differs boolean whether they differ by a busy processor and by half, or more
---@field low? number lower end of its interval; absent with too few processes
---@field high? number upper end
---@field old_runs integer
---@field new_runs integer

---@class results.Missing
---@field model string
---@field configuration string
---@field differs string
---@field missing "old"|"new"
---@field why string

local compare = require "compare"
local direction = require "lib/direction"
local values = require "lib/values"

local map, median, sort_by = values.map, values.median, values.sort_by

local ORDER = { slower = 1, ambiguous = 2, same = 3, faster = 4 }

-- The names of the fields in which groups differ, which are those that a table shows.
local function differing(groups)
  local fields, differs = values.flat(groups, function(group) return group.fields end), {}
  for _, same in ipairs((values.grouped(fields, function(field) return field.name end))) do
    differs[same[1].name] = values.find(same, function(field) return field.value ~= same[1].value end) ~= nil
  end
  return differs
end

local function fields_text(group, shown)
  return table.concat(map(group.fields, function(field)
    local counts = (not shown or shown[field.name]) and field.name ~= "model_name"
    return counts and field.name .. "=" .. field.value or nil
  end), " ")
end

local function has_samples(group) return group and #group.processes > 0 end

-- The median load average before the processes of a side; nil if its records do not tell.
local function load_of(group) return #group.load > 0 and median(group.load) or nil end

local function row_of(group, other, o)
  local c = compare(group.processes, other.processes, o)
  local old_load, new_load = load_of(group), load_of(other)
  -- By more than what the benchmarks themselves cause: by a busy processor, and by half.
  local differs = old_load ~= nil and new_load ~= nil and math.abs(old_load - new_load) >= 1
    and math.max(old_load, new_load) >= 1.5 * math.min(old_load, new_load)
  return { times_faster = (1 + c.effect) ^ (o.better == "higher" and 1 or -1), old_load = old_load, new_load = new_load,
    load_differs = differs, old = c.a, new = c.b, effect = c.effect,
    low = c.low > -1 and c.low or nil, high = c.high < math.huge and c.high or nil,
    verdict = c.verdict, old_runs = c.n_a, new_runs = c.n_b }
end

return function(old, new, o)
  o = core.check_keys("results.compare", o or {}, { "min_effect", "confidence", "better" })
  local metric = old.metric or "value"
  local better = direction.given(o.better or old.better, metric, "results.compare")
  if not better then core.fail("usage", direction.unknown(metric)) end
  local each = { min_effect = o.min_effect, confidence = o.confidence, better = better }
  local all = values.flat { old.groups, new.groups }
  local differs = differing(all)
  local function named(group, row)
    row.model, row.configuration, row.differs = group.model, fields_text(group), fields_text(group, differs)
    return row
  end
  local answer = { unit = old.unit == new.unit and new.unit or nil, rows = {}, missing = {}, slower = 0,
    ambiguous = 0, same = 0, faster = 0 }
  local is_old = values.set(old.groups)
  for _, same in ipairs((values.grouped(all, function(group) return group.key end))) do
    local a, b = is_old[same[1]] and same[1] or nil, same[2] or not is_old[same[1]] and same[1] or nil
    if has_samples(a) and has_samples(b) then
      local row = named(a, row_of(a, b, each))
      answer[row.verdict] = answer[row.verdict] + 1
      table.insert(answer.rows, row)
    elseif has_samples(a) or has_samples(b) then  -- on one side only
      local side, there, other = "new", a, b
      if not has_samples(a) then side, there, other = "old", b, a end
      table.insert(answer.missing, named(there, { missing = side,
        why = not other and "no runs" or "no samples; last run: " .. other.failed[#other.failed] }))
    end
  end
  sort_by(answer.rows, function(row) return ORDER[row.verdict], row.times_faster, row.model, row.configuration end)
  return answer
end
