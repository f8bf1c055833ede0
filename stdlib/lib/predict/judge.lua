-- Whether what was predicted came true.

local ends = require "lib/why/ends"
local numbers = require "lib/report/numbers"

local judge = {}

-- met, not met, contradicted or not measured: `moved` is "lower", "higher" or "same", and nil where that is not clear.
local function verdict_of(expected, moved, low, high)
  local wanted, size = expected.direction, expected.size
  local excluded = size and low and (wanted == "lower" and low > -size or wanted == "higher" and high < size)
  if not moved then return excluded and "not met" or "not measured" end
  if moved == wanted then return excluded and "not met" or "met" end
  return moved == "same" and "not met" or "contradicted"
end

local MOVED <const> = { no_difference = "same" }

--- The verdict on an expectation of the metric that reg.ab compared, and what was measured.
function judge.compared(expected, found)
  local moved = MOVED[found.verdict]
  if not moved and found.verdict ~= "inconclusive" then moved = found.effect > 0 and "higher" or "lower" end
  local size, interval = numbers.effect({ effect = found.effect, effect_low = found.low, effect_high = found.high },
    found)
  local verdict = verdict_of(expected, moved, found.low, found.high)
  return verdict, (moved and "" or "inconclusive: ") .. size
    .. (interval and " (95 % interval " .. interval .. ")" or "")
end

local function range(list) return math.min(table.unpack(list)), math.max(table.unpack(list)) end

local function mean(list)
  local sum = 0
  for _, x in ipairs(list) do sum = sum + x end
  return sum / #list
end

local function written(before, after, unit)
  if unit == "bytes" then before, after, unit = before / (1 << 20), after / (1 << 20), "MiB" end
  return string.format("%.4g -> %.4g%s", before, after, unit and " " .. unit or "")
end

-- Means that are this far apart and yet do not differ say nothing: the numbers of an end vary too much.
local ALIKE <const> = 0.25

local function moved_between(before, after, least)
  local _, high_a = range(before)
  local _, high_b = range(after)
  local old, new, most = mean(before), mean(after), math.max(high_a, high_b)
  if ends.differ(before, after, (least or 0) * most) then return new > old and "higher" or "lower" end
  if math.abs(new - old) > ALIKE * math.max(old, new) then return nil end
  return "same"
end

--- The verdict on an expectation of numbers that were collected, a list of each end. `least`: the relative difference
--- below which they are the same.
function judge.collected(expected, before, after, unit, least)
  local moved = moved_between(before, after, least)
  local low_a, high_a = range(before)
  local low_b, high_b = range(after)
  local verdict = verdict_of(expected, moved, low_b / high_a - 1, high_b / low_a - 1)
  return verdict, (moved and "" or "inconclusive: ") .. written(mean(before), mean(after), unit)
end

return judge
