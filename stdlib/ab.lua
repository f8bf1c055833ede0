-- reg.ab(a, b, options): runs two commands in turn until it is clear whether the second one is slower, faster or about
-- equal. The pairs are A B, B A, A B ..., so that a machine that drifts treats both alike. The store keeps the runs.

local Sequence = require "lib/results/sequence"
local Turns = require "lib/sweep/turns"
local direction = require "lib/direction"
local geometric_mean = require "lib/geometric_mean"
local leases = require "lib/sweep/leases"
local opening = require "lib/sweep/opening"
local plan = require "lib/sweep/plan"
local predict = require "lib/predict/answer"
local predictions = require "lib/predict/parse"
local stored = require "lib/sweep/stored"
local text_of = require "lib/report/ab"

local KEYS = { "measure", "metric", "better", "min_effect", "budget", "title", "into", "folder", "config", "files",
  "redo", "resume", "suspect", "predict" }
local BUDGET = 30         -- pairs
local MOST_PAIRS = 10000  -- that are worth a prediction
local NAMES = { "A", "B" }
local RESOLUTION = 3      -- in deviations of a run: without a minimum effect, a coarser interval is inconclusive

local function usage(message, hint) core.fail("usage", "ab: " .. message, hint) end

local function wall_time(command, trial) return trial:run({ shell = command }).wall_s end

-- The options with what follows from them.
local function complete(a, b, given)
  if type(a) ~= "string" or type(b) ~= "string" then usage "takes two commands, each a string" end
  local o = opening.options("ab", given, KEYS, 1, { kind = "command", budget = BUDGET, measure = wall_time,
    metric = "wall time" })
  o.afresh = not o.resume  -- what a command reads is not known, so neither is whether its old numbers still hold
  o.unit = direction.unit(given.metric or "@wall")
  o.predict = predictions("ab", given.predict, reg.metric.name(o.metric), {})
  if o.min_effect and (type(o.min_effect) ~= "number" or o.min_effect <= 0) then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  o.config = { commands = { a, b }, contents = opening.contents({ a, b }, o.folder), more = o.config }
  return o
end

local function describe(commands, o)
  local path = type(o.into) == "string" and o.into or core.options and core.options.store or "regengine.db"
  local least = 2 * (math.min(Sequence.FEWEST, o.budget) + 1)
  local most = 2 * (o.budget + 1)
  print(string.format("%s: would run each command %d to %d times, in turn, once of which to warm up; %s", o.title,
    least // 2, most // 2, plan.time_words(path, o.kind, least, most)))
  for side = 1, 2 do
    print("  " .. NAMES[side] .. ":")
    for _, line in ipairs(plan.run_lines(commands[side], o, leases.per_trial(core.options or {}))) do print(line) end
  end
end

-- The pairs of an A/B so far.
local Ab = {}
Ab.__index = Ab

function Ab.new(commands, o, run)
  return setmetatable({ o = o, run = run, commands = commands, turns = {}, wall_s = 0.0, reused = 0, elsewhere = 0,
    sequence = Sequence.new(math.log(1 + (o.min_effect or 0))), a = reg.json.array {}, b = reg.json.array {} }, Ab)
end

function Ab:add(a, b)
  table.insert(self.a, a.value)
  table.insert(self.b, b.value)
  self.wall_s = self.wall_s + a.wall_s + b.wall_s
  self.elsewhere = self.elsewhere + (a.elsewhere and 1 or 0)
  table.move({ a, b }, 1, 2, #self.turns + 1, self.turns)
  self.sequence:add(math.log(b.value / a.value))
end

-- The verdict, and about how many more pairs say more: nil where that is not known, or decided.
function Ab:verdict(noise)
  local sequence, o = self.sequence, self.o
  local decision, low, high = sequence:decision(), sequence:interval()
  if decision == "different" then
    local side = sequence.mean > 0 and "higher" or "lower"
    return not o.better and side or side == o.better and "better" or "worse"
  end
  if decision == "same" then return "no_difference" end
  local resolved = not o.min_effect and noise and math.max(-low, high) <= RESOLUTION * noise
  local needed
  if noise then needed = resolved and sequence:narrowed(0.5, MOST_PAIRS) or sequence:needed(MOST_PAIRS) end
  return resolved and "no_difference" or "inconclusive", needed and needed - sequence.n
end

-- What the pairs so far say, as data.
function Ab:answer()
  local sequence, o, n = self.sequence, self.o, self.sequence.n
  local low, high = sequence:interval()
  local deviation = sequence:deviation()
  local noise = deviation and deviation / math.sqrt(2)
  local verdict, more_pairs = self:verdict(noise)
  local has_interval = low > -math.huge
  local found = { verdict = verdict, more_pairs = more_pairs, regression = verdict == "worse", metric = self.run.metric,
    unit = o.unit, better = o.better, min_effect = o.min_effect, commands = self.commands, noise = noise,
    effect = math.exp(sequence.mean) - 1, low = has_interval and math.exp(low) - 1 or nil,
    high = has_interval and math.exp(high) - 1 or nil, confidence = 0.95, a = geometric_mean(self.a),
    b = geometric_mean(self.b), values = { a = self.a, b = self.b }, pairs = n, reused = self.reused,
    stored = self.stored,
    other_machines = self.elsewhere, pair_seconds = self.wall_s > 0 and self.wall_s / n or nil,
    suspect = self.run.suspicion:summary(self.turns) }
  found.predictions = predict(o.predict, found)
  return found
end

function Ab:knows() return self.sequence.n > 0 end

local function progress_note(sequence)
  local low, high = sequence:interval()
  if low == -math.huge then return nil end
  return string.format("difference %+.2g to %+.2g %%", 100 * (math.exp(low) - 1), 100 * (math.exp(high) - 1))
end

local function warm_up(turns)
  for side = 1, 2 do
    local trial = turns:warm_up(side)
    if trial.status ~= "ok" then turns:fail(side, trial) end
  end
end

-- Adds pairs, those of the store first, until it is decided or the budget is spent.
function Ab:go(progress)
  local turns = Turns.new { subjects = self.commands, ids = NAMES, names = NAMES, run = self.run, of = "a ratio",
    resume = "--resume ", progress = progress }
  local sequence, known, warm, budget = self.sequence, turns:stored(), false, self.o.budget
  while sequence.n < budget and not sequence:decision() do
    local pair = known[sequence.n + 1]
    if pair then
      self.reused = self.reused + 1
      for _, turn in ipairs(pair) do self.stored = stored.add(self.stored, self.run, turn) end
    else
      if not warm then warm_up(turns) end
      warm, pair = true, turns:round(sequence.n % 2 == 1)
    end
    self:add(pair[1], pair[2])
    local expected = sequence.n >= Sequence.FEWEST and sequence:needed(budget) or budget
    progress:update { done = sequence.n, total = expected, value = pair[2].value, note = progress_note(sequence) }
  end
end

return function(a, b, given)
  local o, commands = complete(a, b, given or {}), { a, b }
  if core.settings().dry_run then return describe(commands, o) end
  return opening.investigate(o, text_of, { unit = "pair", total = o.budget }, function(run)
    return Ab.new(commands, o, run)
  end)
end
