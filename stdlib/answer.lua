-- reg.answer(series, ...): prints what a script found - the verdict, a plot, the table, where the results lie - and returns
-- the exit code: 0 answered, 3 unresolved or the machine changed. With --json the last line of stdout is one JSON object.

local explain = require "lib/sweep/explain"
local kept = require "lib/sweep/kept"
local verdict = require "lib/sweep/verdict"
local wrapped = require "lib/report/wrapped"

local function print_series(series)
  print(wrapped(verdict.head(series)))
  local lines = verdict.lines(series)
  if #lines > 0 then print(wrapped(table.concat(lines, "\n"))) end
  if core.options and core.options.explain and #series.asked > 0 then print(wrapped(explain(series))) end
  if #series.points > 1 and not series.exact then print(reg.report.plot(series)) end
end

local function json_changes(series)
  local list = reg.json.array {}
  for _, change in ipairs(series.changes) do
    list[#list + 1] = { kind = change.kind, last_good = change.last_good, first_bad = change.first_bad, before = change.before,
      after = change.after, ratio = change.ratio, p = change.p, effect = change.effect, effect_low = change.effect_low,
      effect_high = change.effect_high, recovered_at = change.recovered_at }
  end
  return list
end

-- A stage's own part of the answer: what --json prints when it is the last.
local function summary(series)
  return { verdict = series.verdict, why = series.why, error = series.error, noise = series.noise, changes = json_changes(series),
    runs = series.runs, skipped = series.skipped, seconds = series.seconds, suspect = series.suspect and series.suspect.trials }
end

-- Each stage's investigation is ended with its answer, and with the series that reports and shared scripts show later.
local function keep(series, answer, stages)
  if not (series.investigation and series.store) then return end
  local record = {}
  for name, value in pairs(answer) do record[name] = value end
  record.series, record.stages = kept(series), stages
  series.store:finish_investigation(series.investigation, record)
end

-- The last stage answers the question; the earlier ones led to it.
return function(...)
  local all = { ... }
  local last = all[#all]
  if type(last) ~= "table" or not last.verdict then core.fail("usage", "answer: takes what reg.sweep or reg.bisect returned") end
  if last.dry then return 0 end
  local total, stages = summary(last), reg.json.array {}
  for i, series in ipairs(all) do
    stages[i] = series.investigation
    if i < #all then
      total.runs, total.skipped = total.runs + series.runs, total.skipped + series.skipped
      total.seconds = total.seconds + series.seconds
      keep(series, summary(series), stages)
    end
  end
  keep(last, total, stages)
  for _, series in ipairs(all) do print_series(series) end  -- once all is kept: who reads it may go away, as head does
  local store = last.store
  if store then print("results: " .. store.path .. ", each trial's output below " .. store.path .. ".out/") end
  if core.options and core.options.json then print(reg.json.encode(total)) end
  return (last.verdict == "unresolved" or last.verdict == "machine_changed") and 3 or 0
end
