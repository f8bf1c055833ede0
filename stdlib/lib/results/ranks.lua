-- The shift between two samples of any distribution, and its confidence interval: the Hodges-Lehmann estimator with the
-- interval of the Mann-Whitney test (Hollander and Wolfe, "Nonparametric Statistical Methods", chapter 4).

local MAX_EXACT = 900  -- pairs; beyond that the normal approximation is as good

local MAX_LISTED = 100000  -- differences that are sorted

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

-- Each number once, in order: at (the numbers), times (how often each comes), upto (how many numbers are at most this
-- one).
local function distinct(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local at, times, upto, n = {}, {}, {}, 0
  for i, x in ipairs(sorted) do
    if x ~= at[n] then n = n + 1 end
    at[n], times[n], upto[n] = x, (times[n] or 0) + 1, i
  end
  return { at = at, times = times, upto = upto, n = n, count = #list }
end

-- Of distinct numbers a and b: how many differences b[j] - a[i] are at most `most`.
local function count_upto(a, b, most)
  local from, times, to, upto, n, count, j = a.at, a.times, b.at, b.upto, b.n, 0, 0
  for i = 1, a.n do
    local x = from[i]
    while j < n and to[j + 1] - x <= most do j = j + 1 end
    if j > 0 then count = count + times[i] * upto[j] end
  end
  return count
end

-- The differences above `low` and up to `high`, sorted.
local function between(a, b, low, high)
  local found, first = {}, 1
  for i, x in ipairs(a.at) do
    while first <= b.n and b.at[first] - x <= low do first = first + 1 end
    local j = first
    while j <= b.n and b.at[j] - x <= high do
      for _ = 1, a.times[i] * b.times[j] do found[#found + 1] = b.at[j] - x end
      j = j + 1
    end
  end
  table.sort(found)
  return found
end

-- Where between two differences the k-th smallest probably is, by the Illinois method, which finds it in a few steps if
-- the differences are spread evenly; at times in the middle, for those that are not. `step`: how many steps were made;
-- `kept`: the end that stayed at the last one.
local function probably(k, low, high, step, kept)
  if step % 4 == 3 then return low.at + (high.at - low.at) / 2 end
  local before, after = k - 0.5 - low.count, high.count - k + 0.5
  if kept == low then before = before / 2 elseif kept == high then after = after / 2 end
  return low.at + (high.at - low.at) * before / (before + after)
end

-- A function of k: the k-th smallest difference. Few differences are listed; of many, it narrows the range until few
-- are left, or only equal ones. What it counted for one k it knows for the next.
local function differences(a, b)
  local least, most = b.at[1] - a.at[a.n], b.at[b.n] - a.at[1]
  if a.count * b.count <= MAX_LISTED then
    local all = between(a, b, -math.huge, most)
    return function(k) return all[k] end
  end
  local known = { { at = least, count = count_upto(a, b, least) }, { at = most, count = a.count * b.count } }
  return function(k)
    local low, high, kept = nil, nil, nil
    for _, point in ipairs(known) do
      if point.count < k and not (low and low.at >= point.at) then low = point end
      if point.count >= k and not (high and high.at <= point.at) then high = point end
    end
    if not low then return least end
    local step = 0
    while high.count - low.count > MAX_LISTED do
      local at = probably(k, low, high, step, kept)
      if at <= low.at or at >= high.at then at = low.at + (high.at - low.at) / 2 end
      if at <= low.at or at >= high.at then return high.at end
      local point = { at = at, count = count_upto(a, b, at) }
      known[#known + 1], step = point, step + 1
      if point.count < k then low, kept = point, high else high, kept = point, low end
    end
    return between(a, b, low.at, high.at)[k - low.count]
  end
end

--- The shift from a to b and its interval: shift, low, high. With too few numbers the interval is -inf to inf.
function ranks.shift(a, b, confidence)
  local at, count = differences(distinct(a), distinct(b)), #a * #b
  local middle = (at((count + 1) // 2) + at(count // 2 + 1)) / 2
  local outside = ranks.outside(#a, #b, confidence)
  if outside < 0 then return middle, -math.huge, math.huge end
  return middle, at(outside + 1), at(count - outside)
end

return ranks
