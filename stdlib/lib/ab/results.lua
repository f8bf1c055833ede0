-- What the runs of a command were, with the names that hyperfine's JSON has for it.

local Sequence = require "lib/ab/sequence"
local median = require("lib/values").median

-- This field of the turns that have it, and its mean and deviation.
local function field_of(turns, field)
  local list, moments = reg.json.array {}, Sequence.new()
  for _, turn in ipairs(turns) do
    if turn[field] then
      list[#list + 1] = turn[field]
      moments:add(turn[field])
    end
  end
  return list, #list > 0 and moments.mean or nil, moments:deviation()
end

--- `turns`: of lib/ab/turns, all successful; `field`: that of their numbers; `one`: of lib/ab/scan.
return function(turns, field, one)
  local times, mean, deviation = field_of(turns, field)
  local _, user = field_of(turns, "user_s")
  local _, system = field_of(turns, "sys_s")
  local codes = reg.json.array {}
  for i = 1, #times do codes[i] = 0 end
  return { command = one.command, mean = mean, stddev = deviation, median = median(times), user = user, system = system,
    min = math.min(table.unpack(times)), max = math.max(table.unpack(times)), times = times, exit_codes = codes,
    parameters = next(one.values) and one.values or nil }
end
