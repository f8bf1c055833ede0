-- The run-to-run noise of a few builds, and whether CPU time or instructions have much less of it than wall time.

local values_of = require "lib/values"

local flat, map, median = values_of.flat, values_of.map, values_of.median

local FEWEST = 3      -- repeated runs that tell the noise
local LOUD = 0.05     -- a noise that costs many runs
local QUIETER = 3     -- times less noise is worth a sentence
local BUSY = 0.5      -- the CPU time's part of the time; below, the program mostly waits, which neither number sees
local CLEAR = 5       -- standard errors of a difference that is worth a word
local OTHERS = {      -- what may take the place of the time: the metric, and the field of a run
  { name = "CPU time", field = "cpu_s" }, { name = "instructions", field = "instructions" },
}
local DEVIATION = math.sqrt(math.pi / 2)  -- a standard deviation, in mean absolute ones

local quieter = {}

--- The run-to-run noise, a relative standard deviation, of lists of numbers by build, and how many tell it; or nil.
function quieter.noise(lists)
  local deviations, freedom, spare = 0, 0, 0
  for _, values in pairs(lists) do
    local level = #values > 1 and median(values)
    if level == 0 then return nil end
    for _, value in ipairs(level and values or {}) do deviations = deviations + math.abs(value / level - 1) end
    -- The median lies among few numbers.
    freedom = freedom + (level and #values - (#values % 2 == 0 and 0.6 or 0.9) or 0)
    spare = spare + math.max(#values - 1, 0)
  end
  if spare == 0 then return nil end
  return DEVIATION * deviations / freedom, spare
end

-- The noise of one field of the runs; nil where too few tell it.
local function noise_of(builds, field)
  local noise, spare = quieter.noise(map(builds, function(runs)
    return map(runs, function(run) return run[field] end)
  end))
  return noise and spare >= FEWEST and noise or nil
end

-- By how much a field differs between two builds, relative; nil where its noise may be all of it.
local function difference(a, b, field, noise)
  local function level(runs) return median(map(runs, function(run) return run[field] end)) end
  local effect = #a > 1 and #b > 1 and level(b) / level(a) - 1 or 0
  return math.abs(effect) > CLEAR * noise * math.sqrt(1 / #a + 1 / #b) and effect or nil
end

--- Of runs by build, each with value, a wall time, and cpu_s, cpu_share and instructions (lib/sweep/trial, entry): the
--- number with the least noise, as metric.Quieter; nil where none has much less than the wall time. `first` and `last`
--- are the builds at the ends.
function quieter.of(builds, first, last)
  local shares = map(flat(builds, function(runs) return runs end), function(run) return run.cpu_share end)
  local noise, found = #shares > 0 and median(shares) >= BUSY and noise_of(builds, "value"), nil
  for _, one in ipairs(noise and noise >= LOUD and OTHERS or {}) do
    local other = noise_of(builds, one.field)
    if other and other < (found and found.other_noise or noise / QUIETER) then
      local effect = difference(builds[first] or {}, builds[last] or {}, one.field, other)
      found = { other = one.name, noise = noise, other_noise = other, effect = effect }
    end
  end
  return found
end

return quieter
