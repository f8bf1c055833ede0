-- The rounds of a comparison, a run of each command: runs them until they tell how each command differs from the first,
-- or all pairs of them.

local Sequence = require "lib/ab/sequence"
local Turns = require "lib/ab/turns"
local coverage = require "lib/report/coverage"
local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local title_of = require("lib/report/ab").title
local values = require "lib/values"

local map, median, only = values.map, values.median, values.only

local MOST_PAIRS = 10000  -- that are worth a prediction
local RESOLUTION = 3      -- in deviations of a run: without a minimum effect, a coarser interval is inconclusive

-- This field of the turns that have it, and its mean and deviation.
local function field_of(turns, field)
  local list, moments = reg.json.array(map(turns, function(turn) return turn[field] end)), Sequence.new()
  for _, value in ipairs(list) do moments:add(value) end
  return list, #list > 0 and moments.mean or nil, moments:deviation()
end

-- The runs of a command, as hyperfine's JSON has them. `turns`: of lib/ab/turns, all successful; `one`: of lib/ab/scan.
local function results_of(turns, one)
  local times, mean, deviation = field_of(turns, "value")
  local _, user = field_of(turns, "user_s")
  local _, system = field_of(turns, "sys_s")
  local codes = reg.json.array(map(times, function() return 0 end))
  return { command = one.command, mean = mean, stddev = deviation, median = median(times), user = user, system = system,
    min = math.min(table.unpack(times)), max = math.max(table.unpack(times)), times = times, exit_codes = codes,
    parameters = next(one.values) and one.values or nil }
end

local Rounds = {}
Rounds.__index = Rounds

--- `o`: the options of reg.ab, complete; `run`: of lib/sweep/investigation.
function Rounds.new(o, run)
  local turns = Turns.new { subjects = o.commands, ids = o.names, names = o.names, run = run, of = "a ratio",
    resume = "--resume ", build = ": --prepare" }
  local self = setmetatable({ o = o, run = run, turns = turns, comparisons = {} }, Rounds)
  for first = 1, o.all_pairs and #o.names - 1 or 1 do
    for second = first + 1, #o.names do
      table.insert(self.comparisons, { first = first, second = second,
        sequence = Sequence.new(math.log(1 + (o.min_effect or 0))) })
    end
  end
  return self
end

-- The turns of a command, and its numbers, in the order of the rounds.
local function turns_of(self, side) return only(self.turns.all, function(turn) return turn.side == side end) end
local function numbers_of(self, side) return (field_of(turns_of(self, side), "value")) end

-- Of two commands, the number that has much less noise than the wall time that is compared; nil for none.
local function quieter_of(self)
  if #self.o.list > 2 or not (self.o.metric and direction.is_wall_time(self.o.metric)) then return nil end
  return require("lib/quieter").of({ turns_of(self, 1), turns_of(self, 2) }, 1, 2)
end

local function count_decided(self) return #map(self.comparisons, function(one) return one.sequence:decision() end) end

-- After about how many rounds in all everything is decided; the budget at most.
local function expected_rounds(self)
  local n, most = self.turns.n, self.o.budget
  local expected = n
  for _, one in ipairs(self.comparisons) do
    expected = math.max(expected, n >= Sequence.FEWEST and one.sequence:needed(most) or most)
  end
  return expected
end

-- The verdict, and about how many more rounds say more: nil where that is not known, or decided.
local function verdict_of(sequence, o, noise)
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

-- What a comparison says of its second command, as data.
local function compared(self, one)
  local sequence = one.sequence
  local low, high = sequence:interval()
  local deviation, has_interval = sequence:deviation(), low > -math.huge
  local noise = deviation and deviation / math.sqrt(2)
  local verdict, more_pairs = verdict_of(sequence, self.o, noise)
  return { verdict = verdict, more_pairs = more_pairs, regression = verdict == "worse", noise = noise,
    effect = math.exp(sequence.mean) - 1, low = has_interval and math.exp(low) - 1 or nil,
    high = has_interval and math.exp(high) - 1 or nil, a = values.geometric_mean(numbers_of(self, one.first)),
    b = values.geometric_mean(numbers_of(self, one.second)) }
end

-- What all comparisons of three commands or more say. It is decided once each of them is.
local function all_compared(self)
  local found = { verdict = "decided", regression = false, comparisons = reg.json.array {} }
  for i, one in ipairs(self.comparisons) do
    local row = compared(self, one)
    row.first, row.second = one.first, one.second
    found.comparisons[i], found.regression = row, found.regression or row.regression and one.first == 1
    if row.verdict == "inconclusive" then found.verdict = "inconclusive" end
    found.noise = row.noise and math.max(found.noise or 0, row.noise)
    found.more_pairs = row.more_pairs and math.max(found.more_pairs or 0, row.more_pairs) or found.more_pairs
  end
  return found
end

--- What the rounds so far say, as data.
function Rounds:answer()
  local o, turns = self.o, self.turns
  local found = #o.list > 2 and all_compared(self) or compared(self, self.comparisons[1])
  if #o.list == 2 then found.values = { a = numbers_of(self, 1), b = numbers_of(self, 2) } end
  found.metric, found.unit, found.better, found.min_effect = self.run.metric, o.unit, o.better, o.min_effect
  found.commands, found.names, found.templates = o.commands, o.names, o.parameters and o.templates or nil
  found.results = reg.json.array(map(o.list, function(one, side) return results_of(turns_of(self, side), one) end))
  found.pairs, found.confidence, found.quieter = turns.n, 0.95, quieter_of(self)
  found.reused, found.stored = turns.reused, turns.stored
  found.other_machines = #only(turns_of(self, 1), function(turn) return turn.elsewhere end)
  local wall_s = values.sum(turns.all, function(turn) return turn.wall_s end)
  found.pair_seconds = wall_s > 0 and wall_s / turns.n or nil
  found.suspect = self.run.suspicion:summary(turns.all)
  found.predictions = o.predict and require("lib/predictions").judge(o.predict, found) or reg.json.array {}
  found.title = title_of(found)
  return found
end

function Rounds:knows() return self.turns.n > 0 end

-- The difference so far, or the numbers of the last round; of more than two commands, how many comparisons are decided.
local function progress_note(self, round)
  local of = { metric = self.run.metric, unit = self.o.unit, better = self.o.better }
  if #round > 2 then return string.format("%d of %d decided", count_decided(self), #self.comparisons) end
  local now = compared(self, self.comparisons[1])
  local size, interval = numbers.effect({ effect = now.effect, effect_low = now.low, effect_high = now.high }, of)
  if interval then return "B " .. size .. " (" .. interval .. ")" end
  return string.format("A %s, B %s", numbers.plain(round[1].value, of), numbers.plain(round[2].value, of))
end

local function add(self, round, stored, progress)
  for _, one in ipairs(self.comparisons) do
    one.sequence:add(math.log(round[one.second].value / round[one.first].value))
  end
  progress:update { done = self.turns.n, total = math.max(expected_rounds(self), self.o.min_runs), subject = "",
    note = progress_note(self, round) .. (stored and " (stored)" or "") }
  local found = not self.advised and quieter_of(self)
  if found then reg.log.info("%s", coverage.quieter(found, self.run.metric)) end
  self.advised = self.advised or found
end

--- Adds rounds, those of the store first, until it is decided or the budget is spent.
function Rounds:go(progress)
  local o, turns, is_set_up = self.o, self.turns, {}
  local _ <close> = setmetatable({}, { __close = function()
    for _, command in ipairs(o.cleanup and is_set_up or {}) do o.cleanup(command, o.fills[command]) end
  end })
  turns:go(progress, function()
    return turns.n >= o.budget or turns.n >= o.min_runs and count_decided(self) == #self.comparisons
  end, function(round, stored) add(self, round, stored, progress) end, function()
    for side, command in ipairs(o.commands) do
      if o.setup then o.setup(command, o.fills[command]) end
      is_set_up[side] = command
    end
    for side = 1, #o.list do
      for _ = 1, o.warmup do turns:warm_up(side) end
    end
  end)
end

return Rounds
