-- What the store has of an investigation, for the page and the shared text: its stages, each with its findings and its
-- trials.

local explained = require "lib/report/why"
local findings = require "lib/report/findings"
local median = require "lib/median"
local predictions = require "lib/predictions"
local read = require "lib/report/read"
local unanswered = require "lib/report/unanswered"
local words = require "lib/report/words"

-- The one touched last comes last: each is known by its last trial, since there may be a million of them.
local ROWS = [[
  SELECT i.id, i.name, i.script, i.script_sha256, i.options, i.engine, i.host, i.kernel, i.cpu, i.facts, i.started,
    i.ended, i.verdict, max(i.started, coalesce(i.ended, 0),
      coalesce((SELECT coalesce(t.ended, t.started) FROM trials t WHERE t.investigation = i.id
        ORDER BY t.id DESC LIMIT 1), 0)) AS touched
  FROM investigations i ORDER BY touched, i.id]]

local function choose(store, rows, wanted)
  if #rows == 0 then
    core.fail("not_found", store.path .. " has no investigation yet", "Run a strategy first: regengine nightly.lua")
  end
  if wanted == nil then return rows[#rows] end
  local names, known = {}, {}
  for at = #rows, 1, -1 do
    local row = rows[at]
    if row.id == math.tointeger(wanted) or row.name == wanted then return row end
    names[#names + 1] = tostring(row.name)
    known[#known + 1] = string.format("%d (%s)", row.id, row.name)
  end
  core.fail("not_found", string.format("%s has no investigation '%s'%s", store.path, tostring(wanted),
    core.did_you_mean(tostring(wanted), names)), "Pass a number or a name: "
    .. table.concat(known, ", ", 1, math.min(#known, 8)) .. (#known > 8 and ", ..." or ""))
end

-- The other sweeps of the same run of the script: those that the answer names, and those that got no answer.
local function together(rows, chosen)
  local stages, named = { chosen }, {}
  for _, id in ipairs(read.list(chosen.answer.stages)) do named[id] = true end
  for at = #rows, 1, -1 do
    local row = rows[at]
    local same_run = row.script_sha256 == chosen.script_sha256 and row.script ~= "" and row.options == chosen.options
    if row ~= chosen and (named[row.id] or same_run and not row.ended) then stages[#stages + 1] = row end
  end
  return stages
end

-- Of a trial what was written as JSON, each a table; `suspect`, why its numbers are not to be believed, a list or nil.
local function checked(trial)
  for _, name in ipairs { "config", "command", "env", "info" } do trial[name] = read.list(trial[name]) end
  local why = read.each(read.list(trial.info.suspect).why, read.text)
  trial.suspect = #why > 0 and why or nil
  return trial
end

-- Adds the trials of earlier investigations that the points rest on.
local function add_reused(stage, points, store)
  local trials, by_id, missing = stage.trials, stage.by_id, {}
  for _, point in ipairs(points) do
    for _, id in ipairs(point.trials) do
      if not by_id[id] then missing[#missing + 1] = id end
    end
  end
  for _, trial in ipairs(#missing > 0 and store:trials { ids = missing } or {}) do
    by_id[trial.id] = checked(trial)
    trials[#trials + 1] = trial
  end
  table.sort(trials, function(a, b) return a.id < b.id end)
end

-- The values of discarded trials, beside each point's own.
local function add_discarded(stage)
  local of = {}
  for _, trial in ipairs(stage.trials) do
    local samples = trial.status == "set_aside" and read.list(trial.samples[stage.found.metric]) or {}
    if #samples > 0 then
      of[trial.subject] = of[trial.subject] or reg.json.array {}
      table.insert(of[trial.subject], median(samples))
    end
  end
  for _, point in ipairs(stage.found.points) do point.discarded = of[point.id] end
end

-- What the subjects are, "night": of an older series the trials say it, or the title of the stage.
local function thing_of(stage)
  local own = stage.trials[1]
  return own and own.kind ~= "" and own.kind or stage.title:match "^(%l+)s$"
end

local NO_REPOSITORIES = { commit = function() end }
local ANSWER = { "verdict", "why", "changes", "runs", "noise", "error", "seconds" }

local function add_findings(stage, store, repos)
  local answer, o = stage.row.answer, { title = stage.title, thing = thing_of(stage) }
  stage.predictions = predictions.stored(answer)
  stage.why = explained.stored(answer)
  stage.found = findings(answer.series, o)
  if stage.found then
    stage.answered = true
    return add_reused(stage, stage.found.points, store)
  end
  local series
  series, stage.in_order = unanswered.series(stage.trials, repos, answer.asked)
  stage.answered = words.verdict(answer) ~= nil  -- an answer that was stored without its series
  for _, name in ipairs(stage.answered and ANSWER or {}) do series[name] = answer[name] end
  stage.found = findings(series, o)
  for _, point in ipairs(stage.found.points) do point.index = nil end
end

--- The investigation `wanted` - an id, a name, or nil for the newest - with the other stages of its run, as a list:
--- the stage that answers first, then from new to old. Each has row, title, options, facts, found (findings.lua),
--- answered, in_order, trials, by_id, beside (whether it is another than the first), repos, predictions
--- (lib/predictions), and why (report/why.lua) if it is an answer of reg.why. `repos(options)` gives the
--- repositories to ask for what the store lacks; without it none are read. The second result is the script's text.
return function(store, wanted, repos)
  if type(store) ~= "userdata" then
    core.fail("usage", "not a store: " .. type(store), "Pass what reg.store.open returns.")
  end
  local rows = store:query(ROWS)
  local chosen = choose(store, rows, wanted)
  for _, row in ipairs(rows) do row.answer = read.json(row.verdict) end
  local stages, repositories = {}, repos and repos(read.json(chosen.options)) or NO_REPOSITORIES
  for i, row in ipairs(together(rows, chosen)) do
    local stage = { id = row.id, title = row.name, row = row, options = read.json(row.options),
      facts = read.json(row.facts), repos = repositories, beside = i > 1,
      trials = store:trials { investigation = row.id }, by_id = {} }
    for _, trial in ipairs(stage.trials) do stage.by_id[trial.id] = checked(trial) end
    add_findings(stage, store, repositories)
    add_discarded(stage)
    stages[i] = stage
  end
  local script = store:query("SELECT script_text FROM investigations WHERE id = ?", chosen.id)
  return stages, script[1].script_text
end
