-- Whether a subject that was run before gives other numbers now: the machine changed, since the subject did not.

local median = require "lib/median"

local moved = {}

moved.RECENT = 3  -- runs that must agree that it moved: a burst of load lasts for one

--- The relative distance of `recent` from the level `base` of `runs` earlier runs, and the same in standard errors. By
--- medians, so that one odd run does not count as a move. `noise`: relative standard deviation of one run;
--- `build_noise`: of a build besides.
function moved.distance(base, runs, recent, noise, build_noise)
  local far = median(recent) / base - 1
  local of_runs = noise ^ 2 * (1 / runs + 1 / #recent)
  return far, math.abs(far) / math.sqrt(of_runs + (build_noise or 0) ^ 2)
end

--- The noise of one run: that of the subjects, or of these runs of one level where it is larger. Few runs may lie close
--- together by chance.
function moved.noise(of_subjects, values, base)
  local sum, n = 0, #values
  if n < 2 then return of_subjects end
  for _, value in ipairs(values) do sum = sum + (value / base - 1) ^ 2 end
  return math.max(of_subjects, math.sqrt(sum / (n - 1)) * (1 + 1 / n))
end

--- Runs it until judge(numbers) says whether it moved: true or false, or nil for one more run. measure() returns what
--- it ran and its number, or nil and why it has none. Returns what was run, the numbers, and the judgment, or nil and
--- why a run has no number.
function moved.look(measure, judge)
  local made, recent = {}, {}
  while true do
    local run, value = measure()
    if not run then return made, recent, nil, value end
    made[#made + 1], recent[#recent + 1] = run, value
    local is_moved = judge(recent)
    if is_moved ~= nil then return made, recent, is_moved end
  end
end

return moved
