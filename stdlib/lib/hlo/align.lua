-- The longest common subsequence of two lists (Myers, "An O(ND) Difference Algorithm and Its Variations", 1986), up to
-- a number of differences.

local MOST = 400  -- differences; beyond, only equal beginnings and ends are matched

-- The furthest points by diagonal for each number of differences, until the end of both lists; nil beyond MOST.
local function explore(a, b, from, to_a, to_b)
  local n, m, trails, v = to_a - from + 1, to_b - from + 1, {}, { [1] = 0 }
  for d = 0, math.min(MOST, n + m) do
    local trail = {}
    trails[d] = trail
    for k = -d, d, 2 do
      local x = (k == -d or k ~= d and v[k - 1] < v[k + 1]) and v[k + 1] or v[k - 1] + 1
      local y = x - k
      while x < n and y < m and a[from + x] == b[from + y] do x, y = x + 1, y + 1 end
      v[k], trail[k] = x, x
      if x >= n and y >= m then return trails, d, k end
    end
  end
  return nil
end

-- Goes back through the trails and notes the matches.
local function collect(matched, trails, d, k, from)
  local x = trails[d][k]
  while true do
    local before, next_k = d > 0 and trails[d - 1] or { [k] = 0 }, k
    local start = 0
    if d > 0 then
      next_k = (k == -d or k ~= d and before[k - 1] < before[k + 1]) and k + 1 or k - 1
      start = next_k == k + 1 and before[next_k] or before[next_k] + 1
    end
    for at = start, x - 1 do matched[from + at] = from + at - k end
    if d == 0 then return end
    x, d, k = before[next_k], d - 1, next_k
  end
end

--- { [index in a] = index in b } of what is the same, in order.
return function(a, b)
  local matched, from, to_a, to_b = {}, 1, #a, #b
  while from <= to_a and from <= to_b and a[from] == b[from] do
    matched[from] = from
    from = from + 1
  end
  while to_a >= from and to_b >= from and a[to_a] == b[to_b] do
    matched[to_a] = to_b
    to_a, to_b = to_a - 1, to_b - 1
  end
  if from > to_a or from > to_b then return matched end
  local trails, d, k = explore(a, b, from, to_a, to_b)
  if trails then collect(matched, trails, d, k, from) end
  return matched
end
