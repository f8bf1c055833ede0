-- What a command costs the host: CPU time, waiting, page faults, Python's imports.

local costs = require "lib/host/costs"

local level = { name = "host", pass = "plain", measures = true, around = costs }

-- Imports are a cause if at least half of what they take more is in modules that are new, or in this many others. On a
-- machine that is slower, or with more processes, all modules take longer.
local MOST_MODULES <const> = 3

function level.read(run) return run.host, "it could not be measured" end

local function self_times(one)
  local times = {}
  for _, module in ipairs(one.imports.modules) do times[module.name] = module.self_s end
  return times
end

-- Whether imports are slower as all else is.
local function is_general(before, after)
  local one, other = before[1].imports, after[1].imports
  if not one or not other or other.total_s <= one.total_s then return false end
  local old, special, changes = self_times(before[1]), 0, {}
  for name, seconds in pairs(self_times(after[1])) do
    if old[name] then changes[#changes + 1] = seconds - old[name] else special = special + seconds end
  end
  table.sort(changes, function(x, y) return x > y end)
  for i = 1, math.min(MOST_MODULES, #changes) do special = special + math.max(0, changes[i]) end
  return special < (other.total_s - one.total_s) / 2
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
