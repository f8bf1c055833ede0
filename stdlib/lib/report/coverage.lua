-- What an answer covers: the difference of the ends, what would have been found, what is open, and what it costs.

local direction = require "lib/direction"
local map, median = require("lib/values").map, require("lib/values").median
local names = require "lib/report/names"
local numbers = require "lib/report/numbers"

local DEFAULT_BUDGET = 200  -- of a search for a number

local WORTH_A_WORD = 0.2   -- probability of a change that is not settled
local CHANCE = 0.02         -- probability of an answer by chance
local SCATTERED = 0.6      -- part of the steps that are changes
local COARSE = 0.1          -- size of what may be missed, from which on a hint says how to look for it

local coverage = {}

local function more_runs(n) return "about " .. numbers.count(n, "more run") end

--- The answer where it is about the ends alone; nil elsewhere.
function coverage.verdict(found)
  local ends = found.ends
  if not ends then return nil end
  local between = string.format("between %s and %s", ends.good, ends.bad)
  if found.verdict == "no_change" and ends.differ == false then return "No change " .. between end
  if found.verdict == "changes" and found.spread then
    local parts = #found.spread > 1 and "in several steps or a slope" or "at a place that is not known yet"
    return string.format("%s %s, %s", (numbers.effect(ends, found)), between, parts)
  end
end

-- "+21 % by 2021-03 (about 40 more runs would narrow it), +12 % after".
local function stretches_of(found)
  return table.concat(map(found.spread, function(one, i)
    local at = i > 1 and i == #found.spread and "after" or "by " .. names.short(one.hi, one.first_bad)
    return string.format("%s %s%s", (numbers.effect(one, found)), at,
      one.runs_to_narrow > 0 and " (" .. more_runs(one.runs_to_narrow) .. " would narrow it)" or "")
  end), ", ")
end

--- How the ends differ, and what of it no change accounts for.
function coverage.ends(found, say)
  local ends, largest = found.ends, found.spread and found.spread.largest
  if found.spread and #found.spread == 1 then
    local runs = found.spread[1].runs_to_narrow
    if runs > 0 then say("%s would narrow it.", (more_runs(runs):gsub("^a", "A"))) end
  elseif found.spread then
    say("%s%s.", stretches_of(found), largest and "; no single " .. found.thing .. " carries more than "
      .. numbers.percent(largest) or "")
  elseif ends and found.verdict == "inconclusive" and ends.bound then
    say("%s and %s cannot be told apart: they differ by at most %s.", ends.good, ends.bad, numbers.percent(ends.bound))
  elseif ends and found.verdict == "inconclusive" and ends.differ == nil then
    local size, interval = numbers.effect(ends, found)
    local seem = interval and ends.effect_low * ends.effect_high > 0
    local what = seem and "seem to differ, in too few runs to be sure" or "cannot be told apart yet"
    say("%s and %s %s%s%s.", ends.good, ends.bad, what, size and string.format(" (difference %s%s)",
      size, interval and ", 95 % interval " .. interval or "") or "",
      ends.runs_to_tell > 0 and "; " .. more_runs(ends.runs_to_tell) .. " would tell" or "")
  end
  if found.unaccounted then
    say("Beyond the changes found, %s remain between the ends.", (numbers.effect(found.unaccounted, found)))
  end
end

--- Of tests: whether failures by chance may be the answer. A test that fails by chance in the part of the runs that is
--- said to be excluded would have failed each of these times in one of CHANCE searches.
function coverage.chance(found, say)
  if found.by_chance then
    say("%s passed and failed: the test fails by chance, so the search compared failure rates.", found.by_chance)
  end
  for _, change in ipairs(found.passes and found.changes or {}) do
    local failing = change.after > change.before and change.first_bad or change.last_good
    local runs = #(found.by_id[failing] or { values = {} }).values
    if runs > 1 then
      say("%s failed %d of %d times: chance failures in up to %d %% of the runs are excluded.",
        names.short(change.after > change.before and change.hi or change.lo, failing), runs, runs,
        math.floor(100 * CHANCE ^ (1 / runs)))
    end
  end
end

--- Where most of a few subjects differ from the one before them, none of these changes stands out.
function coverage.scatter(found, say)
  local steps = map(found.table, function(row) return row.step and math.abs(row.step) end)
  local changes = map(found.table, function(row) return row.step_is_change or nil end)
  if #steps < 4 or #changes < SCATTERED * #steps then return end
  say("Levels differ from %s to %s throughout, by %s in the median, and each of these differences repeats.",
    found.thing, found.thing, numbers.percent(median(steps)))
end

-- What would have been found: in the direction that matters, where it is known.
local function kind_of(found)
  if not found.direction then return "change" end
  local larger = direction.comparatives(found.metric, found.unit, found.direction)
  return found.kind == "metric" and larger ~= "higher" and "slowdown" or "regression"
end

-- How to rule out more, where only large changes are ruled out, nobody asked for that, and coverage.price says nothing.
local function smaller(found, size)
  if size < COARSE or #found.changes == 0 or found.finer or (core.options or {}).min_effect then return "" end
  return string.format(" (--min-effect %s%% looks for smaller ones)", numbers.digits(100 * math.min(size / 2, 0.5), 1))
end

--- The size and the width of changes that would have been found.
function coverage.resolution(found, say)
  local ends, size, width, thing = found.ends, found.resolution.size, found.resolution.width, found.thing
  local missed = width == 2 and "a single " .. thing or string.format("fewer than %d %ss", width, thing)
  local other = #found.changes > 0
  local temporary = width > 1 and "; a temporary one of " .. missed .. " could be missed" or ""
  if found.spread then return end
  if found.verdict == "no_change" and ends and ends.differ == false then
    if ends.bound then
      say("%s and %s do not differ by more than %s.", ends.good, ends.bad, numbers.percent(ends.bound))
    end
    if found.subjects > 2 and not found.pin then
      say("A temporary change between them could be missed; to look for one, pass a %s in between as --bad.", thing)
    end
  elseif size then
    say("No %slasting %s of %s or more%s%s.", other and "other " or "", kind_of(found), numbers.percent(size),
      smaller(found, size), temporary)
  elseif width > 1 then
    say(other and #found.doubts == 0 and "No other change found%s." or "A temporary change of %s could be missed.",
      other and #found.doubts == 0 and temporary or missed)
  end
end

--- What a finer answer costs, where that is more than was spent.
function coverage.price(found, say)
  if not (found.finer and found.noise) or found.runs_for_finer <= found.runs + found.reused then return end
  local size, budget = numbers.digits(100 * found.finer, 2), ""
  if found.runs_for_finer > DEFAULT_BUDGET then budget = " --budget " .. found.runs_for_finer end
  say("Run-to-run noise is %s %%; ruling out %s %% would take about %s (--min-effect %s%%%s).",
    numbers.digits(100 * found.noise, 2), size, numbers.count(found.runs_for_finer, "run"), size, budget)
end

local OPTION = { ["CPU time"] = "@cpu", instructions = "@instructions" }

--- That CPU time or instructions have much less noise than this metric, a time (lib/quieter).
function coverage.quieter(quieter, metric)
  local effect = quieter.effect and " and a difference of " .. numbers.effect(quieter, { metric = quieter.other }) or ""
  return string.format("%s has %s %% noise here, %s %s %%%s: --metric %s needs fewer runs, but does not see waiting.",
    (metric:gsub("^%l", string.upper)), numbers.digits(100 * quieter.noise, 2), quieter.other,
    numbers.digits(100 * quieter.other_noise, 2), effect, OPTION[quieter.other])
end

--- What is not settled, and what settles it: changes that are only likely, or why the search ended early.
function coverage.rest(found, say)
  local runs, ends = found.runs_to_resolve, found.ends
  local doubts = map(found.doubts, function(doubt)
    return (doubt.p or 1) >= WORTH_A_WORD and string.format("%s %s%s", numbers.effect(doubt, found) or "a change",
      doubt.at and "at " .. doubt.at or "in " .. doubt.label,
      doubt.p and " (" .. numbers.confidence(doubt.p) .. ")" or "") or nil
  end)
  if #doubts > 0 then
    say("Perhaps %s%s%s.", #found.changes > 0 and "also " or "", table.concat(doubts, ", "),
      runs > 0 and "; " .. numbers.count(runs, "more run") .. " would tell"
      or found.verdict == "changes" and found.why and "; " .. names.date(found.why) or "")
  elseif found.verdict == "inconclusive" and runs > 0 and not (ends and ends.differ == nil) then
    say("Needs %s.", more_runs(runs))
  elseif found.verdict == "changes" and found.why then
    say("The search ended early: %s%s.", names.date(found.why),
      runs > 0 and "; " .. more_runs(runs) .. " would complete it" or "")
  end
end

return coverage
