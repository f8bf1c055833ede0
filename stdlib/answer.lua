-- reg.answer(series, ...): prints the findings, a plot and where the results are, stores the answer, and returns the
-- exit code: 0 answered, 3 inconclusive or the machine changed. With --json the last line of stdout is one JSON object.

local due = require "lib/report/due"
local explain = require "lib/sweep/explain"
local findings = require "lib/report/findings"
local kept = require "lib/sweep/kept"
local words = require "lib/report/words"
local wrapped = require "lib/report/wrapped"

local function print_series(series, found)
  print(wrapped(words.headline(found)))
  local lines = words.lines(found)
  if #lines > 0 then print(wrapped(table.concat(lines, "\n"))) end
  if core.options and core.options.explain then
    if words.statistics(found) then print(wrapped(words.statistics(found))) end
    if #series.asked > 0 then print(wrapped(explain(series))) end
  end
  if #found.points > 1 and found.kind ~= "test" and not found.stopped then print(reg.report.plot(series)) end
end

local CHANGE = { "kind", "last_good", "first_bad", "before", "after", "ratio", "p", "effect", "effect_low",
  "effect_high", "recovered_at" }

local function json_change(change)
  local picked = {}
  for _, name in ipairs(CHANGE) do picked[name] = change[name] end
  return picked
end

local function json_skip(range)
  return { first = range.first.id, last = range.last.id, count = range.count, tried = range.tried,
    status = range.status, message = range.message }
end

-- A stage's own part of the answer, which --json prints of the last stage.
local function summary(found)
  local changes = reg.json.array {}
  for i, change in ipairs(found.changes) do changes[i] = json_change(change) end
  local skips = reg.json.array {}
  for i, range in ipairs(found.skips) do skips[i] = json_skip(range) end
  return { verdict = found.verdict, why = found.why, error = found.error, noise = found.noise,
    resolution = found.resolution.size, changes = changes, runs = found.runs, skipped = found.skipped,
    skipped_ranges = skips,
    seconds = found.seconds, suspect = found.suspect and found.suspect.trials,
    moves = #found.moves > 0 and found.moves or nil, missing = #found.missing > 0 and found.missing or nil }
end

-- Ends the investigation with its answer, and with the series for later reports.
local function keep(series, answer, stages)
  if not (series.investigation and series.store) then return end
  local record = {}
  for name, value in pairs(answer) do record[name] = value end
  record.series, record.stages = kept(series), stages
  series.store:finish_investigation(series.investigation, record)
end

-- The last stage answers the question; the earlier ones led to it.
return function(...)
  local all, found = { ... }, {}
  for _, series in ipairs(all) do due.drop(series) end
  local last = all[#all]
  if type(last) ~= "table" or not last.verdict then
    core.fail("usage", "answer: not a series", "Pass what reg.sweep or reg.bisect returned.")
  end
  if last.dry then return 0 end
  for i, series in ipairs(all) do found[i] = findings(series) end
  local total, stages = summary(found[#all]), reg.json.array {}
  for i, series in ipairs(all) do
    stages[i] = series.investigation
    if i < #all then
      total.runs, total.skipped = total.runs + series.runs, total.skipped + series.skipped
      total.seconds = total.seconds + series.seconds
      keep(series, summary(found[i]), stages)
    end
  end
  keep(last, total, stages)
  -- after all is stored: stdout may be closed, as by head
  for i, series in ipairs(all) do print_series(series, found[i]) end
  local store = last.store
  if store then print("Results: " .. store.path .. "; each trial's output is under " .. store.path .. ".out/") end
  if core.options and core.options.json then print(reg.json.encode(total)) end
  return (last.verdict == "unresolved" or last.verdict == "machine_changed") and 3 or 0
end
