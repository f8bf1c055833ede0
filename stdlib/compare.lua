-- reg.compare: two programs by the numbers of independent processes.

local check_keys = core.check_keys
local direction = require "lib/direction"
local median = require "lib/median"
local ranks = require "lib/results/ranks"

local KEYS = { "min_effect", "confidence", "better", "metric" }

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
  o = o or {}
  check_keys("compare", o, KEYS)
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
  local shift, low, high = ranks.shift(from, to, confidence)
  return {
    verdict = verdict(shift, low, high, math.log(1 + min_effect), better),
    effect = math.exp(shift) - 1, low = math.exp(low) - 1, high = math.exp(high) - 1,
    a = math.exp(median(from)), b = math.exp(median(to)), n_a = #from, n_b = #to,
  }
end
