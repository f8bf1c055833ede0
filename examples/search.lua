#!/usr/bin/env regengine
--- The search alone: a made-up function that is noisy and became slower somewhere, and where that was.

local FIRST_SLOW, NOISE = 613, 0.01
math.randomseed(1)  -- the same noise each time; without this line: other noise, and nearly always the same answer

local function measure(place)
  local noise = math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random())
  return (place < FIRST_SLOW and 5.0 or 5.3) * (1 + NOISE * noise)
end

local answer = reg.search { n = 1000, measure = measure, min_effect = 0.03 }

local points = {}
for _, run in ipairs(answer.asked) do points[#points + 1] = run end
table.sort(points, function(a, b) return a.place < b.place end)
local values, labels, changes = {}, {}, {}
for i, run in ipairs(points) do
  values[i], labels[i] = run.value, tostring(run.place)
  for _, change in ipairs(answer.changes) do
    if change.hi == run.place then changes[1] = changes[1] or i end
  end
end
print(reg.report.plot { values = values, labels = labels, changes = changes })
for _, c in ipairs(answer.changes) do
  print(string.format("at %d: %.3f -> %.3f, %+.1f %% (%+.1f to %+.1f %%), p %.3f", c.hi, c.before, c.after,
    100 * c.effect, 100 * c.effect_low, 100 * c.effect_high, c.p))
end
print(string.format("%s after %d runs of 1000 places; noise %.2g %%", answer.verdict, answer.runs, 100 * answer.noise))
