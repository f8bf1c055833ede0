-- The scale of an axis: from where to where it goes, and its round numbers.

local find = require("lib/values").find

local axis = {}

--- From the lowest to the highest of `first`, unless it is nil, and the numbers that series have as x or y. A range
--- around a single number has it in the middle.
function axis.range(series, name, first)
  local low, high = first or math.huge, first or -math.huge
  for _, one in ipairs(series) do
    for _, number in ipairs(one[name]) do
      if number then low, high = math.min(low, number), math.max(high, number) end
    end
  end
  local half = low < high and 0 or low == 0 and 1 or math.abs(low) * 0.01
  return { low = low - half + 0.0, high = high + half + 0.0 }
end

--- Round numbers within the range, at most about `count`, ascending.
function axis.ticks(range, count)
  local rough = (range.high - range.low) / count
  if rough == 0 or rough == math.huge then return { range.low, range.high } end
  local magnitude = 10.0 ^ math.floor(math.log(rough, 10))
  local step = magnitude * (find({ 1, 2, 5 }, function(multiple) return multiple * magnitude >= rough end) or 10)
  local ticks, first = {}, math.ceil(range.low / step)
  for i = 0, math.floor(range.high / step - first + 1e-9) do ticks[i + 1] = (first + i) * step end
  return ticks
end

--- All ticks with the decimals of their step: "0.5", "1.0".
function axis.labels(ticks, range)
  local step = #ticks > 1 and ticks[2] - ticks[1] or math.abs(ticks[1] or 0)
  local size, labels = math.max(math.abs(range.low), math.abs(range.high)), {}
  local decimals = step > 0 and math.ceil(-math.log(step, 10) - 1e-9) or 0
  local form = (size >= 1e7 or size < 1e-4) and "%.4g" or "%." .. math.max(0, math.min(9, decimals)) .. "f"
  for i, tick in ipairs(ticks) do labels[i] = form:format(tick + 0.0) end
  return labels
end

return axis
