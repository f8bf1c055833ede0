-- reg.answer: prints and stores what was found, and decides the exit code.

local due = require "lib/report/due"
local findings = require "lib/report/findings"
local investigation = require "lib/sweep/investigation"
local merged = require("lib/values").merged
local next_steps = require "lib/report/next_steps"
local series_of = require "lib/sweep/series"
local summary = require("lib/report/summary").json
local terminal = require("lib/report/terminal").print
local words = require "lib/report/words"

-- Ends the investigation with its answer, and with the series for later reports.
local function keep(series, answer, stages)
  if not (series.investigation and series.store) then return end
  local more = { series = series_of.store(series), stages = stages }
  series.store:finish_investigation(series.investigation, merged(answer, more))
end

-- Stores the answers of the stages. Returns that of the last one, with what all of them took, also as a sentence where
-- there are several, a proof among them.
local function keep_all(all, found)
  local summaries, ids, last = reg.json.array {}, reg.json.array {}, #all
  for i, series in ipairs(all) do
    summaries[i], ids[i] = summary(found[i]), series.investigation
    summaries[i].investigation = series.investigation
    if i < last then keep(series, summaries[i], ids) end
  end
  local total = merged(summaries[last])
  for i = 1, last - 1 do
    for _, name in ipairs { "runs", "skipped", "seconds" } do total[name] = total[name] + summaries[i][name] end
    total.stored = investigation.stored_together(total.stored, summaries[i].stored)
  end
  total.proof = all[last].proof
  local count, reused = last, 0
  for i, series in ipairs(all) do
    local proof = series.proof
    reused = reused + found[i].reused
    if proof and proof.investigation then
      total.runs = total.runs + #series.store:trials { investigation = proof.investigation }
      total.seconds, count = total.seconds + proof.seconds, count + 1
      total.stored = investigation.stored_together(total.stored, proof.stored)
      reused = reused + (proof.stored and proof.stored.runs or 0)
    end
  end
  keep(all[last], total, ids)
  total.stages = last > 1 and summaries or nil
  return total, count > 1 and string.format("%d stages: %s.", count, words.runs { runs = total.runs, reused = reused,
    stored = total.stored, seconds = total.seconds })
end

local function has_regression(found)
  for _, stage in ipairs(found) do
    if stage.spread and stage.spread.role == "regression" then return true end
    for _, change in ipairs(stage.changes) do
      if change.role == "regression" then return true end
    end
  end
  return false
end

--- Prints what was found: each change with its commit and 95 % interval, how far to trust the answer, what was skipped,
--- a plot, where the results are and what to do next; with --explain, why each run was made; with --json, one JSON
--- object on the last line. Returns the exit code for the script to return: 0 answered, 3 inconclusive or the machine
--- changed, 4 with --fail-on-regression if any stage has a regression. Of several stages the last one answers; what
--- reg.stage printed is not printed again. JSON times are seconds. Raises usage for anything but series.
--- ```lua
--- local series = reg.sweep({ "a", "b" }, { measure = function(name) return #name end })
--- return reg.answer(series)
--- ```
---@param ... sweep.Series
---@return integer exit_code
return function(...)
  -- The last stage answers the question; the earlier ones led to it.
  local all, found, asked = { ... }, {}, core.options or {}
  for _, series in ipairs(all) do due.drop(series) end
  local last = all[#all]
  if type(last) ~= "table" or not last.verdict then
    core.fail("usage", "answer: not a series", "Pass what reg.sweep or reg.bisect returned.")
  end
  if last.dry then return 0 end
  for i, series in ipairs(all) do
    found[i] = findings(series, { only = asked.only })
    found[i].staged = #all > 1
  end
  local total, effort = keep_all(all, found)
  -- after all is stored: stdout may be closed, as by head
  for i, series in ipairs(all) do
    if not series.printed then terminal(series, found[i]) end
  end
  if effort then print(effort) end
  if last.store then
    print(reg.report.wrap("Results: " .. last.store.path .. "; each trial's output is under " .. last.store.path
      .. ".out/"))
    if not last.stopped then print("\n" .. next_steps(last)) end
  end
  if asked.json then print(reg.json.encode(total)) end
  if last.verdict ~= "machine_changed" and asked.fail_on_regression and has_regression(found) then return 4 end
  return (last.verdict == "inconclusive" or last.verdict == "machine_changed") and 3 or 0
end
