-- Dry runs: measure nothing, and say what would run, how many times and, from earlier trials, how long.

local Outlook = require "lib/sweep/outlook"
local count = require("lib/report/numbers").count
local leases = require "lib/gpu/leases"
local names = require "lib/report/names"
local trials = require "lib/sweep/trial"
local words = require "lib/report/words"

local dry_run = {}

-- Rounded as an estimate.
local function roughly(seconds)
  if seconds >= 60 then return reg.time.words(seconds) end
  return string.format("%d s", seconds < 10 and math.ceil(seconds) or math.ceil(seconds / 5) * 5)
end

--- How long `unchanged` to `one` runs take, as earlier trials of this kind in the store did, if it is there.
function dry_run.time_words(o, unchanged, one)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or core.default_store()
  local there, store = pcall(function() return reg.fs.exists(path) and reg.store.open(path) end)
  local times = Outlook.Times.new(there and store or nil, o.kind, core.options)
  if times:known() == 0 then return "how long is not known yet: " .. path .. " has no earlier trial of this kind" end
  local low, high = roughly(times:seconds(unchanged)), roughly(times:seconds(one))
  return string.format("about %s: %s (from %s in %s)", low == high and high or low .. " to " .. high, times:words(one),
    count(times:known(), "earlier trial"), path)
end

--- Prints what a run of this subject would do, below a title. `parallel`: trials at the same time.
function dry_run.show_run(title, subject, o, parallel)
  local before = #core.recorded()
  if o.prepare then pcall(o.prepare, subject) end
  pcall(o.measure, subject, trials.rehearsed(subject, leases.per_trial(core.options or {}, parallel)))
  local recorded = core.recorded()
  print("  " .. title .. ":")
  for i = before + 1, #recorded do print("    " .. recorded[i]) end
end

--- Prints what a sweep of these subjects would do; an empty series. `goes_back`: from the last one, the bad end.
function dry_run.describe(subjects, o, asking, label_of, goes_back)
  local n, title, kind = #subjects, o.title or "sweep", o.kind or "subject"
  local example = subjects[1]
  if goes_back then
    print(string.format("%s: would go back from %s by 1, 2, 4, 8 ... %ss until one is good, then search from there",
      title, label_of(example), kind))
  else
    local unchanged, one = Outlook.expected_runs(asking)
    print(string.format("%s: %d subjects, %s to %s", title, n, label_of(subjects[1]), label_of(subjects[n])))
    local missing = words.missing(subjects.missing or {}, kind)
    if missing then print("  " .. missing) end
    if subjects.order then print("  in this order, " .. subjects.order .. ":") end
    for _, subject in ipairs(subjects.order and subjects or {}) do
      print("    " .. names.full(subject) .. (subject.created and "   " .. names.moment(subject.created) or ""))
    end
    print("  would take about " .. (unchanged == one and unchanged .. " runs"
      or string.format("%d runs if nothing changed, %d for one change", unchanged, one)))
    print("  " .. dry_run.time_words(o, unchanged, one))
  end
  dry_run.show_run("each run, for example that of " .. label_of(example), example, o, asking.parallel)
  return { title = o.title, dry = true, points = {}, assumed = {}, changes = {}, doubts = {}, asked = {},
    set_aside = {}, verdict = "inconclusive", why = "a dry run", runs = 0, skipped = 0, seconds = 0,
    metric = reg.metric.name(o.metric or "value") }
end

return dry_run
