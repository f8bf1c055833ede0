-- reg.why: why the second of two ends is slower: both are run again with collection switched on, compared level by
-- level, and what can be exchanged between them is.

local collect = require "lib/why/collect"
local command = require "lib/why/command"
local direction = require "lib/direction"
local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local predictions = require "lib/predictions"
local record = require "lib/provenance/record"
local stored = require "lib/why/stored"
local swap = require "lib/why/swap"
local values_of = require "lib/values"
local verdict = require "lib/why/verdict"
local words = require "lib/report/why"
local wrapped = core.nouns.report.wrap
local find, map, merged = values_of.find, values_of.map, values_of.merged

local KEYS <const> = { "commands", "investigation", "metric", "better", "min_effect", "budget", "into", "take", "drop",
  "predict", "yes" }
local BUDGET <const> = 8  -- pairs without collection: the slowdown need not be known to a percent

local function usage(message, hint) core.fail("usage", "why: " .. message, hint) end

-- An end from a command line, or from a table with `shell` and other options of a command.
local function end_of(given, name)
  local call = merged(type(given) == "table" and given or { shell = given })
  if type(call.shell) ~= "string" then usage "takes two commands, each a string" end
  local one = { name = name, call = call, parts = command.parse(call.shell) }
  one.label, one.build, one.folders = call.label, call.build, call.folders
  call.label, call.build, call.folders = nil, nil, nil
  return one
end

-- Two ends whose halves can be exchanged: both run Python, or neither does.
local function pair_of(given)
  local both = { end_of(given[1], "A"), end_of(given[2], "B") }
  local have_python = both[1].parts.python and both[2].parts.python
  for _, one in ipairs(have_python and {} or both) do  -- the Python of one of them is a part of its rest
    one.parts.rest, one.parts.python = (one.parts.python or "") .. one.parts.rest, nil
  end
  return both
end

-- What the store calls an end: the command with its image.
local function label_of(one)
  return (one.call.image and one.call.image .. ": " or "") .. (one.label or one.call.shell)
end

-- What is measured of an end, by its label. `walls` gets how long each took.
local function measure_of(o, both, walls)
  local of, options = {}, { metric = o.metric, take = o.take, drop = o.drop }
  for _, one in ipairs(both) do of[label_of(one)] = one end
  return function(label, trial)
    local one = of[label]
    local call = merged(one.call)
    if one.build then trial:build(one.build(one.parts)) end
    if not o.metric then return trial:run(call).wall_s end
    local began = core.seconds()
    local value = trial:test(call, options)
    if walls then
      walls[label] = walls[label] or {}
      table.insert(walls[label], core.seconds() - began)
    end
    return value
  end
end

-- The noise of the wall time beside another metric, as a slowdown has it; nil where all pairs are of the store. The
-- first run of each end warms up.
local function noise_of(walls)
  local level, noise = 0, 0
  for _, list in pairs(walls) do
    if #list < 3 then return nil end
    local warm = { table.unpack(list, 2) }
    level, noise = math.max(level, ends.mean(warm)), math.max(noise, ends.deviation(warm) / ends.mean(warm))
  end
  return level > 0 and { noise = noise, a = level, b = level } or nil
end

-- Compares both ends without collection, as reg.ab does.
local function compare(o, both, counts)
  local found = reg.ab(label_of(both[1]), label_of(both[2]), { metric = o.metric, better = o.better, into = o.store,
    min_effect = o.min_effect, budget = o.budget or BUDGET, title = "why: A against B",
    resume = true, measure = measure_of(o, both, counts.walls) })
  counts.runs = counts.runs + 2 * (found.pairs - found.reused) + (found.reused < found.pairs and 2 or 0)
  return found
end

-- `swaps`, `not_swapped`: of swap.shares.
local function model(o, both, slowdown, collected, swaps, not_swapped, counts)
  local found = { commands = { label_of(both[1]), label_of(both[2]) }, slowdown = slowdown,
    levels = reg.json.array { table.unpack(collected or {}) }, swaps = reg.json.array(swaps),
    not_swapped = reg.json.array(not_swapped), notes = reg.json.array {} }
  if not collected then
    found.verdict = "no_difference"
    return found
  end
  local noise = not o.metric and slowdown or noise_of(counts.walls)
  if noise then verdict.drop_noise(collected, noise, o.metric and "host") end
  found.notes = reg.json.array(verdict.check_shares(collected, slowdown, not o.metric))
  found.top, found.program_differs = verdict.top(collected, swaps)
  found.beside = reg.json.array(verdict.beside(found.top, collected, swaps))
  found.unexplained = verdict.unexplained(found.top, collected, swaps)
  found.identical = verdict.identical(collected)
  found.verdict = slowdown.verdict == "inconclusive" and "inconclusive" or found.top and "found" or "nothing_differs"
  return found
end

local function slowdown_of(found)
  return { a = found.a, b = found.b, effect = found.effect, low = found.low, high = found.high, noise = found.noise,
    confidence = found.confidence, metric = found.metric, unit = found.unit, verdict = found.verdict,
    pairs = found.pairs, investigation = found.investigation,
    sentence = (found.text:match "^[^\n]*":gsub("%s%s.*$", "")) }
end

local COLORS <const> = { worse = "red", better = "green" }  -- of the sentence

local function ends_of(o, made)
  if o.commands then
    if type(o.commands) ~= "table" or #o.commands ~= 2 then usage "takes two commands" end
    return pair_of(o.commands)
  end
  local given, defaults = stored.ends(o.path, o.stages, made, o.yes)
  for name, value in pairs(merged(defaults, o)) do o[name] = value end
  return pair_of(given)
end

local function answer(o, both, began)
  local counts = { runs = 0, walls = {} }
  local investigation = o.store:begin(record.of("why", nil, o.predict))
  local compared = compare(o, both, counts)
  local slowdown = slowdown_of(compared)
  local differs, swaps, not_swapped = slowdown.verdict ~= "no_difference", {}, {}
  local is_clear = differs and slowdown.verdict ~= "inconclusive"
  -- Predictions of other numbers than the compared one are judged by what the levels collect.
  local asks_levels = find(o.predict or {}, function(one) return one.name ~= o.name end)
  local dumps, collected = o.store.path .. ".out/why-" .. investigation, nil
  local _ <close> = (differs or asks_levels) and instrumented.folder(dumps) or nil
  if differs or asks_levels then
    local progress <close> = reg.progress { title = "why", unit = "run", total = 4 }
    collected = collect.both(both, dumps, progress, function(run)  -- nil where it does not say it
      if not o.metric then return run.wall_s end
      local ok, value = pcall(reg.metric.of, run, { metric = o.metric, take = o.take, drop = o.drop })
      return ok and type(value) == "number" and value or nil
    end, is_clear)
  end
  if is_clear then
    swaps, not_swapped = swap.shares(both[1], both[2], slowdown, function(cells, name)
      local values, runs = swap.rounds(map(cells, label_of), map(cells, function(one) return one.name end), {
        metric = o.metric, better = o.better, into = o.store, title = "why: exchange " .. name,
        measure = measure_of(o, cells) })
      counts.runs = counts.runs + runs
      return values
    end)
  end
  local found = model(o, both, slowdown, differs and collected or nil, swaps, not_swapped, counts)
  found.collected_runs = collected and collected.runs or 0
  found.predictions = predictions.judge(o.predict, compared, collected)
  found.runs, found.seconds, found.investigation = counts.runs, core.seconds() - began, investigation
  found.sentence = words.sentence(found)
  found.text = words.text(found)
  o.store:finish_investigation(investigation, found)
  local text, head = wrapped(found.text), wrapped(found.sentence .. ".")
  core.nouns.report.say(text:sub(1, #head), COLORS[slowdown.verdict] or "yellow", text:sub(#head + 1))
  return found
end

---@class why.Options
---@field commands? (string|process.RunOptions|container.RunOptions)[] both ends: a good and a bad command line, or
--- options of reg.process.run or reg.container.run with `shell`; unless given, those of `investigation`
---@field investigation? integer|string number or name; by default the newest with two ends: commands of
--- reg.ab, images, the sets of flags, or commits or hours on the host, which are built again
---@field metric? string name or pattern of the number that got worse; without it, seconds of wall time
---@field better? "lower"|"higher"
---@field min_effect? number smallest difference that matters, as of reg.ab
---@field budget? integer most pairs of runs without collection, 8 by default
---@field into? string|store.Store by default the option --store
---@field predict? string|string[] what you expect of B, stored before the runs: "NAME -10 %", "NAME fewer", "NAME more"
--- or "NAME same", separated by commas or as a list. NAME is the metric, or: compile time, compiles, copies, CPU time,
--- custom calls, fusions, idle time, import time, kernel time, kernels, memory, page faults, traces, transposes, wall
--- time
---@field yes? boolean run an investigation that somebody else made, or an untrusted script; unless given, its commands
--- are shown first, and run after a "yes" at the terminal
---@field take? string which number of the output, and
---@field drop? integer how many to ignore first: the options of the same names

---@class why.Finding
---@field level string "environment", "artifact", "jit", "program", "kernels" or "host"; "swap" of what was exchanged
---@field what string in words
---@field before? string|number
---@field after? string|number
---@field share? number part of the slowdown, 0 to 1: seconds against seconds, or what moved in a swap. Shares add up
--- within a level, never across levels
---@field confidence number that it differs: of numbers by the t-test of the runs, at least 0.92; of a swap that the
--- share is not 0; 1 of what all runs of an end state alike
---@field low? number of what was exchanged: 95 % interval of the share
---@field high? number

---@class why.Level
---@field name string
---@field findings why.Finding[]
---@field said? string what the findings mean
---@field why? string why it was passed over

---@class why.Slowdown: ab.Answer
---@field sentence string "B is 38 % slower than A"

---@class why.Answer
---@field verdict "found"|"nothing_differs"|"inconclusive"|"no_difference" the last two: whether there is a slowdown to
--- explain is not clear, so nothing has a share; or there is none
---@field sentence string the whole answer in one sentence
---@field top? why.Finding the finding that is named first
---@field beside why.Finding[] where the top is of the level "host": what differs in the environments, and was not
--- exchanged
---@field unexplained? number part of the slowdown that the findings of the top's level leave, 0 to 1
---@field identical boolean whether both ends were seen to run the same compiled program
---@field slowdown why.Slowdown without collection
---@field levels why.Level[] cheapest first
---@field swaps why.Finding[] what moves with each half that could be exchanged, the largest share first
---@field not_swapped string[] why others could not
---@field predictions ab.Prediction[] in their order; numbers of two collected runs each are the same if the smallest
--- difference between the ends is not more than 1.5 times the largest within an end, and times below 5 %
---@field commands string[]
---@field runs integer without collection
---@field collected_runs integer with collection: at most 4 an end
---@field seconds number
---@field investigation integer its id in the store
---@field text string the sentence, the levels and a bar

--- Says why the second of two ends is slower. It compares them in pairs as reg.ab does, runs each end twice as it is
--- and counts its costs, and twice more with XLA's dumps if it imports JAX, TensorFlow or PyTorch/XLA. What differs by
--- more than an end differs from itself is a finding. Then what the command lines set and run - variables, Python,
--- image, command - is exchanged in at most 6 pairs each, in rounds of all four combinations: the share of the slowdown
--- that moves with it is evidence of a cause. Without a slowdown nothing is collected. Where collecting removes more
--- than half of the slowdown, its findings have no shares. A level that cannot be collected says why and is skipped. It
--- prints the answer, and the store keeps it. A dry run prints what would run, and returns nothing. Raises usage, also
--- for a folder of `nsys` that has anything in it, unavailable where nsys is not installed, failed_trial if an end
--- fails, and not_found without two ends.
--- ```lua
--- reg.why { commands = { "venv-a/bin/python train.py", "venv-b/bin/python train.py" } }
--- -- B is 38 % slower than A: jaxlib 0.4.30 -> 0.4.31 (94 % of it moves with the Python; unexplained: 6 %)
--- ```
---@param options why.Options
---@return why.Answer answer
return function(given)
  if type(given) ~= "table" then usage "takes a table of options" end
  core.check_keys("why", given, KEYS)
  local o, began = merged(given), core.seconds()
  direction.given(o.better, "@wall", "why")  -- whether it is valid: an investigation may have the metric
  o.path = type(o.into) == "userdata" and o.into.path or o.into
    or core.options and core.options.store or core.default_store()
  -- The investigation in JSON, as the process in the sandbox read it, or read here; "" for two commands.
  local text = core.handed() or o.commands and ""
  if not text then
    local opened <close> = type(o.into) ~= "userdata" and reg.store.open(o.path, { read_only = true }) or nil
    text = stored.encode(opened or o.into, o.investigation)
  end
  if core.hand_over(text) then core.exit(0) end
  o.stages = stored.decode(text)
  predictions.parse("why", o.predict, o.metric and reg.metric.name(o.metric), true)  -- before anything is built
  local made = {}
  local _ <close> = setmetatable(made, { __close = function()
    for _, tree in ipairs(made) do tree:close() end
  end })
  local both = ends_of(o, made)
  o.better = direction.given(o.better, o.metric or "@wall", "why")
  o.store = type(o.into) == "userdata" and o.into or reg.store.open(o.path)
  o.name = reg.metric.name(o.metric or "@wall")
  o.predict = predictions.parse("why", o.predict, o.name, true)
  if not core.settings().dry_run then return answer(o, both, began) end
  print "why: would compare both ends in pairs, and run each 2 to 4 times with collection"
  for _, one in ipairs(both) do print(string.format("  %s  %s", one.name, label_of(one))) end
  if both[1].build then print("  before each run: " .. both[1].build(both[1].parts).shell) end
end
