-- An investigation that has no answer in the store: a series made from its trials, and what is said of it.

local direction = require "lib/direction"
local median = require "lib/median"
local read = require "lib/report/read"
local sorted_names = require "lib/sorted_names"
local words = require "lib/report/words"

local unanswered = {}

local function metric_of(trials)
  for _, trial in ipairs(trials) do
    if type(trial.config.metric) == "string" and trial.samples[trial.config.metric] then return trial.config.metric end
  end
  -- Else what most of them gave: a suite has warm-up processes too.
  local counts, most = {}, "value"
  for _, trial in ipairs(trials) do
    for name in pairs(trial.samples) do
      counts[name] = (counts[name] or 0) + 1
      if counts[name] > (counts[most] or 0) or counts[name] == counts[most] and name < most then most = name end
    end
  end
  return most
end

local NO_FAILURE = { ok = true, set_aside = true, interrupted = true, running = true }

-- The trials of one subject as a point.
local function point_of(id, trials, metric, label)
  local point = { id = id, label = label or #id == 40 and id:match "^%x+$" and id:sub(1, 10) or id, values = {},
    trials = {}, status = "ok" }
  for i, trial in ipairs(trials) do
    point.trials[i] = trial.id
    local samples = read.list(trial.samples[metric])
    if trial.status == "ok" then
      point.values[#point.values + 1] = #samples > 0 and median(samples) or nil
    elseif not NO_FAILURE[trial.status] or point.status == "ok" then
      point.status, point.message = trial.status, trial.message
    end
  end
  if #point.values > 0 then point.status, point.message = "ok", nil end
  return point
end

-- Dates have an order of their own, commits that of their repository; all else stays in the order of its first runs.
-- Whether it is sorted.
local function sort(points, repos)
  local all_dates, order, first = true, {}, {}
  for i, point in ipairs(points) do
    all_dates = all_dates and point.id:match "^%d%d%d%d%-%d%d%-%d%d" ~= nil
    point.subject = repos:commit(point.id)
    first[point], order[point] = i, point.subject and point.subject.time
  end
  for _, point in ipairs(points) do
    order[point] = all_dates and point.id or order[point]
    if not order[point] then return false end
  end
  table.sort(points, function(a, b)
    if order[a] ~= order[b] then return order[a] < order[b] end
    return first[a] < first[b]
  end)
  return true
end

--- A series (for findings.lua) of trials alone, and whether its points are in the order of the subjects. `asked`: what
--- a minimization asked for, which says what its sets are called; may be nil.
function unanswered.series(trials, repos, asked)
  local metric, of, points, labels = metric_of(trials), {}, {}, {}
  for _, one in ipairs(read.list(asked)) do labels[read.text(one.subset) or ""] = read.text(one.label) end
  for _, trial in ipairs(trials) do
    local list = of[trial.subject] or {}
    if #list == 0 then of[trial.subject], points[#points + 1] = list, trial.subject end
    list[#list + 1] = trial
  end
  local pass_fail, any = true, false
  for i, id in ipairs(points) do
    points[i] = point_of(id, of[id], metric, labels[id])
    for _, value in ipairs(points[i].values) do any, pass_fail = true, pass_fail and (value == 0 or value == 1) end
  end
  local units = trials[1] and read.list(trials[1].info.units) or {}  -- of a suite
  return { metric = metric, unit = read.text(units[metric]) or direction.unit(metric),
    exact = any and pass_fail, points = points, runs = #trials }, sort(points, repos)
end

-- The answer of a script that searches nothing, as a suite's or an A/B's; nil where it kept none.
local function kept(answer)
  if type(answer.title) == "string" then return answer.title end
  if type(answer.text) == "string" then return (answer.text:match("^[^\n]*"):gsub("%.$", "")) end
  local list = {}
  for _, name in ipairs(sorted_names(answer)) do
    local value = answer[name]
    if type(value) == "number" or type(value) == "string" then
      list[#list + 1] = name:gsub("_", " ") .. " " .. tostring(value)
    end
  end
  return #list > 0 and table.concat(list, ", ") or nil
end

--- The title in place of a verdict.
function unanswered.title(stage)
  if stage.why then return stage.why.sentence end
  local count, answer = words.count(#stage.trials, "trial"), stage.row.ended and kept(stage.row.answer)
  if answer then return string.format("%s: %s, %s", stage.title, answer, count) end
  return (stage.beside and "No answer of its own, " or "No answer yet, ") .. count
end

--- Why there is no answer, in a sentence; nil where the script kept one of its own.
function unanswered.note(stage)
  if not stage.row.ended then
    return "This investigation has no answer: it was stopped, is still running, or its script did not call reg.answer."
  end
  return not kept(stage.row.answer) and "The script stored no answer for this investigation." or nil
end

return unanswered
