-- A dry run of a sweep: nothing is measured; it says what would run, how many times and, from earlier trials, how long.

local new_search = require "internal/search"
local trials = require "internal/trial"

-- How many runs the search takes when the subjects' levels are those given.
local function runs_for(search_options, level)
  local search, runs = new_search(search_options), 0
  for i in search.next do
    search.tell(i, level(i))
    runs = runs + 1
  end
  return runs
end

local function seconds_a_run(path)
  local there, store = pcall(function() return reg.fs.exists(path) and reg.store.open(path) end)
  if not there or not store then return nil end
  local rows = store:query("SELECT median(wall_s) AS s FROM trials WHERE status = 'ok' AND wall_s > 0")
  return rows[1] and rows[1].s
end

local plan = {}

--- How many runs the search takes if nothing changed, and for one change.
function plan.expected_runs(search_options)
  local n = search_options.n
  return runs_for(search_options, function() return 1 end), runs_for(search_options, function(i) return i <= n * 0.37 and 1 or 2 end)
end

--- Prints what a sweep of these subjects would do, and returns an empty series.
function plan.describe(subjects, o, search_options, label_of)
  local n = #subjects
  local quiet, one = plan.expected_runs(search_options)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or "regengine.db"
  local each = seconds_a_run(path)
  local time = each and string.format("about %s to %s at %s a run, as in %s", reg.time.words(quiet * each),
    reg.time.words(one * each), reg.time.words(each), path) or "no earlier trial says how long a run takes"

  local before = #core.recorded()
  if o.prepare then pcall(o.prepare, subjects[1]) end
  trials.rehearse(subjects[1], o.measure)
  print(string.format("%s: %d subjects, %s to %s", o.title or "sweep", n, label_of(subjects[1]), label_of(subjects[n])))
  print(string.format("  would measure %d times if nothing changed, about %d times for one change; %s", quiet, one, time))
  print("  each time, as for " .. label_of(subjects[1]) .. ":")
  local recorded = core.recorded()
  for i = before + 1, #recorded do print("    " .. recorded[i].what) end
  return { title = o.title, dry = true, points = {}, changes = {}, verdict = "unresolved", why = "a dry run", runs = 0, skipped = 0,
    seconds = 0, metric = o.metric or "value" }
end

return plan
