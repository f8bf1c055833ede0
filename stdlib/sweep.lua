-- reg.sweep(subjects, { measure = f, ... }): measures as few of the subjects, in their order, as it takes to name every
-- place where the numbers changed. Finished trials are in the store and are not run again.

local check_keys = require "lib/options/check_keys"
local phase = require "lib/sweep/phase"
local plan = require "lib/sweep/plan"
local question = require "lib/sweep/question"
local record = require "lib/provenance/record"
local Queue = require "lib/sweep/queue"
local Reference = require "lib/sweep/reference"
local Session = require "lib/sweep/session"
local shape = require "lib/sweep/series"
local Suspicion = require "lib/sweep/suspicion"

local KEYS = table.move(question.keys, 1, #question.keys, 15, { "measure", "prepare", "metric", "title", "kind", "into", "config",
  "files", "every", "redo", "investigation", "reference", "reference_every", "suspect" })
local REFERENCE_EVERY = 8

local function id_of(subject)
  if type(subject) ~= "table" then return tostring(subject) end
  return tostring(subject.id or subject.at or core.fail("usage", "sweep: a subject needs an `id`"))
end

local function label_of(subject)
  return type(subject) == "table" and tostring(subject.label or subject.short or subject.id or subject.at) or tostring(subject)
end

local function map(list, f)
  local result = {}
  for i, element in ipairs(list) do result[i] = f(element) end
  return result
end

local function open_store(into)
  if type(into) == "string" then return reg.store.open(into) end
  return into or reg.store.open(core.options and core.options.store or "regengine.db")
end

-- What makes two trials of one subject the same measurement: what the script says in `config`, the contents of `files`,
-- or else everything: the script's text and its options.
local function config_of(o)
  local config = {}
  if not o.config then
    config.script, config.args = record.script_hash(), table.concat(record.words(), " ")
  end
  for name, value in pairs(o.config or {}) do config[name] = value end
  for _, file in ipairs(o.files or {}) do config["file:" .. file:match("[^/]+$")] = core.file_hash(file) end
  config.metric = o.metric
  return config
end

-- What a subject was built from, where every one of them says so.
local function builds_of(subjects)
  for _, field in ipairs { "build", "digest" } do
    local builds = map(subjects, function(subject) return type(subject) == "table" and subject[field] or nil end)
    if #builds == #subjects then return builds end
  end
end

local function question_of(o, subjects)
  local asking = question.of(o, subjects)
  asking.builds = asking.builds or builds_of(subjects)
  if o.every then asking.first_look = #subjects end
  return asking
end

local function begin(store, o)
  return o.investigation or store:begin(record.of(o.title, o.files))
end

local function reference_of(o, store, run, asking, progress)
  if o.reference == nil then return nil end
  if asking.kind ~= "metric" then core.fail("usage", "sweep: a reference is for a number with noise, not for pass and fail") end
  local id, label = id_of(o.reference), label_of(o.reference)
  local key = reg.store.key { subject = id, config = run.config, reference = true }
  local queue = Queue.new(store, { key }, {}, o.prepare, run.suspicion)
  queue.used = #queue.stored  -- those are of another day
  local call = setmetatable({ id = id, key = key }, { __index = run })
  return Reference.new { subject = o.reference, label = label, every = o.reference_every or REFERENCE_EVERY, metric = run.metric,
    min_effect = asking.min_effect or 0.01, stored = queue.stored, run = function()
      progress:update { subject = label .. ", the reference" }
      return (queue:take(o.reference, call))
    end }
end

local function series_of(session, o)
  local found = session.search:answer()
  local points = shape.points(session, found.changes)
  local series = { title = o.title, kind = o.kind, metric = session.metric, subjects = #session.subjects,
    points = points, asked = session.asked,
    changes = shape.changes(found.changes, session.subjects, session.ids),
    doubts = shape.doubts(found.doubts, session.ids, session.labels),
    runs = session.measured + session.run.suspicion.extra_runs, reused = session.reused, skipped = 0,
    set_aside = session.aside or {}, exact = o.exact, flaky = o.flaky, suspect = session.run.suspicion:summary(session.asked) }
  for _, name in ipairs { "verdict", "why", "noise", "build_noise", "error", "narrowest_dip", "rounds", "runs_to_resolve",
    "runs_to_be_surer" } do
    series[name] = found[name]
  end
  if session.moved then series.verdict, series.why = "machine_changed", session.moved end
  if session.reference then
    local reference = session.reference
    series.reference = { id = id_of(reference.subject), label = reference.label, values = reference.values,
      runs = reference.runs }
  end
  for _, point in ipairs(points) do
    if point.status ~= "ok" then series.skipped = series.skipped + 1 end
  end
  return series
end

return function(subjects, o)
  if type(subjects) ~= "table" or type(o) ~= "table" or type(o.measure) ~= "function" then
    core.fail("usage", "sweep: takes a list of subjects and { measure = function(subject, trial) ... end }")
  end
  check_keys("sweep", o, KEYS)
  if #subjects == 0 then core.fail("usage", "sweep: there are no subjects to measure", "are the dates and revisions right?") end
  local asking = question_of(o, subjects)
  if core.settings().dry_run then return plan.describe(subjects, o, asking, label_of) end

  local _ <close> = phase("investigation", o.title or core.settings().script)
  local started_at = core.seconds()
  local store, metric, config = open_store(o.into), o.metric or "value", config_of(o)
  local run = { store = store, investigation = begin(store, o), kind = o.kind, config = config, metric = metric,
    measure = o.measure, suspicion = Suspicion.new(o.suspect) }
  local _, expected = plan.expected_runs(asking)
  local progress <close> = reg.progress { title = o.title, metric = o.metric, total = expected }
  local ids = map(subjects, id_of)
  local session = Session.new {
    asking = asking, subjects = subjects, ids = ids, labels = map(subjects, label_of),
    key = function(i) return reg.store.key { subject = ids[i], config = config } end,
    store = store, redo = o.redo or (core.options and core.options.redo) or {}, prepare = o.prepare, run = run, metric = metric,
    progress = progress, expected = expected, reference = reference_of(o, store, run, asking, progress),
  }
  session:go()
  local series = series_of(session, o)
  series.seconds, series.store, series.investigation = core.seconds() - started_at, store, run.investigation
  return series
end
