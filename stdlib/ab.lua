-- reg.ab: two commands in turn until it is clear which one is slower.

local Sequence = require "lib/results/sequence"
local Turns = require "lib/sweep/turns"
local coverage = require "lib/report/coverage"
local direction = require "lib/direction"
local geometric_mean = require "lib/geometric_mean"
local investigation = require "lib/sweep/investigation"
local leases = require "lib/sweep/leases"
local numbers = require "lib/report/numbers"
local plan = require "lib/sweep/plan"
local predict = require "lib/predict/answer"
local quieter = require "lib/sweep/quieter"
local predictions = require "lib/predict/parse"
local text_of = require "lib/report/ab"

local KEYS = { "measure", "metric", "better", "min_effect", "budget", "title", "into", "folder", "config", "files",
  "redo", "resume", "suspect", "predict" }
local BUDGET = 30         -- pairs
local ROUNDS = 3          -- pairs that decide what @time is
local MOST_PAIRS = 10000  -- that are worth a prediction
local NAMES = { "A", "B" }
local RESOLUTION = 3      -- in deviations of a run: without a minimum effect, a coarser interval is inconclusive

local function usage(message, hint) core.fail("usage", "ab: " .. message, hint) end

local function wall_time(command, trial) return trial:run({ shell = command }).wall_s end

-- The options with what follows from them.
local function complete(a, b, given)
  if type(a) ~= "string" or type(b) ~= "string" then usage "takes two commands, each a string" end
  local o = investigation.options("ab", given, KEYS, 1, { kind = "command", budget = BUDGET, measure = wall_time,
    metric = "wall time" })
  o.afresh = not o.resume  -- what a command reads is not known, so neither is whether its old numbers still hold
  o.unit = direction.unit(given.metric or "@wall")
  o.predict = predictions("ab", given.predict, reg.metric.name(o.metric), {})
  if o.min_effect and (type(o.min_effect) ~= "number" or o.min_effect <= 0) then
    usage "min_effect must be a positive number; 0.01 is one percent"
  end
  o.config = { commands = { a, b }, contents = investigation.contents({ a, b }, o.folder), more = o.config }
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
    ends = { {}, {} }, field = "value", undecided = o.metric == "@time",
    sequence = Sequence.new(math.log(1 + (o.min_effect or 0))) }, Ab)
end

function Ab:add(a, b)
  table.insert(self.ends[1], a)
  table.insert(self.ends[2], b)
  self.wall_s = self.wall_s + a.wall_s + b.wall_s
  self.elsewhere = self.elsewhere + (a.elsewhere and 1 or 0)
  table.move({ a, b }, 1, 2, #self.turns + 1, self.turns)
  self.sequence:add(math.log(b[self.field] / a[self.field]))
end

-- The pairs so far by this field of their runs, such as "value" or "cpu_s".
local function sequence_by(self, field)
  local sequence = Sequence.new(self.sequence.margin)
  for i, a in ipairs(self.ends[1]) do sequence:add(math.log(self.ends[2][i][field] / a[field])) end
  return sequence
end

-- Decides what @time is, and goes on with it.
local function decide(self)
  self.undecided, self.time = nil, quieter.choose(quieter.compare(self.ends))
  if self.time.why then return end
  self.run.metric, self.field = self.time.taken, self.time.field
  if self.field == "instructions" then self.o.unit = nil end
  self.sequence = sequence_by(self, self.field)
end

-- About how many pairs it takes by another number, where these are much fewer; or what @time is.
local function quieter_of(self)
  if self.time or not quieter.is_possible(self.o.metric) then return self.time end
  local decided = self.sequence:decision() and self.sequence.n
  return quieter.advice(quieter.compare(self.ends), "pair", self.sequence.n, function(found)
    local fewer = sequence_by(self, found.field):needed(MOST_PAIRS, 1)
    return fewer and not (decided and decided < quieter.FEWER * fewer) and fewer or nil
  end)
end

local function values_of(self, side)
  local values = reg.json.array {}
  for i, turn in ipairs(self.ends[side]) do values[i] = turn[self.field] end
  return values
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
  local has_interval, a, b = low > -math.huge, values_of(self, 1), values_of(self, 2)
  local found = { verdict = verdict, more_pairs = more_pairs, regression = verdict == "worse", metric = self.run.metric,
    unit = o.unit, better = o.better, min_effect = o.min_effect, commands = self.commands, noise = noise,
    effect = math.exp(sequence.mean) - 1, low = has_interval and math.exp(low) - 1 or nil,
    high = has_interval and math.exp(high) - 1 or nil, confidence = 0.95, a = geometric_mean(a),
    b = geometric_mean(b), values = { a = a, b = b }, pairs = n, quieter = quieter_of(self), reused = self.reused,
    stored = self.stored,
    other_machines = self.elsewhere, pair_seconds = self.wall_s > 0 and self.wall_s / n or nil,
    suspect = self.run.suspicion:summary(self.turns) }
  found.predictions = predict(o.predict, found)
  return found
end

function Ab:knows() return self.sequence.n > 0 end

-- The difference so far, or the numbers of the last pair. `of`: metric, unit and better.
local function progress_note(sequence, of, a, b)
  local low, high = sequence:interval()
  local size, interval = numbers.effect({ effect = math.exp(sequence.mean) - 1, effect_low = math.exp(low) - 1,
    effect_high = math.exp(high) - 1 }, of)
  if low > -math.huge and interval then return "B " .. size .. " (" .. interval .. ")" end
  return string.format("A %s, B %s", numbers.plain(a, of), numbers.plain(b, of))
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
  local known, warm, budget, advised = turns:stored(), false, self.o.budget, false
  while self.sequence.n < budget and not self.sequence:decision() do
    local n = self.sequence.n
    local pair = known[n + 1]
    if pair then
      self.reused = self.reused + 1
      for _, turn in ipairs(pair) do self.stored = investigation.add_stored(self.stored, self.run, turn) end
    else
      if not warm then warm_up(turns) end
      warm, pair = true, turns:round(n % 2 == 1)
    end
    self:add(pair[1], pair[2])
    if self.undecided and n + 1 == ROUNDS then decide(self) end
    local sequence = self.sequence
    local expected = sequence.n >= Sequence.FEWEST and sequence:needed(budget) or budget
    local of = { metric = self.run.metric, unit = self.o.unit, better = self.o.better }
    progress:update { done = sequence.n, total = expected, subject = "",
      note = progress_note(sequence, of, pair[1][self.field], pair[2][self.field]) .. (warm and "" or " (stored)") }
    local found = not advised and not self.time and quieter_of(self)
    if found then reg.log.info("%s", coverage.quieter(found, self.run.metric)) end
    advised = advised or found
  end
end

---@class ab.Options
---@field measure? fun(command: string, trial: sweep.Trial): any one run of a command: a number, or metrics by name; by
--- default the wall time of the command in a shell
---@field metric? string name or pattern of the number; without it the numbers are seconds of wall time
---@field better? "lower"|"higher" which numbers are better; by default what the metric's name says, and "lower" for the
--- wall time
---@field min_effect? number smallest ratio that matters, minus 1: at 0.02 it ends when the two differ by less than 2 %
---@field budget? integer most pairs, 30 by default
---@field title? string names the progress and the investigation in the store; "ab" by default
---@field into? string|store.Store the store of the trials; a path is opened; the option --store by default
---@field folder? string folder that the commands run in, to find the files that they name
---@field config? table<string, any> what else the numbers depend on, besides what `measure` does
---@field files? string[] files that the commands read: their contents are part of the key
---@field redo? string[] statuses whose stored trials are measured again; the option --redo by default
---@field resume? boolean go on with the stored pairs of these commands; otherwise it measures afresh
---@field suspect? "again"|"keep" as in reg.sweep
---@field predict? string|string[] what you expect of B's number, such as "step time -10 %", "step time lower" or
--- "step time same": stored before the runs

---@class ab.Prediction
---@field line string as it was given
---@field verdict "met"|"not met"|"contradicted"|"not measured" of "-10 %": met if the interval reaches -10 %, not met
--- if the number is lower by less or stays, contradicted if it is higher; not measured where it is inconclusive
---@field measured string what was measured, or why it was not

---@class ab.Values
---@field a number[] one for each pair, in their order
---@field b number[]

---@class ab.Answer
---@field verdict "better"|"worse"|"higher"|"lower"|"no_difference"|"inconclusive" of B compared with A; "higher" and
--- "lower" where `better` is not known
---@field regression boolean B is worse
---@field effect number b / a - 1
---@field low? number its 95 % interval, which holds at whichever pair it ends; absent before the fifth pair
---@field high? number
---@field confidence number of the interval
---@field a number geometric mean of A
---@field b number geometric mean of B
---@field noise? number run-to-run noise: relative standard deviation of one run
---@field quieter? metric.Quieter of a time: another number would take far fewer pairs; or what @time is
---@field pairs integer
---@field reused integer how many of them the store had
---@field stored? sweep.Stored what of that earlier commands ran
---@field more_pairs? integer about how many more would decide it; of "no_difference" at the end of the budget, would
--- halve the interval
---@field pair_seconds? number wall time of the commands of one pair
---@field seconds number
---@field other_machines integer pairs of `reused` that were run on another machine, with --reuse any-machine
---@field metric string
---@field unit? string of the metric, if it is known: "s"
---@field better? "lower"|"higher"
---@field min_effect? number
---@field commands string[] A and B
---@field values ab.Values
---@field predictions ab.Prediction[] in their order
---@field suspect? sweep.Suspect absent if no trial is in doubt
---@field investigation integer its id in the store
---@field text string the verdict in one line, then the commands

--- Runs two commands in turn, A B, B A, A B ..., until it is clear which one has the larger number, or that they differ
--- by less than min_effect; at most `budget` pairs. Each command runs once before, uncounted. The interval of the ratio
--- and the verdict are valid although they are looked at after each pair: of two equal commands at most 5 % are called
--- different. Without min_effect, a budget that ends with an interval of at most 3 times the noise gives
--- "no_difference". The store keeps the pairs. With `resume` the newest comparison goes on, provided that the commands
--- are the same and the files they name: of each command of a line the first one that is there, such as ./bench or
--- bench.py. Without it all is measured, since what else a command builds or reads is not known. Times in the answer
--- are seconds. Raises failed_trial if a command fails, with the end of its output, and usage for a number that is not
--- positive. A dry run prints what would run, and returns nothing.
--- ```lua
--- print(reg.ab("seq 1e6 | gzip -1", "seq 1e6 | gzip -9", { min_effect = 0.05 }).text)
--- ```
---@param a string
---@param b string
---@param options? ab.Options
---@return ab.Answer answer
return function(a, b, given)
  local o, commands = complete(a, b, given or {}), { a, b }
  if core.settings().dry_run then return describe(commands, o) end
  return investigation.conduct(o, text_of, { unit = "pair", total = o.budget }, function(run)
    return Ab.new(commands, o, run)
  end)
end
