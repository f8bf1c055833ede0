-- What the store has of an investigation, for a report and for what is shared: its stages, each with its series, its trials, and
-- where there is no answer a series made of the trials alone.

local stored = require "lib/report/page/stored"

local collect = {}

-- The last touched comes last.
local ROWS = [[
  SELECT i.id, i.name, i.script, i.script_sha256, i.options, i.engine, i.host, i.kernel, i.cpu, i.facts, i.started, i.ended, i.verdict,
    max(i.started, coalesce(i.ended, 0),
      coalesce((SELECT max(coalesce(t.ended, t.started)) FROM trials t WHERE t.investigation = i.id), 0)) AS touched
  FROM investigations i ORDER BY touched, i.id]]

local function choose(store, rows, wanted)
  if #rows == 0 then core.fail("not_found", store.path .. " has no investigation yet", "reg.sweep makes one") end
  if wanted == nil then return rows[#rows] end
  local names = {}
  for at = #rows, 1, -1 do
    local row = rows[at]
    if row.id == math.tointeger(wanted) or row.name == wanted then return row end
    names[#names + 1] = tostring(row.name)
  end
  core.fail("not_found", string.format("%s has no investigation '%s'%s", store.path, tostring(wanted),
    core.did_you_mean(tostring(wanted), names)), "an id, or a name: " .. table.concat(names, ", ", 1, math.min(#names, 8)))
end

-- The other sweeps of the same run of its script: those that its answer names, and those that got no answer.
local function together(rows, chosen)
  local stages, named = { chosen }, {}
  for _, id in ipairs(type(chosen.answer.stages) == "table" and chosen.answer.stages or {}) do named[id] = true end
  for at = #rows, 1, -1 do
    local row = rows[at]
    local same_run = row.script_sha256 == chosen.script_sha256 and row.script ~= "" and row.options == chosen.options
    if row ~= chosen and (named[row.id] or same_run and not row.ended) then stages[#stages + 1] = row end
  end
  return stages
end

-- A number that a trial gave, by the metric that is searched by.
local function samples_of(trial, metric)
  local samples = trial.samples[metric]
  return type(samples) == "table" and samples or {}
end

local function metric_of(trials)
  for _, trial in ipairs(trials) do
    if type(trial.config.metric) == "string" and trial.samples[trial.config.metric] then return trial.config.metric end
  end
  -- Else what most of them gave: beside a suite's processes stand those that warmed up.
  local counts, most = {}, "value"
  for _, trial in ipairs(trials) do
    for name in pairs(trial.samples) do
      counts[name] = (counts[name] or 0) + 1
      if counts[name] > (counts[most] or 0) or counts[name] == counts[most] and name < most then most = name end
    end
  end
  return most
end

local function is_failure(status) return status ~= "ok" and status ~= "set_aside" and status ~= "interrupted" and status ~= "running" end

-- One subject's trials as a point.
local function point_of(id, trials, metric)
  local point = { id = id, label = #id == 40 and id:match "^%x+$" and id:sub(1, 10) or id, values = reg.json.array {}, trials = {},
    status = "ok" }
  for _, trial in ipairs(trials) do
    point.trials[#point.trials + 1] = trial.id
    if trial.status == "ok" then
      point.values[#point.values + 1] = stored.median(samples_of(trial, metric))
    elseif is_failure(trial.status) or point.status == "ok" then
      point.status, point.message = trial.status, trial.message
    end
  end
  point.value = stored.median(point.values)
  if point.value then point.status, point.message = "ok", nil end
  return point
end

-- Dates have an order of their own, commits that of their repository; of all else it is that in which they were run.
local function in_order(points, repos)
  local all_dates = true
  for _, point in ipairs(points) do
    all_dates = all_dates and point.id:match "^%d%d%d%d%-%d%d%-%d%d" ~= nil
    point.subject = repos:commit(point.id)
    point.order = point.subject and point.subject.time
  end
  local function key(point) return all_dates and point.id or point.order end
  for _, point in ipairs(points) do
    if not key(point) then return false end
  end
  table.sort(points, function(a, b)
    if key(a) ~= key(b) then return key(a) < key(b) end
    return a.index < b.index
  end)
  return true
end

local function of_trials(trials, repos)
  local metric, of, ids = metric_of(trials), {}, {}
  for _, trial in ipairs(trials) do
    if not of[trial.subject] then
      of[trial.subject] = {}
      ids[#ids + 1] = trial.subject
    end
    table.insert(of[trial.subject], trial)
  end
  local series = { metric = metric, points = {}, side_points = {}, changes = {}, doubts = {}, exact = false }
  local pass_fail, any = true, false
  for i, id in ipairs(ids) do
    local point = point_of(id, of[id], metric)
    point.index = i
    series.points[i] = point
    for _, value in ipairs(point.values) do
      any, pass_fail = true, pass_fail and (value == 0 or value == 1)
    end
  end
  series.exact = any and pass_fail
  series.in_order = in_order(series.points, repos)
  for _, point in ipairs(series.points) do point.index = nil end
  return series
end

-- The trials the stage rests on: its own, and those of earlier investigations whose numbers it used.
local function add_trials(stage, store)
  local trials, by_id = store:trials { investigation = stage.id }, {}
  for _, trial in ipairs(trials) do by_id[trial.id] = stored.trial(trial) end
  local points = stage.series and stage.series.points or {}
  for _, point in ipairs(points) do
    local missing = false
    for _, id in ipairs(point.trials) do missing = missing or not by_id[id] end
    for _, trial in ipairs(missing and store:trials { subject = point.id } or {}) do
      for _, id in ipairs(point.trials) do
        if trial.id == id and not by_id[id] then
          by_id[id] = stored.trial(trial)
          trials[#trials + 1] = trial
        end
      end
    end
  end
  table.sort(trials, function(a, b) return a.id < b.id end)
  stage.trials, stage.by_id = trials, by_id
end

-- What each point's trials tell besides its value: those that were set aside.
local function add_aside(stage)
  local of = {}
  for _, trial in ipairs(stage.trials) do
    if trial.status == "set_aside" then
      of[trial.subject] = of[trial.subject] or {}
      table.insert(of[trial.subject], stored.median(samples_of(trial, stage.series.metric)))
    end
  end
  for _, point in ipairs(stage.series.points) do point.aside = of[point.id] end
end

--- The investigation `wanted` - an id, a name, or nil for the newest - with the other stages of its run: the stage that
--- answers first, then from new to old. `repos(options)` gives the repositories to ask for what the store lacks.
function collect.stages(store, wanted, repos)
  if type(store) ~= "userdata" then core.fail("usage", "takes a store, as reg.store.open gives it, not a " .. type(store)) end
  local rows = store:query(ROWS)
  local chosen = choose(store, rows, wanted)
  for _, row in ipairs(rows) do row.answer = stored.json(row.verdict) end
  local stages, known = {}, repos(stored.json(chosen.options))
  for i, row in ipairs(together(rows, chosen)) do
    local stage = { id = row.id, title = row.name, row = row, options = stored.json(row.options), facts = stored.json(row.facts),
      series = stored.series(row.answer), repos = known }
    stage.answered = stage.series ~= nil
    add_trials(stage, store)
    if not stage.series then
      stage.series = of_trials(stage.trials, known)
      stage.answered = stored.answer(row.answer, stage.series)
    end
    add_aside(stage)
    stage.beside = i > 1
    stages[i] = stage
  end
  local script = store:query("SELECT script_text FROM investigations WHERE id = ?", chosen.id)
  return stages, script[1].script_text
end

return collect
