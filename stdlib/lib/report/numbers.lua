-- Numbers as people read them: integers whole, measurements with the digits that their intervals or differences
-- support.

local read = require "lib/report/read"

local numbers = {}

-- As many decimals as a half interval supports, with `more` digits of the half interval itself.
local function decimals_of(half, more)
  return math.tointeger(math.max(0, math.min(9, more - math.log(half, 10) // 1)))
end

local function fixed(x, decimals) return string.format("%." .. decimals .. "f", x) end

--- "1 change", "3 changes".
function numbers.count(n, one) return n .. " " .. one .. (n == 1 and "" or "s") end

--- One number alone; "-" for none.
function numbers.plain(x)
  if not x then return "-" end
  local size = math.abs(x)
  if x == x // 1 and size < 1e15 then return string.format("%d", x // 1) end
  return string.format(size >= 1000 and size < 1e7 and "%.0f" or "%.4g", x)
end

local function percent(x) return string.format(math.abs(x) < 0.1 and "%.1f %%" or "%.0f %%", 100 * x) end

--- A fraction as a percentage with two digits, rounded up: "0.37 %", "2.4 %", "12 %".
function numbers.percent(x)
  x = 100 * x * (1 - 1e-9)  -- 0.1 stays 0.10 in spite of its binary form
  local digits = math.max(0, 1 - math.log(x * (1 + 1e-8), 10) // 1)
  return string.format("%." .. math.tointeger(digits) .. "f %%", math.ceil(x * 10 ^ digits) / 10 ^ digits)
end

--- The levels before and after a change, as strings: at least 3 digits, and 2 of their difference.
function numbers.pair(change, flaky)
  local before, after = change.before, change.after
  if flaky then return percent(before), percent(after) end
  local size, gap = math.max(math.abs(before), math.abs(after)), math.abs(before - after)
  local whole = before == before // 1 and after == after // 1
  if whole or size >= 1e7 or size < 1e-4 then return numbers.plain(before), numbers.plain(after) end
  local decimals = math.max(decimals_of(size, 2), gap > 0 and decimals_of(gap, 1) or 0)
  return fixed(before, decimals), fixed(after, decimals)
end

--- A level and its 95 % interval ("a to b"; nil where there is none), as strings.
function numbers.level(level, flaky)
  local scale, unit = flaky and 100 or 1, flaky and " %" or ""
  local value, low, high = scale * level.value, level.low, level.high
  if not low or not high or low >= high then return numbers.plain(value) .. unit end
  local decimals = decimals_of(scale * (high - low) / 2, 1)
  return fixed(value, decimals) .. unit, fixed(scale * low, decimals) .. " to " .. fixed(scale * high, decimals) .. unit
end

--- The size of a change of any series as a number: a ratio - 1, of a failure rate the difference; nil if it has none.
function numbers.size(change, flaky)
  local before, after = read.number(change.before), read.number(change.after)
  if not before or not after or before == 0 and not flaky then return nil end
  return flaky and after - before or after / before - 1
end

--- The size in words, "-12.0 %" or "+50 points", its 95 % interval (nil if there is none), and the size without its
--- sign; nil for a change without a size.
function numbers.effect(change, flaky)
  local size, low, high = numbers.size(change, flaky), read.number(change.effect_low), read.number(change.effect_high)
  if not size then return nil end
  local unit, form = flaky and " points" or " %", "%.3g"
  local interval = low and high and low < high
  if interval then form = "%." .. decimals_of(50 * (high - low), 0) .. "f" end
  local function signed(x) return string.format((x < 0 and "-" or "+") .. form, 100 * math.abs(x)) end
  if interval then
    size, interval = read.number(change.effect) or size, string.format("%s to %s%s", signed(low), signed(high), unit)
  end
  return signed(size) .. unit, interval or nil, string.format(form, 100 * math.abs(size)) .. unit
end

--- A probability as a confidence, "97 %", "> 99 %".
function numbers.confidence(p) return p > 0.99 and "> 99 %" or string.format("%.0f %%", 100 * p) end

return numbers
