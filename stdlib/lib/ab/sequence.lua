-- How much a second command differs from a first, from pairs of their runs, to be looked at after each pair: a t-test
-- and its interval that hold however often one looks, and whenever one stops.
--
-- The differences of the pairs are taken as normal, with an unknown mean and deviation. The likelihood ratio of "the
-- mean is deviation * N(0, G)" to "the mean is 0", both mixed over all deviations with the right Haar prior, is a
-- martingale where the mean is 0: it ever reaches 1 / ALPHA with a probability of at most ALPHA. See T. L. Lai, "On
-- confidence sequences", Annals of Statistics 4 (1976), and H. Wang and A. Ramdas, "Anytime-valid t-tests and
-- confidence sequences for Gaussian means with unknown variance" (2024). Of logarithms, the difference is a ratio.

local ALPHA = 0.05
local G = 1  -- of a half to 3, decides 1 to 3 % at 2 % noise soonest: see tests/lua/test_sequence.lua

local Sequence = {}
Sequence.__index = Sequence

--- Half of the interval after n pairs, in standard deviations of a pair; infinite for the first four.
function Sequence.half_width(n)
  local shrink = 1 + n * G
  local ratio = (math.sqrt(shrink) / ALPHA) ^ (2 / n)
  if n < 2 or ratio >= shrink then return math.huge end
  return math.sqrt((ratio - 1) / (1 - ratio / shrink) * (n - 1) / n)
end

--- The number of pairs after which there is an interval.
Sequence.FEWEST = 2
while Sequence.half_width(Sequence.FEWEST) == math.huge do Sequence.FEWEST = Sequence.FEWEST + 1 end

--- `margin`: differences below it do not matter; nil or 0: all do.
function Sequence.new(margin)
  return setmetatable({ margin = margin or 0, n = 0, mean = 0.0, squares = 0.0 }, Sequence)
end

--- Adds the difference of one pair.
function Sequence:add(difference)
  self.n = self.n + 1
  local step = difference - self.mean
  self.mean = self.mean + step / self.n
  self.squares = self.squares + step * (difference - self.mean)
end

--- The standard deviation of a pair; nil of fewer than two.
function Sequence:deviation() return self.n > 1 and math.sqrt(self.squares / (self.n - 1)) or nil end

--- The ends of the 95 % interval of the mean; infinite while there are too few pairs.
function Sequence:interval()
  if self.n < Sequence.FEWEST then return -math.huge, math.huge end
  local half = Sequence.half_width(self.n) * self:deviation()
  return self.mean - half, self.mean + half
end

-- What a mean and half of its interval say.
local function decided(mean, half, margin)
  local largest = math.abs(mean) + half
  if largest < margin or largest == 0 then return "same" end
  if math.abs(mean) > half and math.abs(mean) >= margin then return "different" end
end

--- "different": not 0, and the estimate reaches the margin. "same": below the margin, or exactly 0. nil: more pairs.
function Sequence:decision()
  if self.n < Sequence.FEWEST then return nil end
  return decided(self.mean, Sequence.half_width(self.n) * self:deviation(), self.margin)
end

--- After how many pairs in all the interval is this fraction of what it is now, or less; nil for more than `most`.
function Sequence:narrowed(fraction, most)
  for n = self.n, most do
    if Sequence.half_width(n) <= fraction * Sequence.half_width(self.n) then return n end
  end
end

--- After how many pairs in all it is decided, if the mean and the deviation stay as they are; nil for more than `most`.
function Sequence:needed(most)
  local deviation = self:deviation()
  for n = math.max(self.n, Sequence.FEWEST), deviation and most or 0 do
    if decided(self.mean, Sequence.half_width(n) * deviation, self.margin) then return n end
  end
end

return Sequence
