-- The shift between two samples of any distribution, and its confidence interval: the Hodges-Lehmann estimator with the
-- interval of the Mann-Whitney test (Hollander and Wolfe, "Nonparametric Statistical Methods", chapter 4).

local MAX_EXACT = 900  -- pairs; beyond that the normal approximation is as good

local ranks = {}

-- counts[u + 1]: the number of orders of m and n numbers in which u pairs have the first one larger.
local function orders(m, n)
  local counts = { 1 }
  -- Generating function: product of (1 - q^(n + i)) / (1 - q^i).
  for i = 1, m do
    local most = m * n
    for u = most, n + i, -1 do counts[u + 1] = (counts[u + 1] or 0) - (counts[u - n - i + 1] or 0) end
    for u = i, most do counts[u + 1] = (counts[u + 1] or 0) + (counts[u - i + 1] or 0) end
  end
  return counts
end

-- The z with probability `tail` beyond it in the normal distribution, by bisection.
local function normal_quantile(tail)
  local function beyond(z)  -- Abramowitz and Stegun 26.2.17, to 7.5e-8
    local t = 1 / (1 + 0.2316419 * z)
    local polynomial = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
    return math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * polynomial
  end
  local low, high = 0, 40
  for _ = 1, 60 do
    local middle = (low + high) / 2
    if beyond(middle) > tail then low = middle else high = middle end
  end
  return low
end

--- How many of the smallest, and of the largest, pairwise differences lie outside an interval of at least that
--- confidence; -1 with too few numbers for any interval.
function ranks.outside(m, n, confidence)
  local tail = (1 - confidence) / 2
  if m * n > MAX_EXACT then
    return math.max(-1, math.floor(m * n / 2 - normal_quantile(tail) * math.sqrt(m * n * (m + n + 1) / 12) - 0.5))
  end
  local counts, all, sum = orders(m, n), 0.0, 0.0
  for u = 0, m * n do all = all + counts[u + 1] end
  for u = 0, m * n do
    sum = sum + counts[u + 1] / all
    if sum > tail then return u - 1 end
  end
end

--- The shift from a to b and its interval: shift, low, high. With too few numbers the interval is -inf to inf.
function ranks.shift(a, b, confidence)
  local differences = {}
  for _, x in ipairs(a) do
    for _, y in ipairs(b) do differences[#differences + 1] = y - x end
  end
  table.sort(differences)
  local count = #differences
  local middle = (differences[(count + 1) // 2] + differences[count // 2 + 1]) / 2
  local outside = ranks.outside(#a, #b, confidence)
  if outside < 0 then return middle, -math.huge, math.huge end
  return middle, differences[outside + 1], differences[count - outside]
end

return ranks
