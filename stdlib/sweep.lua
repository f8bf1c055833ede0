-- reg.sweep(subjects, { measure = f, ... }): measures as few of the subjects, in their order, as it takes to name every
-- place where the numbers changed. Finished trials are in the store and are not run again.

local new_search = require "internal/search"
local trials = require "internal/trial"
local plan = require "internal/plan"

local function id_of(subject)
  if type(subject) ~= "table" then return tostring(subject) end
  return tostring(subject.id or subject.at or core.fail("usage", "sweep: a subject needs an `id`"))
end

local function label_of(subject)
  return type(subject) == "table" and tostring(subject.label or subject.short or subject.id or subject.at) or tostring(subject)
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
    local settings = core.settings()
    config.script, config.args = core.sha256(settings.text), table.concat(settings.args, " ")
  end
  for name, value in pairs(o.config or {}) do config[name] = value end
  for _, file in ipairs(o.files or {}) do config["file:" .. file:match("[^/]+$")] = core.file_hash(file) end
  config.metric = o.metric
  return config
end

local function value_of(trial, metric)
  if trial.status ~= "ok" then return nil end
  local list = trial.samples and trial.samples[metric]
  if not list then
    core.fail("usage", "sweep: `measure` gave no metric '" .. metric .. "'", "name the one to search by with `metric`")
  end
  if type(list) ~= "table" then return list end
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

-- Trials this key already has, oldest first: the search gets these numbers before anything is run.
local function earlier(store, key, redo)
  local kept = {}
  for _, trial in ipairs(store:trials { key = key }) do
    local again = trial.status == "interrupted"
    for _, status in ipairs(redo) do again = again or trial.status == status end
    if not again then kept[#kept + 1] = trial end
  end
  return kept
end

local function begin(store, o)
  if o.investigation then return o.investigation end
  local settings = core.settings()
  local options = {}
  for name, value in pairs(core.options or {}) do options[name] = value end
  return store:begin { name = o.title or settings.script, script = settings.script, text = settings.text, options = options }
end

-- One subject's trials: those of earlier runs first, then new ones.
local Queue = {}
Queue.__index = Queue

function Queue:next_trial(run)
  self.used = self.used + 1
  local stored = self.stored[self.used]
  if stored then return stored, false end
  if not self.prepared then
    self.prepared = true
    if self.prepare then
      local ok, why = pcall(self.prepare, self.subject)
      if not ok and not (type(why) == "table" and why.kind == "failed_trial") then error(why, 0) end
      if not ok then self.unprepared = why end
    end
  end
  return run(self.used, self.unprepared), true
end

local function points_of(subjects, queues, metric)
  local points = {}
  for i, subject in ipairs(subjects) do
    local queue = queues[i]
    if queue and queue.used > 0 then
      local point = { id = id_of(subject), label = label_of(subject), index = i, subject = subject, values = {}, status = "ok" }
      for k = 1, queue.used do
        local trial = queue.trials[k]
        local value = value_of(trial, metric)
        if value then table.insert(point.values, value) else point.failed = trial end
      end
      if #point.values > 0 then
        local sorted = table.move(point.values, 1, #point.values, 1, {})
        table.sort(sorted)
        point.value = (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
      else
        point.status, point.message = point.failed.status, point.failed.message
      end
      point.failed = nil
      points[#points + 1] = point
    end
  end
  return points
end

-- The search speaks of places; the answer speaks of subjects.
local function changes_of(found, subjects)
  local changes = {}
  for _, change in ipairs(found) do
    local c = { kind = change.kind, last_good = id_of(subjects[change.lo]), first_bad = id_of(subjects[change.hi]),
      before = change.before, after = change.after, ratio = change.ratio, p = change.p,
      lo = subjects[change.lo], hi = subjects[change.hi], untested = change.hi - change.lo - 1 }
    if change.leave_hi then
      c.still_bad, c.recovered_at = id_of(subjects[change.leave_lo]), id_of(subjects[change.leave_hi])
      c.leave_lo, c.leave_hi = subjects[change.leave_lo], subjects[change.leave_hi]
    end
    changes[#changes + 1] = c
  end
  return changes
end

return function(subjects, o)
  if type(subjects) ~= "table" or type(o) ~= "table" or type(o.measure) ~= "function" then
    core.fail("usage", "sweep: takes a list of subjects and { measure = function(subject, trial) ... end }")
  end
  if #subjects == 0 then core.fail("usage", "sweep: there are no subjects to measure", "are the dates and revisions right?") end
  local grid = o.every and #subjects or o.grid
  local search_options = { n = #subjects, grid = grid, exact = o.exact, min_effect = o.min_effect, max_repeats = o.max_repeats }
  if core.settings().dry_run then return plan.describe(subjects, o, search_options, label_of) end

  local started_at = core.seconds()
  local store = open_store(o.into)
  local metric = o.metric or "value"
  local investigation = begin(store, o)
  local config = config_of(o)
  local redo = o.redo or (core.options and core.options.redo) or {}
  local search = new_search(search_options)
  local queues, measured, reused = {}, 0, 0
  local _, expected = plan.expected_runs(search_options)
  local progress <close> = reg.progress { title = o.title, metric = o.metric, total = expected }

  local function queue_of(i)
    if not queues[i] then
      local key = reg.store.key { subject = id_of(subjects[i]), config = config }
      queues[i] = setmetatable({ subject = subjects[i], key = key, stored = earlier(store, key, redo), trials = {}, used = 0,
        prepare = o.prepare }, Queue)
    end
    return queues[i]
  end

  for i in search.next do
    local queue, subject = queue_of(i), subjects[i]
    if measured + reused >= expected then expected = measured + reused + 1 end  -- an estimate: there may be more changes
    progress:update { subject = label_of(subject), total = expected }
    local trial, fresh = queue:next_trial(function(number, unprepared)
      local measure = unprepared and function() error(unprepared, 0) end or o.measure
      return trials.run(subject, { store = store, investigation = investigation, key = queue.key, id = id_of(subject),
        kind = o.kind, config = config, metric = metric, measure = measure }, number)
    end)
    queue.trials[queue.used] = trial
    if fresh then measured = measured + 1 else reused = reused + 1 end
    local value = value_of(trial, metric)
    progress:update { done = measured + reused, subject = label_of(subject), value = value, note = not value and trial.status or nil }
    search.tell(i, value)
  end

  local found = search.answer()
  local series = { title = o.title, metric = metric, subjects = #subjects, points = points_of(subjects, queues, metric),
    changes = changes_of(found.changes, subjects), verdict = found.verdict, why = found.why, noise = found.noise,
    runs = measured, reused = reused, skipped = 0, seconds = core.seconds() - started_at, store = store,
    investigation = investigation, exact = o.exact }
  for _, point in ipairs(series.points) do
    if point.status ~= "ok" then series.skipped = series.skipped + 1 end
  end
  return series
end
