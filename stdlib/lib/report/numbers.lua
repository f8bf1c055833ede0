-- Numbers as people read them: integers whole, measurements with the digits that their intervals or differences
-- support.

local numbers = {}

--- As many decimals as a half interval supports, with `more` digits of the half interval itself.
local function decimals_of(half, more)
  return math.tointeger(math.max(0, math.min(9, more - math.log(half, 10) // 1)))
end

local function fixed(x, decimals) return string.format("%." .. decimals .. "f", x) end

--- One number alone; "-" for none.
function numbers.plain(x)
  if not x then return "-" end
  local size = math.abs(x)
  if x == x // 1 and size < 1e15 then return string.format("%d", x // 1) end
  return string.format(size >= 1000 and size < 1e7 and "%.0f" or "%.4g", x)
end

--- The levels before and after a change, as strings: at least 3 digits, and 2 of their difference.
function numbers.pair(change, kind)
  local before, after = change.before, change.after
  if kind == "flaky" then return string.format("%.3g %%", 100 * before), string.format("%.3g %%", 100 * after) end
  local size, gap = math.max(math.abs(before), math.abs(after)), math.abs(before - after)
  local whole = before == before // 1 and after == after // 1
  if whole or size >= 1e7 or size < 1e-4 then return numbers.plain(before), numbers.plain(after) end
  local decimals = math.max(decimals_of(size, 2), gap > 0 and decimals_of(gap, 1) or 0)
  return fixed(before, decimals), fixed(after, decimals)
end

--- A level and its 95 % interval ("a to b"; nil where there is none), as strings.
function numbers.level(level, kind)
  local scale, unit = 1, ""
  if kind == "flaky" then scale, unit = 100, " %" end
  local value, low, high = scale * level.value, level.low, level.high
  if not low or not high or low >= high then return numbers.plain(value) .. unit end
  local decimals = decimals_of(scale * (high - low) / 2, 1)
  return fixed(value, decimals) .. unit, fixed(scale * low, decimals) .. " to " .. fixed(scale * high, decimals) .. unit
end

--- How much a change is, "-12.0 %"; of a flaky test in points, with a third string, the unsigned number; then its 95 %
--- interval, nil where there is none.
function numbers.effect(change, kind)
  local unit = kind == "flaky" and " points" or " %"
  local low, high, form = change.effect_low, change.effect_high, "%.3g"
  if low then form = "%." .. decimals_of(50 * (high - low), 0) .. "f" end
  local function signed(x) return string.format((x < 0 and "-" or "+") .. form, 100 * math.abs(x)) end
  local interval = low and string.format("%s to %s%s", signed(low), signed(high), unit) or nil
  return signed(change.effect) .. unit, interval, string.format(form, 100 * math.abs(change.effect)) .. unit
end

--- A probability as a confidence, "97 %", "> 99 %".
function numbers.confidence(p) return p > 0.99 and "> 99 %" or string.format("%.0f %%", 100 * p) end

return numbers
