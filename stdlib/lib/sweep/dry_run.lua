-- The dry run of a sweep: measures nothing, and says what would run, how many times and, from earlier trials, how long.

local Outlook = require "lib/sweep/outlook"
local count = require("lib/report/numbers").count
local leases = require "lib/sweep/leases"
local names = require "lib/report/names"
local trials = require "lib/sweep/trial"
local words = require "lib/report/words"

-- The times of earlier trials in the store there, if it is one.
local function times_in(path, kind)
  local there, store = pcall(function() return reg.fs.exists(path) and reg.store.open(path) end)
  return Outlook.Times.new(there and store or nil, kind, core.options)
end

local dry_run = {}

-- Rounded as an estimate.
local function roughly(seconds)
  if seconds >= 60 then return reg.time.words(seconds) end
  return string.format("%d s", seconds < 10 and math.ceil(seconds) or math.ceil(seconds / 5) * 5)
end

--- How long `unchanged` to `one` runs take, as earlier trials of this kind in the store there did.
function dry_run.time_words(path, kind, unchanged, one)
  local times = times_in(path, kind)
  if times:known() == 0 then
    return "how long is not known yet: " .. path .. " has no earlier trial of this kind"
  end
  local low, high = roughly(times:seconds(unchanged)), roughly(times:seconds(one))
  return string.format("about %s: %s (from %s in %s)", low == high and high or low .. " to " .. high, times:words(one),
    count(times:known(), "earlier trial"), path)
end

--- What a run of this subject would do, as a list of lines.
function dry_run.run_lines(subject, o, gpus_per_trial)
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

--- Prints what a sweep would do that first goes back from `last`, the bad end, and returns an empty series.
function dry_run.describe_back(last, o, label_of)
  print(string.format("%s: would go back from %s by 1, 2, 4, 8 ... %ss until one is good, then search from there",
    o.title or "sweep", label_of(last), o.kind or "subject"))
  print("  each run, for example that of " .. label_of(last) .. ":")
  for _, line in ipairs(dry_run.run_lines(last, o, leases.per_trial(core.options or {}))) do print(line) end
  return empty(o)
end

--- Prints what a sweep of these subjects would do, and returns an empty series.
function dry_run.describe(subjects, o, asking, label_of)
  local n = #subjects
  local unchanged, one = Outlook.expected_runs(asking)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or core.default_store()
  local runs = unchanged == one and string.format("would take about %d runs", unchanged)
    or string.format("would take about %d runs if nothing changed, %d for one change", unchanged, one)

  local lines = dry_run.run_lines(subjects[1], o, leases.per_trial(core.options or {}, asking.parallel))
  print(string.format("%s: %d subjects, %s to %s", o.title or "sweep", n, label_of(subjects[1]), label_of(subjects[n])))
  local missing = words.missing(subjects.missing or {}, o.kind or "subject")
  if missing then print("  " .. missing) end
  if subjects.order then print("  in this order, " .. subjects.order .. ":") end
  for _, subject in ipairs(subjects.order and subjects or {}) do
    print("    " .. names.full(subject) .. (subject.created and "   " .. names.moment(subject.created) or ""))
  end
  print("  " .. runs)
  print("  " .. dry_run.time_words(path, o.kind, unchanged, one))
  print("  each run, for example that of " .. label_of(subjects[1]) .. ":")
  for _, line in ipairs(lines) do print(line) end
  return empty(o)
end

return dry_run
