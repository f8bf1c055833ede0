-- The CPU time and the instructions beside a time that is compared: whether one of them tells two ends apart with fewer
-- runs, and whether it is what --metric @time takes. Neither sees waiting, so it must agree with the time at the ends.

local Outlook = require "lib/sweep/outlook"
local median = require("lib/values").median

local FEWEST = 3      -- repeated runs that tell the noise
local CLEAR = 5       -- standard errors of the difference of the ends
local AGREES = 2      -- the same, by which the other time may differ less than half as much
local BUSY = 0.5      -- the CPU time's part of the time; below, the program mostly waits
local OTHERS = {      -- what may take the place of the time: the metric, and the field of a run
  { name = "CPU time", field = "cpu_s" }, { name = "instructions", field = "instructions" },
}
local DEVIATION = math.sqrt(math.pi / 2)  -- a standard deviation, in mean absolute ones
local MEDIAN = 1.25   -- the standard error of a median, in those of a mean

local quieter = { FEWER = 3 }  -- times fewer runs are worth a sentence

--- The run-to-run noise of builds, a relative standard deviation, from lists of their numbers, and how many numbers
--- tell it; nil where none does.
function quieter.noise(lists)
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
function quieter.error(noise, a, b) return MEDIAN * noise * math.sqrt(1 / #a + 1 / #b) end

-- How far the first two builds, the ends, differ in one quantity of their runs; nil where that is not known.
local function statistics(builds, field)
  local lists = {}
  for i, runs in ipairs(builds) do
    lists[i] = {}
    for _, run in ipairs(runs) do
      if run.cpu_share and run[field] then table.insert(lists[i], run[field]) end
    end
  end
  local noise, spare = quieter.noise(lists)
  if not noise or spare < FEWEST or #lists[1] == 0 or #lists[2] == 0 then return nil end
  local low, high = median(lists[1]), median(lists[2])
  if low <= 0 or high <= 0 then return nil end
  return { noise = noise, least = math.min(low, high), err = quieter.error(noise, lists[1], lists[2]),
    effect = math.log(high / low) }
end

-- How many runs tell both ends apart, as runs_to_tell of engine/search has it.
local function runs_to_tell(effect, noise) return 2 * math.max(2, 4.5 * (noise / effect) ^ 2) end

-- Whether the other number differs clearly, and no less clearly than the time lets expect.
local function agrees(other, time)
  local size, sign = math.abs(other.effect), other.effect > 0 and 1 or -1
  return size > CLEAR * other.err and time.effect * sign + AGREES * time.err >= size / 2
end

local function compare_with(other, value, share)
  local why = share.least < BUSY and "waits" or not agrees(other, value) and "disagrees" or nil
  local effect = math.abs(value.effect) > CLEAR * value.err and value.effect or other.effect
  return { noise = value.noise, other_noise = other.noise, effect = other.effect, why = why,
    fewer = runs_to_tell(effect, value.noise) / runs_to_tell(other.effect, other.noise) }
end

local function clarity(found) return math.abs(found.effect) / found.other_noise end

--- Compares a time with the CPU time and the instructions over builds, the ends first, each a list of runs with value,
--- and cpu_s, cpu_share and instructions (of trial.entry). Returns the one that tells the ends apart best: { other =
--- (its name), field =, noise = (of the time), other_noise =, effect = (of the other), fewer = (times fewer runs it
--- takes), why = (it cannot take the place of the time: "waits", "disagrees"; or nil) }. nil with too few runs, or no
--- CPU time.
function quieter.compare(builds)
  local value, share, best = statistics(builds, "value"), statistics(builds, "cpu_share"), nil
  for _, one in ipairs(OTHERS) do
    local other = value and share and statistics(builds, one.field)
    local found = other and compare_with(other, value, share)
    if found and (not best or not found.why and (best.why or clarity(found) > clarity(best))) then
      best, found.other, found.field = found, one.name, one.field
    end
  end
  return best
end

--- What the sentence says, { other =, noise =, other_noise =, runs =, unit = }, if that many runs by the other number
--- are much fewer than the noise demands, or than were `used` so far. `found`: of compare, or nil; `runs(found)`
--- estimates them.
function quieter.advice(found, unit, used, runs)
  if not found or found.why or found.noise < quieter.FEWER * found.other_noise then return nil end
  local needed = runs(found)
  if not needed or found.fewer < quieter.FEWER and used < quieter.FEWER * needed then return nil end
  return { other = found.other, noise = found.noise, other_noise = found.other_noise, runs = needed, unit = unit }
end

--- What --metric @time is, by `found` of the wall time: { taken = (the metric), other =, noise =, other_noise = }; the
--- wall time with `why`, and another with the `field` of its runs.
function quieter.choose(found)
  found = found or { why = "unknown", other = "CPU time", noise = 0, other_noise = 0 }
  local why = found.why or found.other_noise >= found.noise and "louder" or nil
  return { taken = why and "wall time" or found.other, other = found.other, why = why, noise = found.noise,
    other_noise = found.other_noise, field = not why and found.field or nil }
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

--- The advice for a session so far, which is one by a time.
function quieter.of(session)
  return quieter.advice(quieter.compare(builds_of(session)), "run", #session.asked, function(found)
    return Outlook.runs_for_change(session.asking, 1, math.exp(found.effect), found.other_noise)
  end)
end

--- Decides what @time is in a session, and goes on with it.
function quieter.decide(session)
  session.time = quieter.choose(quieter.compare(builds_of(session)))
  if session.time.why then return end
  session.run.metric = session.time.taken
  if session.time.taken == "instructions" then session.run.unit = nil end
  for _, entry in ipairs(session.asked) do entry.value = entry.value and entry[session.time.field] end
  session:search_for(session.asking.kind)
  session.progress:update { metric = session.run.metric }
end

return quieter
