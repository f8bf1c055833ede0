-- The dry run of a sweep: measures nothing, and says what would run, how many times and, from earlier trials, how long.

local leases = require "lib/sweep/leases"
local question = require "lib/sweep/question"
local trials = require "lib/sweep/trial"
local words = require "lib/report/words"

local LARGEST = 512  -- places of a simulated search, so that nobody waits for it
local QUIET = 0.1    -- noise of a simulated number, as a fraction of the minimum effect

-- How many builds there are: neighbours with equal ones count once.
local function count_builds(asking)
  local count = 0
  for i = 1, asking.n do
    if i == 1 or not asking.builds or asking.builds[i] ~= asking.builds[i - 1] then count = count + 1 end
  end
  return count
end

-- The question for at most LARGEST builds, and how many more runs the bisection of the real ones takes.
local function smaller(asking)
  local part, builds = {}, count_builds(asking)
  for _, name in ipairs { "kind", "min_effect", "max_error", "budget", "parallel" } do part[name] = asking[name] end
  part.n = math.min(builds, LARGEST)
  part.first_look = asking.first_look and math.min(asking.first_look, part.n)
  part.min_width = asking.min_width and math.ceil(asking.min_width * part.n / asking.n)
  return part, math.ceil(math.log(builds / part.n, 2))
end

-- How many runs the search takes if the places have these levels.
local function runs_for(asking, level)
  local search, runs, seed = core.nouns.search.new(asking), 0, 1
  local noise = question.has_noise(asking) and QUIET * (asking.min_effect or 0.01) or 0
  local round = search:ask()
  while #round > 0 do
    for _, request in ipairs(round) do
      seed = (seed * 1103515245 + 12345) % 2147483648
      search:tell(request.place, level(request.place) * (1 + noise * (seed / 1073741824 - 1)))
      runs = runs + 1
    end
    round = search:ask()
  end
  return runs
end

local function seconds_per_run(path)
  local there, store = pcall(function() return reg.fs.exists(path) and reg.store.open(path) end)
  if not there or not store then return nil end
  local rows = store:query("SELECT median(wall_s) AS s FROM trials WHERE status = 'ok' AND wall_s > 0")
  return rows[1] and rows[1].s
end

local plan = {}

--- How many runs the search takes if nothing changed, and for one change: with the last run of the good end, if it has
--- one.
function plan.expected_runs(asking)
  local part, more = smaller(asking)
  local check = question.has_noise(asking) and part.n > 1 and 1 or 0
  local low, high = 1, 2
  if not question.has_noise(asking) then low, high = 0, 1 end
  local unchanged = runs_for(part, function() return low end)
  local one = runs_for(part, function(i) return i <= part.n * 0.37 and low or high end)
  return unchanged + check, more + one + check
end

--- How long `unchanged` to `one` runs take, if the store there has any like them.
function plan.time_words(path, unchanged, one)
  local each = seconds_per_run(path)
  if not each then return "no earlier trial tells how long a run takes" end
  local range = unchanged == one and "" or reg.time.words(unchanged * each) .. " to "
  return string.format("about %s%s at %s per run, as in %s", range, reg.time.words(one * each), reg.time.words(each),
    path)
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

--- Prints what a sweep of these subjects would do, and returns an empty series.
function plan.describe(subjects, o, asking, label_of)
  local n = #subjects
  local unchanged, one = plan.expected_runs(asking)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or "regengine.db"
  local runs = unchanged == one and string.format("would take about %d runs", unchanged)
    or string.format("would take %d runs if nothing changed, about %d for one change", unchanged, one)

  local lines = plan.run_lines(subjects[1], o, leases.per_trial(core.options or {}, asking.parallel))
  print(string.format("%s: %d subjects, %s to %s", o.title or "sweep", n, label_of(subjects[1]), label_of(subjects[n])))
  local missing = words.missing(subjects.missing or {}, o.kind or "subject")
  if missing then print("  " .. missing) end
  print("  " .. runs .. "; " .. plan.time_words(path, unchanged, one))
  print("  each run, for example that of " .. label_of(subjects[1]) .. ":")
  for _, line in ipairs(lines) do print(line) end
  return { title = o.title, dry = true, points = {}, assumed = {}, changes = {}, doubts = {}, asked = {},
    set_aside = {}, verdict = "unresolved", why = "a dry run", runs = 0, skipped = 0, seconds = 0,
    metric = reg.metric.name(o.metric or "value") }
end

return plan
