-- The rounds of a comparison so far, a run of each command, and how each differs from the first, or all pairs of them.

local Sequence = require "lib/ab/sequence"
local direction = require "lib/direction"
local values = require "lib/values"

local geometric_mean, map, median = values.geometric_mean, values.map, values.median

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

--- `names`: of the commands; `o`: the options of reg.ab, of which this has metric, better, min_effect and all_pairs.
function Rounds.new(names, o)
  local self = setmetatable({ o = o, names = names, n = 0, turns = {}, comparisons = {} }, Rounds)
  for side = 1, #names do self.turns[side] = {} end
  for first = 1, o.all_pairs and #names - 1 or 1 do
    for second = first + 1, #names do
      table.insert(self.comparisons, { first = first, second = second,
        sequence = Sequence.new(math.log(1 + (o.min_effect or 0))) })
    end
  end
  return self
end

--- Adds a round: a turn of each command, in their order.
function Rounds:add(round)
  self.n = self.n + 1
  for side, turn in ipairs(round) do table.insert(self.turns[side], turn) end
  for _, one in ipairs(self.comparisons) do
    one.sequence:add(math.log(round[one.second].value / round[one.first].value))
  end
end

--- Of two commands, the number that has much less noise than the wall time that is compared; nil for none.
function Rounds:quieter()
  if #self.names > 2 or not (self.o.metric and direction.is_wall_time(self.o.metric)) then return nil end
  return require("lib/sweep/quieter").of(self.turns, 1, 2)
end

--- How many comparisons are decided.
function Rounds:decided()
  return #map(self.comparisons, function(one) return one.sequence:decision() end)
end

--- After about how many rounds in all everything is decided; `most` at most.
function Rounds:expected(most)
  local expected = self.n
  for _, one in ipairs(self.comparisons) do
    expected = math.max(expected, self.n >= Sequence.FEWEST and one.sequence:needed(most) or most)
  end
  return expected
end

--- The numbers of a command, in the order of the rounds.
function Rounds:values(side)
  return reg.json.array(map(self.turns[side], function(turn) return turn.value end))
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

--- What a comparison says of its second command, as data.
function Rounds:compared(one)
  local sequence = one.sequence
  local low, high = sequence:interval()
  local deviation, has_interval = sequence:deviation(), low > -math.huge
  local noise = deviation and deviation / math.sqrt(2)
  local verdict, more_pairs = verdict_of(sequence, self.o, noise)
  return { verdict = verdict, more_pairs = more_pairs, regression = verdict == "worse", noise = noise,
    effect = math.exp(sequence.mean) - 1, low = has_interval and math.exp(low) - 1 or nil,
    high = has_interval and math.exp(high) - 1 or nil, a = geometric_mean(self:values(one.first)),
    b = geometric_mean(self:values(one.second)) }
end

--- What all comparisons of three commands or more say. It is decided once each of them is.
function Rounds:all_compared()
  local found = { verdict = "decided", regression = false, comparisons = reg.json.array {} }
  for i, one in ipairs(self.comparisons) do
    local row = self:compared(one)
    row.first, row.second = one.first, one.second
    found.comparisons[i], found.regression = row, found.regression or row.regression and one.first == 1
    if row.verdict == "inconclusive" then found.verdict = "inconclusive" end
    found.noise = row.noise and math.max(found.noise or 0, row.noise)
    found.more_pairs = row.more_pairs and math.max(found.more_pairs or 0, row.more_pairs) or found.more_pairs
  end
  return found
end

--- The numbers of each command with their statistics. `list`: of lib/ab/scan.
function Rounds:results(list)
  return reg.json.array(map(list, function(one, side) return results_of(self.turns[side], one) end))
end

return Rounds
