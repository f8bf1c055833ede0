-- reg.compare: two programs by the numbers of independent processes: the shift between two samples, by Hodges and
-- Lehmann's estimator with the interval of the Mann-Whitney test (Hollander and Wolfe, chapter 4).

local direction = require "lib/direction"
local median, sorted = require("lib/values").median, require("lib/values").sorted

local MAX_EXACT = 900  -- pairs; beyond that the normal approximation is as good

local function usage(message, hint) core.fail("usage", "compare: " .. message, hint) end

-- The logarithm of each process's median, since a slowdown is a factor.
local function logarithms(processes, name)
  if type(processes) ~= "table" or #processes == 0 then
    usage(name .. " must be a list with a number, or a list of numbers, for each process")
  end
  local logs = {}
  for i, process in ipairs(processes) do
    local samples = type(process) == "table" and process or { process }
    if #samples == 0 then
      usage(string.format("process %d of %s has no samples", i, name), "Leave out failed processes.")
    end
    for _, value in ipairs(samples) do
      if type(value) ~= "number" or not (value > 0 and value < math.huge) then
        usage(string.format("process %d of %s: not a positive number: %s", i, name, tostring(value)),
          "Leave out failed processes.")
      end
    end
    logs[i] = math.log(#samples == 1 and samples[1] or median(samples))
  end
  return logs
end

-- counts[u + 1]: the number of orders of m and n numbers in which u pairs have the first one larger.
local function orders(m, n)
  local counts = { 1 }
  -- Generating function: product of (1 - q^(n + i)) / (1 - q^i).
  for i = 1, m do
    local most = m * n
    for u = most, n + i, -1 do counts[u + 1] = (counts[u + 1] or 0) - (counts[u - n - i + 1] or 0) end
    for u = i, most do counts[u + 1] = (counts[u + 1] or 0) + (counts[u - i + 1] or 0) end
  end
  return counts
end

-- The z with probability `tail` beyond it in the normal distribution, by Newton's method.
local function normal_quantile(tail)
  local z = 0
  for _ = 1, 60 do  -- Abramowitz and Stegun 26.2.17, to 7.5e-8
    local t, density = 1 / (1 + 0.2316419 * z), math.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    local polynomial = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    z = z + polynomial - tail / density
  end
  return z
end

-- How many of the smallest, and of the largest, pairwise differences lie outside an interval of at least that
-- confidence; -1 with too few numbers for any interval.
local function outside_of(m, n, confidence)
  local tail = (1 - confidence) / 2
  if m * n > MAX_EXACT then
    return math.max(-1, math.floor(m * n / 2 - normal_quantile(tail) * math.sqrt(m * n * (m + n + 1) / 12) - 0.5))
  end
  local counts, all, sum = orders(m, n), 0.0, 0.0
  for u = 0, m * n do all = all + counts[u + 1] end
  for u = 0, m * n do
    sum = sum + counts[u + 1] / all
    if sum > tail then return u - 1 end
  end
end

-- Of all differences b[j] - a[i] of sorted lists: how many are at most `most`, the largest of those, and the smallest
-- of the others.
local function split(a, b, most)
  local count, below, above, j = 0, -math.huge, math.huge, 0
  for _, x in ipairs(a) do
    while j < #b and b[j + 1] - x <= most do j = j + 1 end
    count = count + j
    if j > 0 then below = math.max(below, b[j] - x) end
    if j < #b then above = math.min(above, b[j + 1] - x) end
  end
  return count, below, above
end

-- The k-th smallest difference, by bisection.
local function difference(a, b, k)
  local low, high = b[1] - a[#a], b[#b] - a[1]
  while low < high do
    local middle = low + (high - low) / 2
    local count, below, above = split(a, b, middle < high and middle or low)
    if count >= k then high = below else low = above end
  end
  return low
end

-- The shift from a to b and its interval: shift, low, high. With too few numbers the interval is -inf to inf.
local function shift_of(a, b, confidence)
  a, b = sorted(a), sorted(b)
  local count, outside = #a * #b, outside_of(#a, #b, confidence)
  local middle = (difference(a, b, (count + 1) // 2) + difference(a, b, count // 2 + 1)) / 2
  if outside < 0 then return middle, -math.huge, math.huge end
  return middle, difference(a, b, outside + 1), difference(a, b, count - outside)
end

local function verdict(shift, low, high, margin, better)
  if -margin < low and high < margin then return "same" end
  if (low <= 0 and high >= 0) or math.abs(shift) < margin then return "ambiguous" end
  return (shift > 0) == (better == "lower") and "slower" or "faster"
end

---@class compare.Options
---@field min_effect? number smallest effect that matters; default 0.01, one percent
---@field confidence? number of the interval; default 0.99
---@field better? "lower"|"higher" which values are better; unless given, what the name of the metric says
---@field metric? string name of the number, such as "seconds" or "items/s"

---@class compare.Answer
---@field verdict "faster"|"slower"|"same"|"ambiguous" of b compared with a
---@field effect number b / a - 1
---@field low number lower end of the interval of the effect; -1 with too few processes
---@field high number upper end; infinite with too few processes
---@field a number median of a's processes
---@field b number
---@field n_a integer
---@field n_b integer

--- Whether b is faster than a, slower or the same, from the numbers of independent processes: one number, or a list of
--- samples, for each. A process counts once, by its median, since its samples are not independent. faster or slower:
--- the interval of the effect excludes zero and the effect is at least min_effect. same: the whole interval is smaller
--- than min_effect. Otherwise ambiguous: run more processes. The interval (Hodges-Lehmann, Mann-Whitney) does not
--- assume a normal distribution. Confidence 0.99 takes at least five processes on each side. Raises usage for numbers
--- that are not positive, and where neither `better` nor `metric` says which values are better.
--- ```lua
--- local answer = reg.compare({ 1.00, 1.02, 0.99, 1.01, 1.00 }, { 1.05, 1.06, 1.04, 1.07, 1.05 },
---   { metric = "seconds" })
--- print(answer.verdict, string.format("%+.1f %%", 100 * answer.effect))
--- ```
---@param a (number|number[])[]
---@param b (number|number[])[]
---@param options? compare.Options
---@return compare.Answer answer
return function(a, b, o)
  o = core.check_keys("compare", o or {}, { "min_effect", "confidence", "better", "metric" })
  local min_effect, confidence = o.min_effect or 0.01, o.confidence or 0.99
  local better = direction.given(o.better, o.metric or "value", "compare")
  if type(min_effect) ~= "number" or min_effect <= 0 then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  if type(confidence) ~= "number" or confidence < 0.5 or confidence >= 1 then
    usage "confidence must be at least 0.5 and below 1"
  end
  if not better then core.fail("usage", direction.unknown(o.metric or "value")) end
  local from, to = logarithms(a, "a"), logarithms(b, "b")
  local shift, low, high = shift_of(from, to, confidence)
  return {
    verdict = verdict(shift, low, high, math.log(1 + min_effect), better),
    effect = math.exp(shift) - 1, low = math.exp(low) - 1, high = math.exp(high) - 1,
    a = math.exp(median(from)), b = math.exp(median(to)), n_a = #from, n_b = #to,
  }
end
