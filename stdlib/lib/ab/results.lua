-- What the runs of a command were, with the names that hyperfine's JSON has for it.

local median = require "lib/median"

local function sum_of(list)
  local sum = 0.0
  for _, x in ipairs(list) do sum = sum + x end
  return sum
end

local function mean(list) return #list > 0 and sum_of(list) / #list or nil end

local function deviation(list)
  if #list < 2 then return nil end
  local middle, squares = mean(list), 0.0
  for _, x in ipairs(list) do squares = squares + (x - middle) ^ 2 end
  return math.sqrt(squares / (#list - 1))
end

-- This field of the turns that have it.
local function field_of(turns, field)
  local list = reg.json.array {}
  for _, turn in ipairs(turns) do list[#list + 1] = turn[field] end
  return list
end

--- `turns`: of lib/sweep/turns, all successful; `field`: that of their numbers; `one`: of lib/ab/scan.
return function(turns, field, one)
  local times, codes = field_of(turns, field), reg.json.array {}
  for i = 1, #times do codes[i] = 0 end
  return { command = one.command, mean = mean(times), stddev = deviation(times), median = median(times),
    user = mean(field_of(turns, "user_s")), system = mean(field_of(turns, "sys_s")),
    min = math.min(table.unpack(times)), max = math.max(table.unpack(times)), times = times, exit_codes = codes,
    parameters = next(one.values) and one.values or nil }
end
