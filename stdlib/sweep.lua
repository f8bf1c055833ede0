-- reg.sweep(subjects, { measure = f, ... }): measures as few of the subjects, in their order, as it takes to find every
-- place where the number changed. The store keeps finished trials, and they are not run again.

local Back = require "lib/sweep/back_to_good"
local GoodEnd = require "lib/sweep/good_end"
local Keys = require "lib/identity/keys"
local Outlook = require "lib/sweep/outlook"
local Session = require "lib/sweep/session"
local Stops = require "lib/sweep/stops"
local check_keys = require "lib/options/check_keys"
local direction = require "lib/direction"
local due = require "lib/report/due"
local ends = require "lib/sweep/ends"
local findings = require "lib/report/findings"
local investigation = require "lib/sweep/investigation"
local median = require "lib/median"
local plan = require "lib/sweep/plan"
local question = require "lib/sweep/question"
local series_of = require "lib/sweep/series"
local terminal = require("lib/report/terminal").print
local tracing = require "lib/tracing"

local KEYS = { "measure", "passes", "build", "prepare", "metric", "title", "kind", "into", "config", "files", "every",
  "keep_images", "redo", "investigation", "suspect", "better", "repeats", "chosen", "excluded" }

for _, more in ipairs { question.keys, Stops.keys } do table.move(more, 1, #more, #KEYS + 1, KEYS) end

local MOST_REPEATS = 1000  -- of `measure` in one trial
local DEFAULT_EFFECT = 0.01  -- of a search for a noisy number

local function id_of(subject)
  if type(subject) ~= "table" then return tostring(subject) end
  return tostring(subject.id or subject.at or core.fail("usage", "sweep: a subject has no `id`"))
end

local function label_of(subject)
  if type(subject) ~= "table" then return tostring(subject) end
  return tostring(subject.label or subject.short or subject.id or subject.at)
end

local function map(list, f)
  local result = {}
  for i, element in ipairs(list) do result[i] = f(element) end
  return result
end

-- What each subject was built from, if every one of them says so.
local function builds_of(subjects)
  for _, field in ipairs { "build", "digest" } do
    local builds = map(subjects, function(subject) return type(subject) == "table" and subject[field] or nil end)
    if #builds == #subjects then return builds end
  end
end

-- The options with a `measure` that builds first.
local function with_build(o)
  local build, measure = o.build, o.measure
  return setmetatable({ measure = function(subject, trial)
    trial:make(build)
    return measure(subject, trial)
  end }, { __index = o })
end

-- The options with `measure` in place of passes(subject, trial), which returns true or false, or raises reg.skip. The
-- search takes them as 0 and 1.
local function by_number(o)
  local options = {}
  for name, value in pairs(o) do options[name] = value end
  options.exact = not o.flaky
  function options.measure(subject, trial)
    local verdict = o.passes(subject, trial)
    if type(verdict) ~= "boolean" then return verdict end
    return verdict and 0 or 1
  end
  return options
end

local function check_repeats(o)
  local n = o.repeats
  if math.type(n) ~= "integer" or n < 1 or n > MOST_REPEATS then
    core.fail("usage", string.format("sweep: repeats must be an integer from 1 to %d, not %s", MOST_REPEATS,
      tostring(n)))
  end
  if o.passes or o.flaky then
    core.fail("usage", "sweep: a test that passes or fails has no median, so `repeats` has no effect",
      "Omit it; with `flaky`, the search repeats runs itself.")
  end
end

-- The number of one run: the median of a list. What has no median, as NaN, stays as it is, and fails the trial later.
local function one_of(value)
  for _, x in ipairs(type(value) == "table" and value or {}) do
    if type(x) ~= "number" or x ~= x then return x end
  end
  return type(value) == "table" and #value > 0 and median(value) or value
end

-- Adds the numbers of a run, each metric once. Returns what is not numbers.
local function add(numbers, result)
  if type(result) == "number" then result = { result } end
  if type(result) ~= "table" or result.kind == "failed_trial" or next(result) == nil then return result end
  if #result > 0 then
    numbers[#numbers + 1] = one_of(result)
    return nil
  end
  for name, value in pairs(result) do
    numbers[name] = numbers[name] or {}
    table.insert(numbers[name], one_of(value))
  end
end

-- The options with a `measure` that runs the script's own so often in a row: one trial, whose numbers are those of the
-- runs, and whose value is their median. One that fails ends the trial.
local function repeated(o)
  check_repeats(o)
  if o.repeats == 1 then return o end
  local measure, options = o.measure, {}
  for name, value in pairs(o) do options[name] = value end
  options.config = { repeats = o.repeats }
  for name, value in pairs(o.config or {}) do options.config[name] = value end
  function options.measure(subject, trial)
    if core.in_rehearsal or core.settings().dry_run then return measure(subject, trial) end
    local numbers = {}
    for _ = 1, o.repeats do
      local other = add(numbers, measure(subject, trial))
      if other ~= nil then return other end
    end
    return numbers
  end
  return options
end

local function question_of(o, subjects)
  local asking = question.of(o, subjects)
  asking.builds = asking.builds or builds_of(subjects)
  if o.every then asking.first_look = #subjects end
  return asking
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

-- What shows whether the machine changed; nil where numbers have no noise.
local function good_end_of(asking)
  return question.has_noise(asking) and GoodEnd.new(asking.min_effect or DEFAULT_EFFECT) or nil
end

-- What the progress shows of the rest; nil where nobody sees it.
local function outlook_of(o, asking, store)
  if core.settings().quiet then return nil end
  local unchanged, one = plan.expected_runs(asking)
  return Outlook.new { unchanged = unchanged, one = one, times = Outlook.Times.new(store, o.kind, core.options),
    thing = o.kind or "subject" }
end

-- Goes back to a good end if there is none: `line` gives the subjects from so far back. Returns the subjects to search
-- and what went back; of a list, the list.
local function subjects_of(line, o, run, progress)
  if type(line) ~= "function" then return line end
  local back = Back.new(line, { run = run, id_of = id_of, label_of = label_of, kind = o.kind, progress = progress,
    passes = o.passes ~= nil, exact = o.exact, good_value = o.reported and o.reported.good, min_effect = o.min_effect,
    budget = o.budget, excluded = o.excluded or {} })
  back:go()
  return back.subjects, back
end

-- Whether it can go back to a good end.
local function check_back(o)
  if o.flaky then core.fail("usage", "sweep: a flaky test needs a good end", "Pass it as the first subject.") end
  if not o.passes and not (o.reported and type(o.reported.good) == "number") then
    core.fail("usage", "sweep: to go back to a good end by a number, it needs that of the good end",
      "Pass --good-value, or the good end.")
  end
end

-- To be closed: prints the best answer so far of `search.session` where it is stopped, by Ctrl-C or a failure, unless
-- search.ended is set. `o`: the options of the sweep.
local function so_far(search, o)
  local began = core.seconds()
  return setmetatable({}, { __close = function()
    local session = search.session
    if search.ended or not session or #session.asked < 2 then return end
    local series = series_of.session(session, o)
    series.seconds, series.why = core.seconds() - began, series.why and "it was stopped"
    print "So far:"
    terminal(series, findings(series, {}))
  end })
end

return function(subjects, o)
  local goes_back = type(subjects) == "function"
  if type(subjects) ~= "table" and not goes_back or type(o) ~= "table"
      or type(o.measure or o.passes) ~= "function" then
    core.fail("usage", "sweep: takes a list of subjects and { measure = function(subject, trial) ... end }, or passes")
  end
  check_keys("sweep", o, KEYS)
  if goes_back then check_back(o) elseif #subjects == 0 then
    core.fail("usage", "sweep: the list of subjects is empty", "Check the dates and revisions.")
  end
  if o.repeats ~= nil then o = repeated(o) end
  if o.passes then o = by_number(o) end
  local stops, better = Stops.new(o, goes_back), direction_of(o)
  if o.metric == "@time" and (goes_back or stops.reported) then
    core.fail("usage", "sweep: @time needs both ends, and no reported values",
      "Pass @wall or @cpu.")
  end
  local asking = not goes_back and question_of(o, subjects)
  if o.build then o = with_build(o) end
  if core.settings().dry_run then
    if goes_back then
      local longest, runs = Back.longest(subjects, o)
      return plan.describe_back(Back.bad_end(subjects), o, label_of, longest, runs, function(list)
        return question_of(o, list)
      end)
    end
    return plan.describe(subjects, o, asking, label_of)
  end

  local _ <close> = tracing.phase("investigation", o.title or core.settings().script)
  local started_at, run = core.seconds(), investigation.run(o, better)
  local search = {}
  local _ <close> = so_far(search, o)
  local progress <close> = reg.progress { title = o.title, unit = "run" }
  function run.doing(subject, what) progress:update { subject = label_of(subject), doing = what } end
  local back
  subjects, back = subjects_of(subjects, o, run, progress)
  asking = asking or question_of(o, subjects)
  local ids = map(subjects, id_of)
  Keys.tell_of_older(run.store, ids)
  local session = Session.new {
    asking = asking, subjects = subjects, ids = ids, labels = map(subjects, label_of), run = run,
    excluded = o.excluded or {},
    keys = Keys.new(subjects, ids, run.config, o.measure, run.gpus_per_trial),
    keep_images = o.keep_images,
    progress = progress, outlook = outlook_of(o, asking, run.store), passes = o.passes ~= nil,
    stops = stops, try_skipped = o.try_skipped,
    undecided = o.metric == "@time" and not o.chosen, exactness = ends.Exactness.new(o), back = back,
    good_end = good_end_of(asking),
  }
  search.session = session
  session:go()
  search.ended = true
  local series = series_of.session(session, o)
  series.seconds = core.seconds() - started_at
  return due.add(series)
end
