-- Numbers as people read them: integers whole, measurements with the digits that their intervals support.

local direction = require "lib/direction"
local map = require("lib/values").map
local read = require "lib/report/read"

local FACTOR = 2    -- from this ratio on a difference is a factor, not a percentage
local FINE = 0.001  -- a relative difference of bytes that would not show in larger units

-- Units that suit smaller and larger numbers, the largest first: the least number, what it is divided by and its name.
local SCALES = {
  s = { { 1, 1, "s" }, { 1e-3, 1e-3, "ms" }, { 0, 1e-6, "us" } },
  bytes = { { 1 << 30, 1 << 30, "GiB" }, { 1 << 20, 1 << 20, "MiB" }, { 0, 1, "bytes" } },
}

local numbers = {}

-- As many decimals as a half interval supports, with `more` digits of the half interval itself.
local function decimals_of(half, more)
  return math.tointeger(math.max(0, math.min(9, more - math.log(half, 10) // 1)))
end

local function fixed(x, decimals) return string.format("%." .. decimals .. "f", x) end

--- "1 change", "3 changes".
function numbers.count(n, one) return n .. " " .. one .. (n == 1 and "" or "s") end

--- At most `most` of the strings, and how many are left out: "a, b, and 3 more", with `one`, "and 3 more files".
function numbers.some(list, most, separator, one)
  local more = #list - most
  return table.concat(list, separator, 1, math.min(#list, most)) .. (more <= 0 and "" or separator .. "and "
    .. (one and numbers.count(more, "more " .. one) or more .. " more"))
end

--- With n significant digits, never in exponents.
function numbers.digits(x, n)
  local text = string.format("%." .. n .. "g", x)
  return text:find "e" and fixed(x, math.tointeger(math.max(0, n - 1 - math.log(math.abs(x), 10) // 1))) or text
end

-- The unit of numbers of this size, " ms", and what they are divided by for it. `gap`: a difference that must show.
local function unit_of(of, size, gap)
  local unit = of and of.unit
  -- One that the name ends in was said: "p50_ms".
  if not unit or unit == (of.metric or ""):match "[^%s_]+$" then return "", 1 end
  for _, scale in ipairs(unit == "bytes" and gap and gap < size * FINE and {} or SCALES[unit] or {}) do
    if size >= scale[1] then return " " .. scale[3], scale[2] end
  end
  return " " .. unit, 1
end

--- One number alone, with its unit if `of` is what was measured: a table with metric and unit; "-" for none.
function numbers.plain(x, of)
  if not x then return "-" end
  local unit, divisor = unit_of(of, math.abs(x))
  x = x / divisor
  local size = math.abs(x)
  if x == x // 1 and size < 1e15 then return string.format("%d", x // 1) .. unit end
  return string.format(size >= 1000 and size < 1e7 and "%.0f" or "%.4g", x) .. unit
end

--- The same with its name: "wall time 35.9 ms".
function numbers.named(x, of)
  return (of.metric and of.metric ~= "value" and of.metric .. " " or "") .. numbers.plain(x, of)
end

local function percent(x) return string.format(math.abs(x) < 0.1 and "%.1f %%" or "%.0f %%", 100 * x) end

-- A relative difference and the ends of its interval (or nil) as people say them: in percent, from FACTOR on as a
-- factor without a direction, unless there is none, as between numbers below zero. The last result is the unit.
local function scaled(effect, low, high, no_factor)
  local ratio = no_factor and 1 or 1 + effect
  if ratio >= FACTOR then return ratio, low and 1 + low, high and 1 + high, "x" end
  if ratio > 0 and ratio <= 1 / FACTOR then
    local bounded = low and low > -1
    return 1 / ratio, bounded and 1 / (1 + high) or nil, bounded and 1 / (1 + low) or nil, "x"
  end
  return 100 * effect, low and 100 * low, high and 100 * high, " %"
end

-- A number and the ends of its interval, with the digits that the interval supports, at most 4, through show(x, text);
-- no interval where these do not show it.
local function with_interval(x, low, high, unit, show)
  if low and high and low < high then
    local decimals = decimals_of((high - low) / 2 * (1 + 1e-9), 0)
    decimals = math.min(decimals, decimals_of(math.max(math.abs(low), math.abs(high)), 3))
    if unit == "x" then decimals = math.max(x < 10 and 1 or 0, decimals) end
    local function text(y) return show(y, fixed(math.abs(y), decimals)) end
    if unit == " %" and high >= 100 * (FACTOR - 1) then
      return text(x) .. unit, text(low) .. " % to " .. numbers.digits(1 + high / 100, 2) .. "x"
    end
    if text(low) ~= text(high) then return text(x) .. unit, text(low) .. " to " .. text(high) .. unit end
  end
  return show(x, numbers.digits(math.abs(x), 3)) .. unit
end

local function signed(x, text) return tonumber(text) == 0 and "0" or (x < 0 and "-" or "+") .. text end

--- A relative size as a bound or one side of a range, without its sign and rounded up: "0.37 %", "12 %", "3.3x".
function numbers.percent(effect)
  local x, _, _, unit = scaled(effect)
  x = math.abs(x) * (1 - 1e-9)  -- 0.1 stays 0.10 in spite of its binary form
  local digits = math.max(0, 1 - math.log(x * (1 + 1e-8), 10) // 1)
  return string.format("%." .. math.tointeger(digits) .. "f%s", math.ceil(x * 10 ^ digits) / 10 ^ digits, unit)
end

--- The levels before and after a change, as strings, the second one with the unit: at least 3 digits, and 2 of their
--- difference. `of`: metric, unit, flaky.
function numbers.pair(change, of)
  local before, after = change.before, change.after
  if of and of.flaky then return percent(before), percent(after) end
  local size, gap = math.max(math.abs(before), math.abs(after)), math.abs(before - after)
  local unit, divisor = unit_of(of, size, gap)
  before, after, size, gap = before / divisor, after / divisor, size / divisor, gap / divisor
  local whole = before == before // 1 and after == after // 1
  if whole or size >= 1e7 or size < 1e-4 then return numbers.plain(before), numbers.plain(after) .. unit end
  local decimals = math.max(decimals_of(size, 2), gap > 0 and decimals_of(gap, 1) or 0)
  return fixed(before, decimals), fixed(after, decimals) .. unit
end

--- Levels with low and high (nil where there is none) for a column of a table: a list of { value, interval }, strings
--- with the same decimals ("35.9", "35.2 to 36.4"), and their unit; nil for none. `of`: metric, unit, flaky.
function numbers.levels(list, of)
  local largest, decimals = 0, 0
  for _, level in ipairs(list) do largest = math.max(largest, math.abs(level.value or 0)) end
  local unit, divisor = unit_of(of, largest)
  if of.flaky then unit, divisor = " %", 0.01 end
  for _, level in ipairs(list) do
    local has_interval = level.low and level.high and level.low < level.high
    if has_interval then decimals = math.max(decimals, decimals_of((level.high - level.low) / 2 / divisor, 0)) end
    if not has_interval and level.value and level.value ~= level.value // 1 then decimals = 9 end
  end
  decimals = largest > 0 and math.min(decimals, decimals_of(largest / divisor, 3)) or 0
  local function shown(x) return x and fixed(x / divisor, decimals) end
  return map(list, function(level)
    local low, high = shown(level.low), shown(level.high)
    return { shown(level.value) or "-", low and high and low ~= high and low .. " to " .. high or nil }
  end), unit ~= "" and unit:sub(2) or nil
end

-- The size of a change: a ratio - 1, of a failure rate the difference; nil if it has none.
local function size_of(change, flaky)
  local before, after = read.number(change.before), read.number(change.after)
  if not before or not after then return read.number(change.effect) end
  if before == 0 and not flaky then return nil end
  return flaky and after - before or (after - before) / math.abs(before)
end

--- The size in words, "-12.0 %", "4.2x slower" or "+50 points", its 95 % interval (nil if there is none), and a
--- percentage without its sign; nil for a change without a size. `of`: metric, unit, flaky, direction or better.
function numbers.effect(change, of)
  local size, low, high = size_of(change, of.flaky), read.number(change.effect_low), read.number(change.effect_high)
  if not size then return nil end
  if low and high and low < high then size = read.number(change.effect) or size else low, high = nil, nil end
  local x, unit = 100 * size, " points"
  if of.flaky then
    low, high = low and 100 * low, high and 100 * high
  else
    local below = math.min(read.number(change.before) or 1, read.number(change.after) or 1) <= 0
    x, low, high, unit = scaled(size, low, high, below)
  end
  if unit == "x" then
    local larger, smaller = direction.comparatives(of.metric or "", of.unit, of.direction or of.better)
    local text, interval = with_interval(x, low, high, unit, function(_, digits) return digits end)
    return text .. " " .. (size > 0 and larger or smaller), interval
  end
  local text, interval = with_interval(x, low, high, unit, signed)
  return text, interval, (text:gsub("^[+-]", ""))
end

--- The levels, the size and its interval: "589 -> 518   -12.0 %  (95 % interval -12.5 to -11.5 %)".
function numbers.moved(change, of)
  local before, after = numbers.pair(change, of)
  local size, interval = numbers.effect(change, of)
  return string.format("%s -> %s%s%s", before, after, size and "   " .. size or "",
    interval and "  (95 % interval " .. interval .. ")" or "")
end

--- The size without a sign and in the direction of the change: "3.1 %", "2.4x", for a sentence that says it.
function numbers.difference(effect, low, high)
  local x, unit
  x, low, high, unit = scaled(effect, low, high)
  if x < 0 then x, low, high = -x, high and -high, low and -low end
  return with_interval(x, low, high, unit, function(y, text) return (y < 0 and "-" or "") .. text end)
end

--- A probability as a confidence, "97 %", "> 99 %".
function numbers.confidence(p) return p > 0.99 and "> 99 %" or string.format("%.0f %%", 100 * p) end

return numbers
