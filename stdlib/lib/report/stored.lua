-- What a store has: its investigations with what each found, one of them with the other stages of its run for the page
-- and the shared text, and the same as the terminal showed it.

local direction = require "lib/direction"
local findings = require "lib/report/findings"
local read = require "lib/report/read"
local some = require("lib/report/numbers").some
local terminal = require "lib/report/terminal"
local values = require "lib/values"
local words = require "lib/report/words"

local stored = {}

-- The metric that a trial names, else what most of them gave: a suite has warm-up processes too.
local function metric_of(trials)
  local said = values.find(trials, function(trial)
    return type(trial.config.metric) == "string" and trial.samples[trial.config.metric]
  end)
  local names = values.flat(trials, function(trial) return values.sorted_names(trial.samples) end)
  local most = values.sort_by(values.grouped(names, function(name) return name end), function(same)
    return -#same, same[1]
  end)[1]
  return said and said.config.metric or most and most[1] or "value"
end

local NO_FAILURE = { ok = true, set_aside = true, interrupted = true, running = true }

local function point_of(id, trials, metric, label)
  local point = { id = id, label = label or #id == 40 and id:match "^%x+$" and id:sub(1, 10) or id, values = {},
    trials = {}, status = "ok" }
  for i, trial in ipairs(trials) do
    point.trials[i] = trial.id
    local samples = read.list(trial.samples[metric])
    if trial.status == "ok" then
      point.values[#point.values + 1] = #samples > 0 and values.median(samples) or nil
    elseif not NO_FAILURE[trial.status] or point.status == "ok" then
      point.status, point.message = trial.status, trial.message
    end
  end
  if #point.values > 0 then point.status, point.message = "ok", nil end
  return point
end

-- Dates have an order of their own; all else stays in the order of its first runs. Whether it is sorted.
local function sort(points)
  if values.find(points, function(point) return not point.id:match "^%d%d%d%d%-%d%d%-%d%d" end) then return false end
  table.sort(points, function(a, b) return a.id < b.id end)
  return true
end

-- The series (for findings.lua) of an investigation that has none in the store, made of its trials alone, and whether
-- its points are in the order of the subjects. A minimization says in `answer.asked` what its sets are called.
local function series_of(stage)
  local trials, answer = stage.trials, stage.row.answer
  local metric, labels = metric_of(trials), {}
  for _, one in ipairs(read.list(answer.asked)) do labels[read.text(one.subset) or ""] = read.text(one.label) end
  local points = values.map(values.grouped(trials, function(trial) return trial.subject end), function(list)
    return point_of(list[1].subject, list, metric, labels[list[1].subject])
  end)
  local numbers = values.flat(points, function(point) return point.values end)
  local is_measured = values.find(numbers, function(number) return number ~= 0 and number ~= 1 end)
  local units = trials[1] and read.list(trials[1].info.units) or {}  -- of a suite
  return { metric = metric, unit = read.text(units[metric]) or read.text(answer.unit) or direction.unit(metric),
    exact = #numbers > 0 and not is_measured, points = points, runs = #trials }, sort(points)
end

-- What the answer of a script that searches nothing says, as a suite's or an A/B's; nil where it kept none.
local function kept(answer)
  if type(answer.title) == "string" then return answer.title end
  if type(answer.text) == "string" then  -- its first line is the verdict, with what it took
    return (answer.text:match "^[^\n]*":gsub("^(%u%u+)  +", "%1: "):gsub("   .*", "")
      :gsub("  %(95 %% interval [^)]*%)", ""):gsub("%.$", ""))
  end
  local list = values.map(values.sorted_names(answer), function(name)
    return read.text(answer[name]) and name:gsub("_", " ") .. " " .. answer[name]
  end)
  return #list > 0 and table.concat(list, ", ") or nil
end

--- What a stage found, in a sentence without its end.
function stored.title(stage)
  if stage.answered then return words.title(stage.found) end
  if stage.sentence then return stage.sentence end
  local count, answer = words.count(#stage.trials, "trial"), stage.row.ended and kept(stage.row.answer)
  if answer then return string.format("%s: %s, %s", stage.title, answer, count) end
  return (stage.beside and "No answer of its own, " or "No answer yet, ") .. count
end

--- What a stage without an answer lacks, in a sentence; nil if the script kept an answer of its own.
function stored.note(stage)
  if not stage.row.ended then
    return "This investigation has no answer: it was stopped, is still running, or its script did not call reg.answer."
  end
  return not kept(stage.row.answer) and "The script stored no answer for this investigation." or nil
end

-- Each is known by its last trial, since there may be a million of them.
local WITH_LAST = [[
  FROM investigations i LEFT JOIN trials last
    ON last.id = (SELECT max(t.id) FROM trials t WHERE t.investigation = i.id)]]

-- The one touched last comes first.
local TOUCHED = [[
  SELECT i.id, i.name, i.script, i.script_sha256, i.options, i.engine, i.host, i.kernel, i.cpu, i.facts, i.started,
    i.ended, i.verdict, max(i.started, coalesce(i.ended, 0), coalesce(last.ended, last.started, 0)) AS touched
]] .. WITH_LAST .. " ORDER BY touched DESC, i.id DESC"

local function choose(store, rows, wanted)
  if #rows == 0 then
    core.fail("not_found", store.path .. " has no investigation yet", "Run a strategy first: regengine nightly.lua")
  end
  local found = wanted == nil and rows[1] or values.find(rows, function(row)
    return row.id == math.tointeger(wanted) or row.name == wanted
  end)
  if found then return found end
  local names = values.map(rows, function(row) return tostring(row.name) end)
  local known = values.map(rows, function(row) return string.format("%d (%s)", row.id, row.name) end)
  core.fail("not_found", string.format("%s has no investigation '%s'%s", store.path, tostring(wanted),
    core.did_you_mean(tostring(wanted), names)), "Pass a number or a name: " .. some(known, 8, ", "))
end

-- The other sweeps of the same run of the script: those that the answer names, and those that got no answer.
local function together(rows, chosen)
  local named = values.set(read.list(chosen.answer.stages))
  return { chosen, table.unpack(values.map(rows, function(row)
    local same_run = row.script_sha256 == chosen.script_sha256 and row.script ~= "" and row.options == chosen.options
    return row ~= chosen and (named[row.id] or same_run and not row.ended) and row or nil
  end)) }
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
  local missing = values.flat(points, function(point)
    return values.map(point.trials, function(id) return not stage.by_id[id] and id or nil end)
  end)
  local reused = #missing > 0 and store:trials { ids = missing } or {}
  for _, trial in ipairs(reused) do stage.by_id[trial.id] = checked(trial) end
  stage.trials = values.sort_by(values.flat { stage.trials, reused }, function(trial) return trial.id end)
end

local ANSWER = { "verdict", "why", "changes", "runs", "noise", "error", "seconds" }

local function add_findings(stage, store)
  local answer, own = stage.row.answer, stage.trials[1]
  -- What the subjects are, "night", of an older series.
  local thing = own and own.kind ~= "" and own.kind or stage.title:match "^(%l+)s$"
  local o = { title = stage.title, thing = thing }
  stage.found = findings(answer.series, o)
  if stage.found then
    stage.answered = true
    return add_reused(stage, stage.found.points, store)
  end
  stage.text, stage.sentence = read.text(answer.text), answer.slowdown and read.text(answer.sentence)
  local series
  series, stage.in_order = series_of(stage)
  -- an answer that was stored without its series
  stage.answered = words.verdict(answer) ~= nil and not stage.text
  for _, name in ipairs(stage.answered and ANSWER or {}) do series[name] = answer[name] end
  stage.found = findings(series, o)
  for _, point in ipairs(stage.found.points) do point.index = nil end
end

--- The investigation `wanted` - an id, a name, or nil for the newest - and the other stages of its run, newest first.
--- Each has row, title, options, facts, found (findings.lua), answered, in_order, trials, by_id, beside (it is another
--- than the first), text (what a script that searches nothing printed), sentence (of reg.why). And the script's text.
function stored.stages(store, wanted)
  if type(store) ~= "userdata" then
    core.fail("usage", "not a store: " .. type(store), "Pass what reg.store.open returns.")
  end
  local rows = store:query(TOUCHED)
  local chosen = choose(store, rows, wanted)
  for _, row in ipairs(rows) do row.answer = read.json(row.verdict) end
  local stages = values.map(together(rows, chosen), function(row, i)
    local stage = { id = row.id, title = row.name, row = row, options = read.json(row.options),
      facts = read.json(row.facts), beside = i > 1, trials = store:trials { investigation = row.id }, by_id = {} }
    for _, trial in ipairs(stage.trials) do stage.by_id[trial.id] = checked(trial) end
    add_findings(stage, store)
    return stage
  end)
  return stages, store:query("SELECT script_text FROM investigations WHERE id = ?", chosen.id)[1].script_text
end

local LISTED = [[
  SELECT i.id, i.name, i.started, i.ended, i.verdict, coalesce(i.ended, last.ended, i.started) - i.started AS took,
    (SELECT count(*) FROM trials t WHERE t.investigation = i.id) AS runs,
    CASE WHEN last.status != 'ok' THEN last.message END AS failed
]] .. WITH_LAST .. " ORDER BY i.id"

local function time_of(seconds) return reg.time.format(math.floor(seconds), "%Y-%m-%d %H:%M") end

--- The investigations, oldest first, each with what it found.
function stored.rows(store)
  local running = store:writer() ~= nil
  return values.map(store:query(LISTED), function(row)
    local answer = read.json(row.verdict)
    local found = findings(answer.series, { title = row.name })
    local title = found and words.title(found) or row.ended and (read.text(answer.sentence) or kept(answer))
    local failed = (row.failed or ""):match "^[^\n]+"
    local none = (row.ended or running) and "no answer yet"
      or "stopped without an answer" .. (failed and ": " .. failed or "")
    -- the last of several stages has the runs and the time of all of them
    local runs, seconds = read.integer(answer.series and answer.runs), read.number(answer.seconds)
    return { id = row.id, started = time_of(row.started), title = row.name, runs = runs or row.runs,
      took = reg.time.words(math.max(seconds or row.took, 0)), found = title or none }
  end)
end

--- What a stage found, below its headline, "" for nothing; and the drawing or nil. `o`: its width and height.
function stored.body(stage, o)
  local draws = stage.answered or stage.in_order and not stage.text
  return stage.text or stage.answered and table.concat(words.lines(stage.found), "\n") or "",
    draws and terminal.drawn(stage.found, o) or nil
end

local function text_of(stage)
  local lines = { stage.title .. ", " .. time_of(stage.row.started) }
  if not stage.text then
    lines[2] = stage.answered and words.headline(stage.found) or stored.title(stage)
    lines[3] = not stage.answered and stored.note(stage) or nil
  end
  for _, part in ipairs { stored.body(stage) } do lines[#lines + 1] = part ~= "" and part or nil end
  return table.concat(lines, "\n")
end

-- The answer as --json printed it: without the series, which is for reports.
local function answer_of(stage)
  local answer = values.merged(stage.row.answer)
  answer.investigation, answer.series, answer.stages = stage.id, nil, nil
  return answer
end

--- The investigation `wanted` and the other stages of its run, oldest first: as text, and as --json prints the answer.
function stored.text(store, wanted)
  local stages, texts, answers = stored.stages(store, wanted), {}, reg.json.array {}
  for i, stage in ipairs(stages) do
    texts[#stages - i + 1], answers[#stages - i + 1] = text_of(stage), answer_of(stage)
  end
  local answer = answer_of(stages[1])
  answer.stages = #stages > 1 and answers or nil
  return table.concat(texts, "\n\n"), answer
end

return stored
