-- What became of each prediction: { line =, verdict = "met", "not met", "contradicted" or "not measured", measured = }.

local ends = require "lib/why/ends"
local judge = require "lib/predict/judge"
local quantities = require "lib/predict/quantities"

-- The numbers of both ends, of the one level that has them.
local function numbers_of(quantity, seen)
  for _, sides in pairs(seen) do
    local before, after = ends.numbers(sides[1], quantity.read), ends.numbers(sides[2], quantity.read)
    if #before > 0 and #after > 0 then return before, after end
  end
end

local function why_not(quantity, collected)
  if not collected then return "nothing was collected" end
  for _, level in ipairs(collected) do
    if level.name == quantity.level and level.why then return level.why end
  end
  return "it was not collected"
end

--- The predictions `expected` (lib/predict/parse), judged by what reg.ab found and, of other numbers, by what the
--- levels collected: lib/why/collect, or nil. An empty JSON array without predictions.
return function(expected, found, collected)
  local list = reg.json.array {}
  for i, one in ipairs(expected or {}) do
    local verdict, measured
    if one.name == found.metric then
      verdict, measured = judge.compared(one, found)
    else
      local quantity = quantities[one.name]
      local before, after = numbers_of(quantity, collected and collected.seen or {})
      if before then
        verdict, measured = judge.collected(one, before, after, quantity.unit, quantity.least)
      else
        verdict, measured = "not measured", why_not(quantity, collected)
      end
    end
    list[i] = { line = one.line, verdict = verdict, measured = measured }
  end
  return list
end
