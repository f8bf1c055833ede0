-- Whether a commit makes up a difference, from rounds in which two versions were measured beside the later one with it
-- reverted and the earlier one with it applied. Of numbers the share of it; of tests whether they follow the commit.

local Sequence = require "lib/ab/sequence"

-- A commit that brings back more than half of a loss outweighs all others of the range together.
local MOST = 0.5
local LEAST = 0.05  -- a smaller share is not worth calling a cause
local NARROW = 0.1  -- half of the interval of a share, from which on more rounds are not worth it
local ROUNDS = 2    -- of a test that passes or fails: the second one shows a test that is flaky
local PARTS = { "revert", "apply" }

-- How much of a difference a part of it makes up, from rounds in which both were measured: the ratio of two means, with
-- an interval that holds however often one looks, and whenever one stops.
--
-- A share s is in the interval if the mean of part - s * whole over the rounds may be 0, by the sequence of
-- lib/ab/sequence. This is Fieller's theorem with the half width of that sequence in place of Student's t. In s it
-- is a quadratic inequality: its roots are the ends. While the whole itself may be 0, any share may be right.
local Portion = {}
Portion.__index = Portion

-- `whole`: the sequence of the differences that it is a part of.
function Portion.new(whole)
  return setmetatable({ part = Sequence.new(), whole = whole, products = 0.0 }, Portion)
end

--- Adds a round, which the whole has: both differences, of logarithms.
function Portion:add(part, whole)
  local step = part - self.part.mean
  self.part:add(part)
  self.products = self.products + step * (whole - self.whole.mean)
end

--- The share; nil where the whole is 0.
function Portion:estimate() return self.whole.mean ~= 0 and self.part.mean / self.whole.mean or nil end

--- The ends of its 95 % interval; nil while it has none.
function Portion:interval()
  local part, whole, n = self.part, self.whole, self.part.n
  if n < Sequence.FEWEST then return nil end
  local half2 = Sequence.half_width(n) ^ 2 / (n - 1)
  local a = whole.mean ^ 2 - half2 * whole.squares
  local b = whole.mean * part.mean - half2 * self.products
  local c = part.mean ^ 2 - half2 * part.squares
  if a <= 0 then return nil end
  local root = math.sqrt(math.max(0, b * b - a * c))
  return (b - root) / a, (b + root) / a
end

local Proof = {}
Proof.__index = Proof

--- `o`: passes (0 for passed, 1 for failed), sign (of the logarithm of the expected difference, or nil), min_effect,
--- alone (whether the commit is all that differs), revert and apply (whether there is such a version).
function Proof.new(o)
  local margin = o.min_effect and math.log(1 + o.min_effect)
  local self = setmetatable({ o = o, n = 0, whole = Sequence.new(margin), parts = {}, outcomes = {} }, Proof)
  for _, name in ipairs(PARTS) do self.parts[name] = o[name] and Portion.new(self.whole) or nil end
  return self
end

--- Goes on without "revert" or "apply". Whether the other one is left.
function Proof:drop(name)
  self.parts[name] = nil
  return next(self.parts) ~= nil
end

--- Adds a round: the numbers of before and after, and of revert and apply where they are measured.
function Proof:add(round)
  self.n = self.n + 1
  if self.o.passes then
    self.outcomes[self.n] = round
    return
  end
  local whole = math.log(round.after / round.before)
  self.whole:add(whole)
  if self.parts.revert then self.parts.revert:add(math.log(round.after / round.revert), whole) end
  if self.parts.apply then self.parts.apply:add(math.log(round.apply / round.before), whole) end
end

-- "yes" or "no": whether a part is most of the whole; "some" if it is less, or about a half, but not nothing; nil if
-- that is not clear. The second result is whether more rounds are not worth it.
local function judged(portion)
  local low, high = portion:interval()
  if not low then return nil, false end
  local narrow = (high - low) / 2 <= NARROW
  if low > MOST then return "yes", narrow end
  if low > LEAST and (high < MOST or narrow) then return "some", narrow end
  return high < MOST and "no" or nil, narrow
end

-- The verdict of what the parts say: a set of yes, some and no.
local function together(said)
  if said.yes and said.no then return "inconclusive", "mixed" end
  return said.no and "not_this_commit" or said.some and "one_of_several" or "proved"
end

-- Of a test: whether its outcome follows the commit.
local function of_outcomes(self)
  local first, bad = self.outcomes[1], self.o.sign or 1
  for _, round in ipairs(self.outcomes) do
    for name, value in pairs(round) do
      if value ~= first[name] then return "inconclusive", "flaky" end
    end
  end
  if (first.after - first.before) * bad <= 0 then return "inconclusive", "no_difference" end
  if self.o.alone then return "proved" end
  local said = {}
  if self.parts.revert then said[first.revert == first.before and "yes" or "no"] = true end
  if self.parts.apply then said[first.apply == first.after and "yes" or "no"] = true end
  return together(said)
end

-- What the difference itself says: nil if nothing yet.
local function of_whole(self)
  local decision, sign = self.whole:decision(), self.o.sign
  if decision == "same" or decision == "different" and sign and self.whole.mean * sign < 0 then
    return "inconclusive", "no_difference"
  end
  if self.o.alone and decision == "different" then return "proved" end
end

local function of_parts(self, is_last)
  local said, worthwhile = {}, false
  for _, portion in pairs(self.parts) do
    local answer, narrow = judged(portion)
    if not answer then return nil end
    said[answer], worthwhile = true, worthwhile or not narrow
  end
  if not is_last and worthwhile then return nil end
  return together(said)
end

--- The verdict, "proved", "one_of_several", "not_this_commit" or "inconclusive", and why it is that: "no_difference",
--- "mixed", "flaky" or "undecided". nil while more rounds are worth it; `is_last`: the budget is spent.
function Proof:verdict(is_last)
  if self.o.passes then
    if self.n >= ROUNDS or is_last and self.n > 0 then return of_outcomes(self) end
    if not is_last then return nil end
    return "inconclusive", "undecided"
  end
  local verdict, why = of_whole(self)
  if not verdict and next(self.parts) then verdict, why = of_parts(self, is_last) end
  if verdict or not is_last then return verdict, why end
  return "inconclusive", "undecided"
end

--- The share of a part, "revert" or "apply", and its 95 % interval; nil where it is not known.
function Proof:share(name)
  local portion = self.parts[name]
  if not portion or self.o.passes then return nil end
  return portion:estimate(), portion:interval()
end

--- after / before - 1 and its 95 % interval, which may be nil.
function Proof:effect()
  if self.o.passes or self.n == 0 then return nil end
  local low, high = self.whole:interval()
  if low == -math.huge then return math.exp(self.whole.mean) - 1 end
  return math.exp(self.whole.mean) - 1, math.exp(low) - 1, math.exp(high) - 1
end

return Proof
