-- How much of a difference a part of it makes up, from rounds in which both were measured: the ratio of two means, with
-- an interval that holds however often one looks, and whenever one stops.
--
-- A share s is in the interval if the mean of part - s * whole over the rounds may be 0, by the sequence of
-- lib/results/sequence. This is Fieller's theorem with the half width of that sequence in place of Student's t. In s it
-- is a quadratic inequality: its roots are the ends. While the whole itself may be 0, any share may be right.

local Sequence = require "lib/results/sequence"

local Portion = {}
Portion.__index = Portion

function Portion.new()
  return setmetatable({ n = 0, part = 0.0, whole = 0.0, pp = 0.0, pw = 0.0, ww = 0.0 }, Portion)
end

--- Adds a round: both differences, of logarithms.
function Portion:add(part, whole)
  self.n = self.n + 1
  local p, w = part - self.part, whole - self.whole
  self.part, self.whole = self.part + p / self.n, self.whole + w / self.n
  self.pp = self.pp + p * (part - self.part)
  self.pw = self.pw + p * (whole - self.whole)
  self.ww = self.ww + w * (whole - self.whole)
end

--- The share; nil where the whole is 0.
function Portion:estimate() return self.whole ~= 0 and self.part / self.whole or nil end

--- The ends of its 95 % interval; nil while it has none.
function Portion:interval()
  if self.n < Sequence.FEWEST then return nil end
  local half2 = Sequence.half_width(self.n) ^ 2 / (self.n - 1)
  local a = self.whole ^ 2 - half2 * self.ww
  local b = self.whole * self.part - half2 * self.pw
  local c = self.part ^ 2 - half2 * self.pp
  if a <= 0 then return nil end
  local root = math.sqrt(math.max(0, b * b - a * c))
  return (b - root) / a, (b + root) / a
end

return Portion
