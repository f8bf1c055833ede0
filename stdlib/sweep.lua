-- reg.sweep: measures as few subjects as it takes to find every place where the number changed.

local Exactness = require("lib/sweep/ends").Exactness
local Keys = require "lib/identity/keys"
local Outlook = require "lib/sweep/outlook"
local Session = require "lib/sweep/session"
local Stops = require "lib/sweep/stops"
local direction = require "lib/direction"
local due = require "lib/report/due"
local findings = require "lib/report/findings"
local investigation = require "lib/sweep/investigation"
local map, merged = require("lib/values").map, require("lib/values").merged
local question = require "lib/sweep/question"
local series_of = require "lib/sweep/series"
local terminal = require("lib/report/terminal").print
local tracing = require "lib/tracing"

local KEYS = { "measure", "passes", "build", "prepare", "metric", "title", "kind", "into", "config", "files", "every",
  "keep_images", "redo", "suspect", "better", "excluded", "spent", "reported", "keep_going",
  "known_ends", table.unpack(question.keys) }

local DEFAULT_EFFECT = 0.01  -- of a search for a noisy number

local function id_of(subject)
  if type(subject) ~= "table" then return tostring(subject) end
  return tostring(subject.id or subject.at or core.fail("usage", "sweep: a subject has no `id`"))
end

local function label_of(subject)
  return type(subject) == "table" and tostring(subject.label or subject.short or id_of(subject)) or tostring(subject)
end

-- The options with a `measure` that builds first, and that gives the search numbers for passes(subject, trial), which
-- returns true or false, or raises reg.skip: 0 and 1.
local function with_measure(o)
  local exact, measure, build = o.exact, o.measure, o.build
  if o.passes then
    exact = not o.flaky
    function measure(subject, trial)
      local verdict = o.passes(subject, trial)
      if type(verdict) ~= "boolean" then return verdict end
      return verdict and 0 or 1
    end
  end
  return merged(o, { exact = exact, measure = build and function(subject, trial)
    trial:make(build)
    return measure(subject, trial)
  end or measure })
end

-- Which values are better. Whoever asks for regressions gets no answer without it.
local function direction_of(o)
  local asked = core.options or {}
  local known = (o.flaky or o.passes) and "lower"  -- a failure is the regression
  local better = direction.given(o.better or known or asked.better, o.metric or "value", "sweep")
  if not better and (asked.fail_on_regression or asked.only) then
    core.fail("usage", direction.unknown(o.metric or "value"))
  end
  return better
end

-- Whether it can go back to a good end.
local function check_back(o)
  if o.flaky then core.fail("usage", "sweep: a flaky test needs a good end", "Pass it as the first subject.") end
  if not o.passes and not (o.reported and type(o.reported.good) == "number") then
    core.fail("usage", "sweep: to go back to a good end by a number, it needs that of the good end",
      "Pass --good-value, or the good end.")
  end
end

-- To be closed: prints the best answer so far where a session is stopped, by Ctrl-C or a failure, unless it has ended.
-- `o`: the options of the sweep.
local function so_far(session, o)
  return setmetatable({}, { __close = function()
    if session.ended or #session.asked < 2 then return end
    local series = series_of.session(session, o)
    series.why = series.why and "it was stopped"
    print "So far:"
    terminal(series, findings(series, {}))
  end })
end

---@class sweep.Reported the ends must show the same direction, and at least half the difference
---@field good number reported for the first subject
---@field bad number reported for the last subject; may be absent where the sweep goes back to a good end

--- Options of each function that measures and stores.
---@class sweep.CommonOptions
---@field better? "higher"|"lower" which values are better; by default what the metric's name says
---@field title? string names the progress, the answer and the investigation in the store; default: the function's name
---@field into? string|store.Store the store of the trials; a path is opened; the option --store by default
---@field config? table<string, any> what else the numbers depend on, besides what `measure` does
---@field files? string[] files that the commands read: their contents are part of the key
---@field redo? string[] statuses whose stored trials are measured again; the option --redo by default
---@field suspect? "again"|"keep" for trials with a throttled, unlocked or shared GPU: measure again (default), or keep

--- What each of their answers has.
---@class sweep.CommonAnswer
---@field metric? string
---@field unit? string of the metric, if it is known: "s"
---@field better? "lower"|"higher"
---@field reused integer runs or rounds that the store had
---@field stored? sweep.Stored what of that earlier commands ran
---@field suspect? sweep.Suspect absent if no trial is in doubt
---@field seconds number
---@field investigation integer its id in the store
---@field text string the answer in words

---@class sweep.Options: sweep.CommonOptions, search.Question
---@field measure? fun(subject: any, trial: sweep.Trial): any a number, a list of numbers, whose median counts, metrics
--- by name, or reg.skip(...)
---@field build? fun(subject: any, trial: sweep.Trial) called before `measure`, unless its build is still there
---@field passes? fun(subject: any, trial: sweep.Trial): boolean instead of measure: true for passed, false for failed
---@field metric? string the number's name, or its pattern such as "MLUPS: {number}"; "value" by default
---@field prepare? fun(subject: any) called once before a subject's first run, outside the measured time
---@field kind? string what the subjects are: "night", "commit" ...
---@field every? boolean measure every subject
---@field keep_images? integer keep the images of so many subjects; others that regengine pulled are removed meanwhile
---@field parallel? integer subjects measured in parallel, 1 by default; above that each trial leases a GPU of its own
---@field try_skipped? boolean run subjects between several that fail alike; the option --try-skipped by default
---@field better? "higher"|"lower" which values are better; the option --better, or what the metric says, by default
---@field reported? sweep.Reported numbers that the ends must reproduce, or it stops
---@field keep_going? boolean do not stop after failures; the option --keep-going by default
---@field known_ends? "measured"|"passes" stop if the first subject has no number, or if it fails or the last one passes

---@class sweep.Series: report.Series, search.Answer
---@field verdict "changes"|"no_change"|"inconclusive"|"machine_changed"
---@field why? string why it ended before all of it was answered, or how the machine changed
---@field assumed report.Point[] subjects between several that failed alike: not run, and assumed to fail as they did
---@field asked sweep.Asked[] every run that the answer rests on, in order
---@field set_aside sweep.Asked[] runs that do not count since the machine changed
---@field back? sweep.Back how far it went back to a good end, if that was not given
---@field moves? sweep.Move[] how the machine changed, in a search for a noisy number
---@field missing? string[] dates without an image, of the nights that were searched
---@field spread? table[] as of search.Answer, with subjects as lo and hi
---@field table? table[] as of search.Answer, with `index` and `label` of the subject in place of `place`
---@field doubts sweep.Doubt[] possible changes that were not narrowed down
---@field flaky? boolean
---@field suspect? sweep.Suspect absent if no trial is in doubt
---@field title? string
---@field direction? "higher"|"lower" which values are better; nil if unknown
---@field unit? string of the number, such as "ms"
---@field changes sweep.Change[] in the subjects' order
---@field subjects integer number of subjects
---@field runs integer measured now
---@field reused integer taken from the store
---@field stored? sweep.Stored what of that earlier commands ran
---@field same_build? integer runs that took the numbers of another subject with the same build
---@field same_loaded? sweep.Loaded what all measured subjects loaded alike: the build may not have taken effect
---@field installed? sweep.Installed[] Python packages that the test installs in different versions
---@field other_machines? integer runs of other machines, with --reuse any-machine
---@field skipped integer subjects without a number
---@field seconds number wall time of the sweep
---@field quieter? metric.Quieter of a wall time: another number has much less noise
---@field exact? boolean
---@field passes? boolean whether it was a search by pass and fail
---@field store? store.Store
---@field investigation? integer its id in the store
---@field side_asked? sweep.Asked[] with reg.bisect: the runs on the branches of merges
---@field side_points? report.Point[] with reg.bisect: the commits measured on those branches
---@field pin? descend.Pin with reg.descend: the pin that went over these commits
---@field dry? boolean a dry run: nothing was measured
---@field stopped? sweep.Stop why it stopped before it had an answer

--- Measures as few of the subjects, in their order, as it takes to find every place where the number changed, or where
--- a test (`passes`) begins to fail or to pass. The store keeps finished trials, and they are not run again. A subject
--- is a string, or a table with `id` (or `at`), perhaps `label`, perhaps `key` - with equal ones, subjects of several
--- sweeps have the same trials - and perhaps `build` or `digest`: neighbors with the same one are run once. A trial
--- whose command asks for GPUs leases them (reg.gpu.lease): all that it asks for, and with `parallel` one of them, or
--- as many as --gpus-per-trial says. A failed trial that `measure` raises is recorded; any other error ends the sweep.
--- The first and the last subject come first. If the first three runs fail alike, it stops, "inconclusive". Where
--- neighbors fail alike later on, those between them are assumed to fail, too, unless `try_skipped`. A suspect trial is
--- run again, at most twice for one measurement; what stays suspect is used, and the answer says so. Times are seconds.
--- Raises usage without subjects or `measure`, and for several numbers in the first output (reg.metric.of).
---
--- Without a good end, `subjects` is a function: subjects(n) returns a list of those from n units before the bad end up
--- to it, and whether that begins with the first one of all. The sweep goes back by 1, 2, 4, 8 ... until one passes, or
--- until its number is nearer to `reported.good` than to that of the bad end, and searches from there. At the first one
--- of all, and when the budget is spent, the verdict is "inconclusive". Raises usage if it is `flaky`, or for a number
--- without `reported.good`.
--- ```lua
--- local series = reg.sweep({ "1", "5", "9" }, {
---   title = "levels", metric = "seconds", min_effect = 0.1,
---   measure = function(level, trial) return trial:run({ shell = "seq 1e6 | gzip -" .. level }).wall_s end,
--- })
--- return reg.answer(series)
--- ```
---@param subjects any[]|fun(n: integer): any[], boolean?
---@param options sweep.Options
---@return sweep.Series series
return function(subjects, o)
  local goes_back = type(subjects) == "function"
  if type(subjects) ~= "table" and not goes_back or type(o) ~= "table" or type(o.measure or o.passes) ~= "function" then
    core.fail("usage", "sweep: takes a list of subjects and { measure = function(subject, trial) ... end }, or passes")
  end
  core.check_keys("sweep", o, KEYS)
  if goes_back then check_back(o) elseif #subjects == 0 then
    core.fail("usage", "sweep: the list of subjects is empty", "Check the dates and revisions.")
  end
  if core.cluster and not o.parallel then  -- as many runs at a time as the cluster has places
    o = merged({ parallel = core.options.parallel or core.cluster.backend.slots }, o)
    if o.build then o.together = false end  -- each slot keeps its build
  end
  o = with_measure(o)
  local stops, better = Stops.new(o, goes_back), direction_of(o)
  local nearest = goes_back and subjects(0) or {}
  local known = goes_back and { nearest[#nearest] } or subjects
  local asking = question.of(o, known)
  if core.settings().dry_run then
    return require("lib/sweep/dry_run").describe(known, o, asking, label_of, goes_back)
  end

  local _ <close> = tracing.phase("investigation", o.title or core.settings().script)
  local run = investigation.run(o, better)
  local session = Session.new {
    run = run, excluded = o.excluded or {}, keep_images = o.keep_images, passes = o.passes ~= nil, stops = stops,
    try_skipped = o.try_skipped, spent = o.spent,
    exactness = Exactness.new(o),
    good_end = asking.kind == "noisy" and require("lib/sweep/good_end").new(asking.min_effect or DEFAULT_EFFECT) or nil,
  }
  local _ <close> = so_far(session, o)
  local progress <close> = reg.progress { title = o.title, unit = "run" }
  session.progress = progress
  function run.doing(subject, what) progress:update { subject = label_of(subject), doing = what } end
  local back = goes_back and require("lib/sweep/back_to_good").new(subjects, { session = session, asking = asking,
    bad_end = known[1], id_of = id_of, label_of = label_of, kind = o.kind, exact = o.exact,
    good_value = o.reported and o.reported.good, min_effect = o.min_effect, budget = o.budget })
  if back then
    subjects = back:go()
    asking = question.of(o, subjects)
  end
  local ids = map(subjects, id_of)
  session:begin { asking = asking, subjects = subjects, ids = ids, labels = map(subjects, label_of),
    keys = Keys.new(run, subjects, ids),
    outlook = not core.settings().quiet and Outlook.new(o, run.store) or nil }
  if back then session:take_over(back) end
  session:go()
  session.ended = true
  return due.add(series_of.session(session, o))
end
