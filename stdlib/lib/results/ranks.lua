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

-- Of all differences b[j] - a[i] of sorted lists: how many are at most `most`, the largest of those, and the smallest
-- of the others.
local function split(a, b, most)
  local count, below, above, j = 0, -math.huge, math.huge, 0
  for _, x in ipairs(a) do
    while j < #b and b[j + 1] - x <= most do j = j + 1 end
    count = count + j
    if j > 0 then below = math.max(below, b[j] - x) end
    if j < #b then above = math.min(above, b[j + 1] - x) end
  end
  return count, below, above
end

-- The k-th smallest difference, by bisection.
local function difference(a, b, k)
  local low, high = b[1] - a[#a], b[#b] - a[1]
  while low < high do
    local middle = low + (high - low) / 2
    local count, below, above = split(a, b, middle < high and middle or low)
    if count >= k then high = below else low = above end
  end
  return low
end

local function sorted(list)
  local copy = table.move(list, 1, #list, 1, {})
  table.sort(copy)
  return copy
end

--- The shift from a to b and its interval: shift, low, high. With too few numbers the interval is -inf to inf.
function ranks.shift(a, b, confidence)
  a, b = sorted(a), sorted(b)
  local count, outside = #a * #b, ranks.outside(#a, #b, confidence)
  local middle = (difference(a, b, (count + 1) // 2) + difference(a, b, count // 2 + 1)) / 2
  if outside < 0 then return middle, -math.huge, math.huge end
  return middle, difference(a, b, outside + 1), difference(a, b, count - outside)
end

return ranks
