-- The CPU time beside a time that is compared: whether it tells two ends apart with fewer runs, and whether it is what
-- --metric @time takes. CPU time does not see waiting, so it must agree with the other time at the ends.

local direction = require "lib/direction"
local median = require "lib/median"
local plan = require "lib/sweep/plan"

local FEWEST = 5      -- runs of both ends together, two of each at least
local CLEAR = 5       -- standard errors of the difference of the ends
local AGREES = 3      -- the same, by which the other time may differ less than half as much
local BUSY = 0.5      -- the CPU time's part of the time; below, the program mostly waits
local DEVIATION = math.sqrt(math.pi / 2)  -- a standard deviation, in mean absolute ones
local MEDIAN = 1.25   -- the standard error of a median, in those of a mean

local quieter = { FEWER = 3 }  -- times fewer runs are worth a sentence

--- Run-to-run noise (a relative standard deviation) and levels of some lists of numbers, and the relative standard error
--- of the difference of two of the levels; nil where a list has fewer than two numbers, or a level of 0.
function quieter.noise(lists)
  local deviations, freedom, levels, share = 0, 0, {}, 0
  for i, values in ipairs(lists) do
    levels[i] = #values > 1 and median(values) or 0
    if levels[i] == 0 then return nil end
    for _, value in ipairs(values) do deviations = deviations + math.abs(value / levels[i] - 1) end
    freedom = freedom + #values - (#values % 2 == 0 and 0.6 or 0.9)  -- the median lies among few numbers
    share = share + 1 / #values
  end
  local noise = DEVIATION * deviations / freedom
  return noise, levels, MEDIAN * noise * math.sqrt(share)
end

-- How far the two ends differ in one quantity of their runs; nil where not every run has it.
local function statistics(ends, field)
  local lists = { {}, {} }
  for i, runs in ipairs(ends) do
    for j, run in ipairs(runs) do
      if not run[field] then return nil end
      lists[i][j] = run[field]
    end
  end
  local noise, levels, err = quieter.noise(lists)
  if not noise or #ends[1] + #ends[2] < FEWEST or math.min(table.unpack(levels)) <= 0 then return nil end
  local effect = math.log(levels[2] / levels[1])
  -- As runs_to_tell of engine/search has it, for both ends.
  local runs = effect == 0 and math.huge or 2 * math.max(2, 4.5 * (noise / effect) ^ 2)
  return { noise = noise, levels = levels, err = err, effect = effect, runs = runs }
end

-- Whether the CPU time differs clearly, and no less clearly than the other time lets expect.
local function agrees(cpu, other)
  local size, sign = math.abs(cpu.effect), cpu.effect > 0 and 1 or -1
  return size > CLEAR * cpu.err and other.effect * sign + AGREES * other.err >= size / 2
end

--- Compares the two times over two ends, each a list of runs with value, cpu_s and cpu_share (of trial.cpu): { noise =,
--- cpu_noise =, effect = (of the CPU time), fewer = (times fewer runs tell the ends apart by CPU time), why = (it cannot
--- take the place of the other: "waits", "disagrees"; or nil) }. nil where there are too few runs or no CPU time.
function quieter.compare(ends)
  local value, cpu, share = statistics(ends, "value"), statistics(ends, "cpu_s"), statistics(ends, "cpu_share")
  if not (value and cpu and share) then return nil end
  local why = math.min(table.unpack(share.levels)) < BUSY and "waits" or not agrees(cpu, value) and "disagrees" or nil
  return { noise = value.noise, cpu_noise = cpu.noise, effect = cpu.effect, fewer = value.runs / cpu.runs, why = why }
end

--- Whether the CPU time may take the place of this metric: the wall time, or a time that the test prints.
function quieter.is_possible(metric)
  return metric == "@wall" or metric == "wall time" or metric:sub(1, 1) ~= "@" and direction.is_time(metric)
end

--- What the sentence says, { noise =, cpu_noise =, runs =, unit = }, if that many runs by CPU time are much fewer.
--- `found`: of compare, or nil; `runs(noise, effect)` estimates them.
function quieter.advice(found, unit, runs)
  if not found or found.why or found.fewer < quieter.FEWER then return nil end
  local needed = runs(found.cpu_noise, found.effect)
  return needed and { noise = found.noise, cpu_noise = found.cpu_noise, runs = needed, unit = unit } or nil
end

--- What --metric @time is, by `found` of the wall time: { taken = "CPU time", noise =, cpu_noise = }, or the wall time,
--- with `why`.
function quieter.choose(found)
  found = found or { why = "unknown" }
  local why = found.why or found.cpu_noise >= found.noise and "louder" or nil
  return { taken = why and "wall time" or "CPU time", why = why, noise = found.noise, cpu_noise = found.cpu_noise }
end

-- The runs of the first and of the last build of a session.
local function ends_of(session)
  local ends, last = { {}, {} }, session.head[#session.head]
  for _, entry in ipairs(session.asked) do
    local head = entry.value and session.head[entry.place]
    if head == 1 or head == last then table.insert(ends[head == 1 and 1 or 2], entry) end
  end
  return ends
end

--- The advice for a session so far, or what it has taken for @time.
function quieter.of(session)
  if session.time or not quieter.is_possible(session.run.config.metric or "") or session.asking.kind ~= "noisy" then
    return session.time
  end
  return quieter.advice(quieter.compare(ends_of(session)), "run", function(noise, effect)
    return plan.runs_for_change(session.asking, 1, math.exp(effect), noise)
  end)
end

--- Decides what @time is in a session, and goes on with it.
function quieter.decide(session)
  session.time = quieter.choose(quieter.compare(ends_of(session)))
  if session.time.why then return end
  session.run.metric = session.time.taken
  for _, entry in ipairs(session.asked) do entry.value = entry.value and entry.cpu_s end
  session:search_for(session.asking.kind)
  session.progress:update { metric = session.run.metric }
end

return quieter
