-- What a command costs the host: CPU time, waiting, page faults, Python's imports.

local costs = require "lib/host/costs"
local median = require "lib/median"

local level = { name = "host", pass = "plain", around = costs }

-- How many times more imports must grow than a typical module to be a cause: on a machine that is slower, or with more
-- processes, all modules grow.
local FACTOR <const> = 1.5

function level.read(run) return run.host, "it could not be measured" end

local function self_times(one)
  local times = {}
  for _, module in ipairs(one.imports and one.imports.modules or {}) do times[module.name] = module.self_s end
  return times
end

-- How many times longer a typical module takes that both import; nil without one.
local function typical_ratio(before, after)
  local old, new, ratios = self_times(before), self_times(after), {}
  for name, seconds in pairs(old) do
    if seconds > 0 and new[name] then ratios[#ratios + 1] = new[name] / seconds end
  end
  return #ratios > 0 and median(ratios) or nil
end

-- Whether imports are slower as all else is.
local function is_general(before, after)
  local one, other = before[1], after[1]
  local typical = typical_ratio(one, other)
  return typical ~= nil and other.imports.total_s < FACTOR * typical * one.imports.total_s
end

local function without_imports(collected)
  local list = {}
  for i, one in ipairs(collected) do
    list[i] = {}
    for name, value in pairs(one) do list[i][name] = value end
    list[i].imports = nil
  end
  return list
end

function level.compare(before, after)
  if is_general(before, after) then before, after = without_imports(before), without_imports(after) end
  return reg.host.diff(before, after)
end

return level
