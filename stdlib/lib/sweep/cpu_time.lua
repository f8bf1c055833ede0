-- The CPU time beside a time that is compared: whether it tells two ends apart with fewer runs, and whether it is what
-- --metric @time takes. CPU time does not see waiting, so it must agree with the other time at the ends.

local direction = require "lib/direction"
local median = require "lib/median"
local plan = require "lib/sweep/plan"

local FEWEST = 3      -- repeated runs that tell the noise
local CLEAR = 5       -- standard errors of the difference of the ends
local AGREES = 2      -- the same, by which the other time may differ less than half as much
local BUSY = 0.5      -- the CPU time's part of the time; below, the program mostly waits
local DEVIATION = math.sqrt(math.pi / 2)  -- a standard deviation, in mean absolute ones
local MEDIAN = 1.25   -- the standard error of a median, in those of a mean

local cpu_time = { FEWER = 3 }  -- times fewer runs are worth a sentence

--- The run-to-run noise of builds, a relative standard deviation, from lists of their numbers, and how many numbers
--- tell it; nil where none does.
function cpu_time.noise(lists)
  local deviations, freedom, spare = 0, 0, 0
  for _, values in ipairs(lists) do
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

--- The relative standard error of the difference of the levels of two lists under a noise.
function cpu_time.error(noise, a, b) return MEDIAN * noise * math.sqrt(1 / #a + 1 / #b) end

-- How far the first two builds, the ends, differ in one quantity of their runs; nil where that is not known.
local function statistics(builds, field)
  local lists = {}
  for i, runs in ipairs(builds) do
    lists[i] = {}
    for _, run in ipairs(runs) do
      if run.cpu_share then table.insert(lists[i], run[field]) end
    end
  end
  local noise, spare = cpu_time.noise(lists)
  if not noise or spare < FEWEST or #lists[1] == 0 or #lists[2] == 0 then return nil end
  local low, high = median(lists[1]), median(lists[2])
  if low <= 0 or high <= 0 then return nil end
  return { noise = noise, least = math.min(low, high), err = cpu_time.error(noise, lists[1], lists[2]),
    effect = math.log(high / low) }
end

-- How many runs tell both ends apart, as runs_to_tell of engine/search has it.
local function runs_to_tell(effect, noise) return 2 * math.max(2, 4.5 * (noise / effect) ^ 2) end

-- Whether the CPU time differs clearly, and no less clearly than the other time lets expect.
local function agrees(cpu, other)
  local size, sign = math.abs(cpu.effect), cpu.effect > 0 and 1 or -1
  return size > CLEAR * cpu.err and other.effect * sign + AGREES * other.err >= size / 2
end

--- Compares the two times over builds, the ends first, each a list of runs with value, cpu_s and cpu_share (of
--- trial.cpu): { noise =, cpu_noise =, effect = (of the CPU time), fewer = (times fewer runs tell the ends apart by CPU
--- time), why = (it cannot take the place of the other: "waits", "disagrees"; or nil) }. nil where there are too few
--- runs or no CPU time.
function cpu_time.compare(builds)
  local value, cpu, share = statistics(builds, "value"), statistics(builds, "cpu_s"), statistics(builds, "cpu_share")
  if not (value and cpu and share) then return nil end
  local why = share.least < BUSY and "waits" or not agrees(cpu, value) and "disagrees" or nil
  local effect = math.abs(value.effect) > CLEAR * value.err and value.effect or cpu.effect
  return { noise = value.noise, cpu_noise = cpu.noise, effect = cpu.effect, why = why,
    fewer = runs_to_tell(effect, value.noise) / runs_to_tell(cpu.effect, cpu.noise) }
end

--- Whether the CPU time may take the place of this metric: of the wall time, or of a time that the test prints.
function cpu_time.is_possible(metric)
  if not metric then return false end
  return metric == "@wall" or metric == "wall time" or metric:sub(1, 1) ~= "@" and direction.is_time(metric)
end

--- What the sentence says, { noise =, cpu_noise =, runs =, unit = }, if that many runs by CPU time are much fewer than
--- the noise demands, or than were `used` so far. `found`: of compare, or nil; `runs(noise, effect)` estimates them.
function cpu_time.advice(found, unit, used, runs)
  if not found or found.why or found.noise < cpu_time.FEWER * found.cpu_noise then return nil end
  local needed = runs(found.cpu_noise, found.effect)
  if not needed or found.fewer < cpu_time.FEWER and used < cpu_time.FEWER * needed then return nil end
  return { noise = found.noise, cpu_noise = found.cpu_noise, runs = needed, unit = unit }
end

--- What --metric @time is, by `found` of the wall time: { taken = "CPU time", noise =, cpu_noise = }, or the wall time,
--- with `why`.
function cpu_time.choose(found)
  found = found or { why = "unknown", noise = 0, cpu_noise = 0 }
  local why = found.why or found.cpu_noise >= found.noise and "louder" or nil
  return { taken = why and "wall time" or "CPU time", why = why, noise = found.noise, cpu_noise = found.cpu_noise }
end

-- The runs of each build of a session, the first and the last build first.
local function builds_of(session)
  local builds = { {}, {} }
  local of = { [session.head[#session.head]] = builds[2], [1] = builds[1] }
  for _, entry in ipairs(session.asked) do
    local head = entry.value and session.head[entry.place]
    if head and not of[head] then
      of[head] = {}
      builds[#builds + 1] = of[head]
    end
    if head then table.insert(of[head], entry) end
  end
  return builds
end

--- The advice for a session so far, or what it has taken for @time.
function cpu_time.of(session)
  if session.time or not cpu_time.is_possible(session.run.config.metric) or session.asking.kind ~= "noisy" then
    return session.time
  end
  return cpu_time.advice(cpu_time.compare(builds_of(session)), "run", #session.asked, function(noise, effect)
    return plan.runs_for_change(session.asking, 1, math.exp(effect), noise)
  end)
end

--- Decides what @time is in a session, and goes on with it.
function cpu_time.decide(session)
  session.time = cpu_time.choose(cpu_time.compare(builds_of(session)))
  if session.time.why then return end
  session.run.metric = session.time.taken
  for _, entry in ipairs(session.asked) do entry.value = entry.value and entry.cpu_s end
  session:search_for(session.asking.kind)
  session.progress:update { metric = session.run.metric }
end

return cpu_time
