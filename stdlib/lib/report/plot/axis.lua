-- The ticks of an axis and their labels: { { at =, text = }, ... }.

local axis = {}

local function decimals_of(step) return math.max(0, math.min(9, math.ceil(-math.log(step, 10) - 1e-9))) end

--- Round numbers from low to high, at most about `count`.
function axis.numbers(low, high, count)
  local rough = (high - low) / count
  if rough <= 0 or rough == math.huge then return {} end
  local magnitude = 10.0 ^ math.floor(math.log(rough, 10))
  local step = 10 * magnitude
  for _, multiple in ipairs { 5, 2, 1 } do
    if multiple * magnitude >= rough then step = multiple * magnitude end
  end
  local largest = math.max(math.abs(low), math.abs(high))
  local format = (largest >= 1e7 or largest < 1e-4) and "%.6g" or "%." .. math.tointeger(decimals_of(step)) .. "f"
  local ticks = {}
  for n = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9) do
    ticks[#ticks + 1] = { at = n * step, text = string.format(format, n * step + 0.0) }
  end
  return ticks
end

local DAY = 86400
local STEPS = { 1, 5, 15, 30, 60, 300, 900, 1800, 3600, 3 * 3600, 6 * 3600, 12 * 3600, DAY, 2 * DAY, 4 * DAY, 7 * DAY,
  14 * DAY }
local MONTHS = { 1, 2, 3, 6, 12, 24, 60, 120, 240 }

local function format(at, form) return reg.time.format(math.floor(at), form) end

-- The first day of every `months` months.
local function by_months(low, high, months)
  local ticks = {}
  local first = tonumber(format(low, "%Y")) * 12 + tonumber(format(low, "%m")) - 1
  for month = (first // months) * months, first + math.ceil((high - low) / (28 * DAY)) + months, months do
    local at = reg.time.parse(string.format("%04d-%02d-01", month // 12, month % 12 + 1))
    if at >= low and at <= high then
      ticks[#ticks + 1] = { at = at, text = format(at, months >= 12 and "%Y" or "%Y-%m") }
    end
  end
  return ticks
end

--- Round times from low to high, in seconds since 1970, at most about `count`. The first hour of a day names the day.
function axis.times(low, high, count)
  local rough = (high - low) / count
  for _, step in ipairs(STEPS) do
    if step >= rough then
      local ticks, day = {}, nil
      for n = math.ceil(low / step), math.floor(high / step) do
        local at = n * step
        local this_day, clock = format(at, "%Y-%m-%d"), format(at, step < 60 and "%H:%M:%S" or "%H:%M")
        ticks[#ticks + 1] = { at = at, text = step >= DAY and this_day or this_day == day and clock or clock .. "\n"
          .. this_day }
        day = this_day
      end
      return ticks
    end
  end
  for _, months in ipairs(MONTHS) do
    if months * 30 * DAY >= rough then return by_months(low, high, months) end
  end
  return {}
end

return axis
