-- reg.why: why the second of two ends is slower: both are run again with collection switched on, compared level by
-- level, and what can be exchanged between them is.

local check_keys = require "lib/options/check_keys"
local collect = require "lib/why/collect"
local command = require "lib/why/command"
local direction = require "lib/direction"
local predict = require "lib/predict/answer"
local predictions = require "lib/predict/parse"
local quantities = require "lib/predict/quantities"
local record = require "lib/provenance/record"
local subjects = require "lib/why/subjects"
local swap = require "lib/why/swap"
local verdict = require "lib/why/verdict"
local words = require "lib/report/why"
local wrapped = require "lib/report/wrapped"

local KEYS <const> = { "commands", "investigation", "metric", "better", "min_effect", "budget", "into", "take", "drop",
  "predict" }
local BUDGET <const> = 8  -- pairs without collection: the slowdown need not be known to a percent

local function usage(message, hint) core.fail("usage", "why: " .. message, hint) end

-- An end from a command line, or from a table with `shell` and other options of a command.
local function end_of(given, name)
  local call = {}
  for key, value in pairs(type(given) == "table" and given or { shell = given }) do call[key] = value end
  if type(call.shell) ~= "string" then usage "takes two commands, each a string" end
  local one = { name = name, label = call.label, call = call, parts = command.parse(call.shell) }
  call.label = nil
  return one
end

-- Two ends whose halves can be exchanged: both run Python, or neither does.
local function pair_of(given)
  local both = { end_of(given[1], "A"), end_of(given[2], "B") }
  if (both[1].parts.python == nil) ~= (both[2].parts.python == nil) then
    for _, one in ipairs(both) do command.join_python(one.parts) end
  end
  return both
end

-- What the store calls an end: the command with its image.
local function label_of(one)
  return (one.call.image and one.call.image .. ": " or "") .. (one.label or one.call.shell)
end

-- Compares two ends without collection, as reg.ab does.
local function comparer(o, counts)
  local options = { metric = o.metric, take = o.take, drop = o.drop }
  return function(one, other, pairs_)
    local of = { [label_of(one)] = one, [label_of(other)] = other }
    local found = reg.ab(label_of(one), label_of(other), { metric = o.metric, better = o.better, into = o.store,
      min_effect = o.min_effect, budget = pairs_, title = "why: " .. one.name .. " against " .. other.name,
      measure = function(label, trial)
        local call = {}
        for key, value in pairs(of[label].call) do call[key] = value end
        return o.metric and trial:test(call, options) or trial:run(call).wall_s
      end })
    counts.runs = counts.runs + 2 * (found.pairs - found.reused) + (found.reused < found.pairs and 2 or 0)
    return found
  end
end

-- What is compared, of each collected run of a pass: seconds. That of another metric is not read there.
local function values_of(collected, o) return not o.metric and collected.walls or {} end

local function model(o, both, slowdown, collected, swaps, not_swapped)
  local found = { commands = { label_of(both[1]), label_of(both[2]) }, slowdown = slowdown, levels = reg.json.array {},
    swaps = reg.json.array(swaps), not_swapped = reg.json.array(not_swapped), notes = reg.json.array {} }
  if not collected then
    found.verdict = "no_difference"
    return found
  end
  if not o.metric then verdict.drop_noise(collected, slowdown) end
  found.notes = reg.json.array(verdict.check_shares(collected, slowdown, not o.metric))
  found.top = verdict.top(collected, swaps)
  found.unexplained = verdict.unexplained(found.top, collected, swaps)
  found.identical = verdict.identical(collected)
  found.verdict = slowdown.verdict == "inconclusive" and "inconclusive" or found.top and "found" or "nothing_differs"
  table.move(collected, 1, #collected, 1, found.levels)
  return found
end

local function slowdown_of(found)
  return { a = found.a, b = found.b, effect = found.effect, low = found.low, high = found.high, noise = found.noise,
    metric = found.metric, unit = found.unit, verdict = found.verdict, pairs = found.pairs,
    investigation = found.investigation,
    sentence = (found.text:match "^[^\n]*":gsub("%s%s.*$", "")) }
end

local function describe(both)
  print "why: would compare both ends in pairs, and run each 2 to 4 times with collection"
  for _, one in ipairs(both) do print(string.format("  %s  %s", one.name, label_of(one))) end
end

local COLORS <const> = { worse = "red", better = "green" }

-- Prints the sentence in the color of what it is about, and the rest.
local function say(found)
  local text, head = wrapped(found.text), wrapped(found.sentence .. ".")
  core.nouns.report.say(text:sub(1, #head), COLORS[found.slowdown.verdict] or "yellow", text:sub(#head + 1))
end

local function ends_of(o, made)
  if o.commands then
    if type(o.commands) ~= "table" or #o.commands ~= 2 then usage "takes two commands" end
    return pair_of(o.commands)
  end
  local given, defaults = subjects(o.store, o.investigation, made)
  for name, value in pairs(defaults) do
    if o[name] == nil then o[name] = value end
  end
  return pair_of(given)
end

-- Predictions of other numbers than the compared one are judged by what the levels collect.
local function asks_levels(o)
  for _, one in ipairs(o.predict or {}) do
    if one.name ~= o.name then return true end
  end
  return false
end

local function answer(o, both, began)
  local counts = { runs = 0 }
  local investigation = o.store:begin(record.of("why", nil, o.predict))
  local compare = comparer(o, counts)
  local compared = compare(both[1], both[2], o.budget or BUDGET)
  local slowdown = slowdown_of(compared)
  local collected, swaps, not_swapped = nil, {}, {}
  local differs = slowdown.verdict ~= "no_difference"
  if differs or asks_levels(o) then
    do
      local progress <close> = reg.progress { title = "why", unit = "run", total = 4 }
      collected = collect.both(both, o.store.path .. ".out/why-" .. investigation, progress)
    end
    collected.values = values_of(collected, o)
    if differs and slowdown.verdict ~= "inconclusive" then
      swaps, not_swapped = swap.shares(both[1], both[2], slowdown, compare)
    end
  end
  local found = model(o, both, slowdown, differs and collected or nil, swaps, not_swapped)
  found.collected_runs = collected and collected.runs or 0
  found.predictions = predict(o.predict, compared, collected)
  found.runs, found.seconds, found.investigation = counts.runs, core.seconds() - began, investigation
  found.sentence = words.sentence(found)
  found.text = words.text(found)
  o.store:finish_investigation(investigation, found)
  say(found)
  return found
end

return function(given)
  if type(given) ~= "table" then usage "takes a table of options" end
  check_keys("why", given, KEYS)
  local o, began = {}, core.seconds()
  for name, value in pairs(given) do o[name] = value end
  o.better = direction.given(o.better, o.metric or "@wall", "why")
  o.store = type(o.into) == "userdata" and o.into
    or reg.store.open(o.into or core.options and core.options.store or "regengine.db")
  predictions("why", o.predict, o.metric and reg.metric.name(o.metric), quantities)  -- before anything is built
  local made = {}
  local _ <close> = setmetatable(made, { __close = function()
    for _, tree in ipairs(made) do tree:close() end
  end })
  local both = ends_of(o, made)
  o.name = reg.metric.name(o.metric or "@wall")
  o.predict = predictions("why", o.predict, o.name, quantities)
  if core.settings().dry_run then return describe(both) end
  return answer(o, both, began)
end
