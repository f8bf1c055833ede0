-- The dry run of a sweep: measures nothing, and says what would run, how many times and, from earlier trials, how long.

local Outlook = require "lib/sweep/outlook"
local count = require("lib/report/numbers").count
local leases = require "lib/sweep/leases"
local names = require "lib/report/names"
local question = require "lib/sweep/question"
local trials = require "lib/sweep/trial"
local words = require "lib/report/words"

local LARGEST = 512  -- places of a simulated search, so that nobody waits for it
local FEW = 16       -- builds that are measured several times, each of them
local NAMING = 8     -- runs that name a change among more builds that are all measured
local NOISE, CHANGE = 0.02, 0.15       -- of a simulated metric on an ordinary machine
local RARELY, OFTEN = 0.1, 0.6         -- how often a simulated flaky test fails
local LEVELS = { noisy = { 1, 1 + CHANGE }, flaky = { RARELY, OFTEN }, exact = { 0, 1 } }

-- How many builds there are: neighbours with equal ones count once.
local function count_builds(asking)
  local builds = 0
  for i = 1, asking.n do
    if i == 1 or not asking.builds or asking.builds[i] ~= asking.builds[i - 1] then builds = builds + 1 end
  end
  return builds
end

-- The question for at most LARGEST builds, and how many more runs the bisection of the real ones takes.
local function smaller(asking)
  local part, builds = {}, count_builds(asking)
  for _, name in ipairs { "kind", "min_effect", "exclude", "max_error", "budget", "parallel", "chance" } do
    part[name] = asking[name]
  end
  part.n = math.min(builds, LARGEST)
  part.first_look = asking.first_look and math.min(asking.first_look, part.n)
  part.min_width = asking.min_width and math.ceil(asking.min_width * part.n / asking.n)
  return part, math.ceil(math.log(builds / part.n, 2))
end

-- The smallest change that matters: --min-effect, or half the difference reported for the ends; nil without both.
local function least(asking) return asking.min_effect or asking.exclude end

-- A run of a place with this level. `random`: gives numbers from 0 to 1.
local function simulated(asking, level, random, noise)
  if asking.kind == "exact" then return level end
  if asking.kind == "flaky" then return random() < level and 1 or 0 end
  noise = noise or math.min(NOISE, (least(asking) or 1) / 3)
  return level * (1 + noise * math.sqrt(3) * (random() + random() - 1) * math.sqrt(2))
end

-- How many runs the search takes if the places have these levels. `noise`: of a run; nil for an ordinary one.
local function runs_for(asking, level, noise)
  local search, runs, seed = core.nouns.search.new(asking), 0, 1
  local function random()
    seed = (seed * 1103515245 + 12345) % 2147483648
    return seed / 2147483648
  end
  local round = search:ask()
  while #round > 0 do
    for _, request in ipairs(round) do
      search:tell(request.place, simulated(asking, level(request.place), random, noise))
      runs = runs + 1
    end
    round = search:ask()
  end
  return runs
end

-- The times of earlier trials in the store there, if it is one.
local function times_in(path, kind)
  local there, store = pcall(function() return reg.fs.exists(path) and reg.store.open(path) end)
  return Outlook.Times.new(there and store or nil, kind, core.options)
end

local plan = {}

local function check_of(part) return question.has_noise(part) and part.n > 1 and 1 or 0 end

--- How many runs the search takes for one change, from a level of `low` to one of `high`, with the last run of the good
--- end, if it has one. `noise`: of a run, if known.
function plan.runs_for_change(asking, low, high, noise)
  local part, more = smaller(asking)
  local function level(i) return i <= part.n * 0.37 and low or high end
  return more + runs_for(part, level, noise) + check_of(part)
end

--- How many runs the search takes if nothing changed, and for one change of an ordinary size.
function plan.expected_runs(asking)
  local part = smaller(asking)
  if (asking.first_look or 0) >= asking.n and part.n > FEW then
    local all = count_builds(asking) + check_of(part)
    return all, asking.kind == "exact" and all or all + NAMING
  end
  local low, high = table.unpack(LEVELS[asking.kind])
  if asking.kind == "noisy" then high = math.max(high, low + 2 * (least(asking) or 0)) end
  return runs_for(part, function() return low end) + check_of(part), plan.runs_for_change(asking, low, high)
end

-- Rounded as an estimate.
local function roughly(seconds)
  if seconds >= 60 then return reg.time.words(seconds) end
  return string.format("%d s", seconds < 10 and math.ceil(seconds) or math.ceil(seconds / 5) * 5)
end

--- How long `unchanged` to `one` runs take, as earlier trials of this kind in the store there did.
function plan.time_words(path, kind, unchanged, one)
  local times = times_in(path, kind)
  if times:known() == 0 then
    return "how long is not known yet: " .. path .. " has no earlier trial of this kind"
  end
  local low, high = roughly(times:seconds(unchanged)), roughly(times:seconds(one))
  return string.format("about %s: %s (from %s in %s)", low == high and high or low .. " to " .. high, times:words(one),
    count(times:known(), "earlier trial"), path)
end

--- What a run of this subject would do, as a list of lines.
function plan.run_lines(subject, o, gpus_per_trial)
  local before, lines = #core.recorded(), {}
  if o.prepare then pcall(o.prepare, subject) end
  pcall(o.measure, subject, trials.rehearsed(subject, gpus_per_trial))
  local recorded = core.recorded()
  for i = before + 1, #recorded do lines[#lines + 1] = "    " .. recorded[i].what end
  return lines
end

-- The series of a dry run.
local function empty(o)
  return { title = o.title, dry = true, points = {}, assumed = {}, changes = {}, doubts = {}, asked = {},
    set_aside = {}, verdict = "inconclusive", why = "a dry run", runs = 0, skipped = 0, seconds = 0,
    metric = reg.metric.name(o.metric or "value") }
end

--- Prints what a sweep would do that first goes back from `last`, the bad end, and returns an empty series. `longest`,
--- `runs`: from Back.longest. `asking_of(list)`: the question for these subjects.
function plan.describe_back(last, o, label_of, longest, runs, asking_of)
  print(string.format("%s: would go back from %s by 1, 2, 4, 8 ... %ss until one is good, then search from there",
    o.title or "sweep", label_of(last), o.kind or "subject"))
  if longest and #longest > 1 then
    local _, search = plan.expected_runs(asking_of(longest))
    print(string.format("  first 1 %s back, at most to %s; up to %d runs until one is good, then about %d for one " ..
      "change", o.kind or "subject", label_of(longest[1]), runs, search))
  end
  print("  each run, for example that of " .. label_of(last) .. ":")
  for _, line in ipairs(plan.run_lines(last, o, leases.per_trial(core.options or {}))) do print(line) end
  return empty(o)
end

--- Prints what a sweep of these subjects would do, and returns an empty series.
function plan.describe(subjects, o, asking, label_of)
  local n = #subjects
  local unchanged, one = plan.expected_runs(asking)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or core.default_store()
  local runs = unchanged == one and string.format("would take about %d runs", unchanged)
    or string.format("would take %d runs if nothing changed, about %d for one change", unchanged, one)

  local lines = plan.run_lines(subjects[1], o, leases.per_trial(core.options or {}, asking.parallel))
  print(string.format("%s: %d subjects, %s to %s", o.title or "sweep", n, label_of(subjects[1]), label_of(subjects[n])))
  local missing = words.missing(subjects.missing or {}, o.kind or "subject")
  if missing then print("  " .. missing) end
  if subjects.order then print("  in this order, " .. subjects.order .. ":") end
  for _, subject in ipairs(subjects.order and subjects or {}) do
    print("    " .. names.full(subject) .. (subject.created and "   " .. names.moment(subject.created) or ""))
  end
  print("  " .. runs)
  print("  " .. plan.time_words(path, o.kind, unchanged, one))
  print("  each run, for example that of " .. label_of(subjects[1]) .. ":")
  for _, line in ipairs(lines) do print(line) end
  return empty(o)
end

return plan
