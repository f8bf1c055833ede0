-- The search behind reg.sweep and reg.bisect: which of n subjects to measure next, and what follows from the numbers.
-- It measures nothing itself and knows no subjects, only their places 1..n:
--
--   local search = new { n = 61, min_effect = 0.01 }
--   for i in search.next do search.tell(i, number or nil) end     -- nil: this one gave no number
--   local answer = search.answer()
--
-- The method: both ends and a coarse grid between them; wherever two neighbours differ, the middle between them, and so on
-- down to two subjects that stand side by side. Differences are held against the noise that repeats show, and both sides of
-- every change are measured again before it is believed. A dip narrower than the grid's spacing can be missed.
-- `exact` says that numbers carry no noise (pass and fail), so nothing is repeated.

local CONFIRMED = 3       -- samples on both sides of a change before it is reported
local SIGMAS = 4          -- how many standard errors make a difference
local NOISE_FLOOR = 5e-4  -- no real measurement is better than this

local function median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  local half = #sorted // 2
  return #sorted % 2 == 1 and sorted[half + 1] or (sorted[half] + sorted[half + 1]) / 2
end

-- Probability that a normal variable stays within z standard deviations on the side it was seen.
local function normal_cdf(z)
  local t = 1 / (1 + 0.2316419 * z)
  local tail = t * (0.319381530 + t * (-0.356563782 + t * (1.781477937 + t * (-1.821255978 + t * 1.330274429))))
  return 1 - math.exp(-z * z / 2) / math.sqrt(2 * math.pi) * tail
end

return function(o)
  local n, exact = o.n, o.exact
  local min_effect = o.min_effect or 0.01
  local most = o.max_repeats or 9
  local samples, failed, runs = {}, {}, 0

  local function count(i) return #(samples[i] or {}) end
  local function level(i) return median(samples[i]) end

  -- One more number for i; false when it failed. Everything the search wants goes through here, and waits for tell().
  local function sample(i)
    local value = coroutine.yield(i)
    runs = runs + 1
    if value == nil then
      failed[i] = true
      return false
    end
    samples[i] = samples[i] or {}
    table.insert(samples[i], value)
    return true
  end

  -- A subject that once gave a number keeps it, even if it fails later: its repeats then stop.
  local function have(i, wanted)
    while not failed[i] and count(i) < wanted do sample(i) end
    return count(i) > 0
  end

  -- Relative standard deviation of one run, from the repeats: 1.4826 times the median deviation within the subjects,
  -- widened while few repeats are known, for few of them may lie close by chance.
  local function noise()
    if exact then return 0 end
    local deviations = {}
    for _, list in pairs(samples) do
      if #list > 1 then
        local middle, scale = median(list), math.sqrt(#list / (#list - 1))
        local zero_seen = #list % 2 == 0  -- of an odd count one is the median itself and says nothing
        for _, x in ipairs(list) do
          local d = math.abs(x - middle) / math.max(math.abs(middle), 1e-300) * scale
          if d == 0 and not zero_seen then zero_seen = true else deviations[#deviations + 1] = d end
        end
      end
    end
    local found = #deviations > 0 and 1.4826 * median(deviations) * (1 + 2 / #deviations) or 0
    return math.max(NOISE_FLOOR, found)
  end

  local function standard_error(count_a, count_b) return noise() * math.sqrt(1 / count_a + 1 / count_b) end

  local function relative(a, b) return math.abs(a - b) / math.max(math.min(math.abs(a), math.abs(b)), 1e-300) end

  local function threshold(count_a, count_b)
    if exact then return 0 end
    return math.max(min_effect, SIGMAS * standard_error(count_a, count_b))
  end

  -- Whether a and b stand on different levels. Sure that they do: beyond the threshold, and no side seen only once. Sure
  -- that they do not: too near for the effect asked about, or nearer than noise alone would put them. Else: once more.
  local function differ(a, b)
    while true do
      local d = relative(level(a), level(b))
      if exact then return d > 0 end
      local se, limit = standard_error(count(a), count(b)), threshold(count(a), count(b))
      local fewest = count(a) <= count(b) and a or b
      if d > limit and count(fewest) >= 2 then return true end
      if d <= limit and (d + 3 * se < min_effect or d < 1.4 * se) then return false end
      if count(fewest) >= most or not have(fewest, count(fewest) + 1) or failed[fewest] then return d > limit end
    end
  end

  -- The subject nearest to the middle of (a, b) that gives a number.
  local function usable_between(a, b)
    local middle = (a + b) // 2
    for distance = 0, b - a do
      for _, i in ipairs { middle - distance, middle + distance } do
        if i > a and i < b and not failed[i] and have(i, 1) then return i end
      end
    end
  end

  -- The first subject from an end inward that gives a number; longer steps each time, or a test that always fails would be
  -- tried on every subject.
  local function usable_from(first, last)
    local distance, direction = 0, first <= last and 1 or -1
    while distance <= math.abs(last - first) do
      local i = first + direction * distance
      if have(i, 1) then return i end
      distance = 2 * distance + 1
    end
  end

  local changes = {}

  -- a and b differ: down to where. Where neither half shows it alone - a small step among noise - it is in the half whose
  -- ends stand further apart; confirm() has the last word.
  local function descend(a, b)
    local middle = usable_between(a, b)
    if not middle then
      changes[#changes + 1] = { lo = a, hi = b }
      return
    end
    local left, right = differ(a, middle), differ(middle, b)
    if not left and not right then
      left = relative(level(a), level(middle)) > relative(level(middle), level(b))
      right = not left
    end
    if left then descend(a, middle) end
    if right then descend(middle, b) end
  end

  local function grid_points(first, last)
    local points, cells = { first }, math.max(1, math.min(o.grid or 9, last - first + 1) - 1)
    for k = 1, cells - 1 do
      local i = first + (last - first) * k // cells
      if i > points[#points] and i < last then
        if have(i, 1) then
          points[#points + 1] = i
        else
          local near = usable_between(points[#points], math.min(last, i + (last - first) // cells))
          if near and near > points[#points] then points[#points + 1] = near end
        end
      end
    end
    points[#points + 1] = last
    return points
  end

  -- Every number between two changes belongs to one level.
  local function level_between(from, to)
    local all = {}
    for i = from, to do
      for _, x in ipairs(samples[i] or {}) do all[#all + 1] = x end
    end
    return median(all), #all
  end

  local function settle_levels()
    table.sort(changes, function(x, y) return x.lo < y.lo end)
    for k, change in ipairs(changes) do
      local from = k == 1 and 1 or changes[k - 1].hi
      local to = k == #changes and n or changes[k + 1].lo
      local count_before, count_after
      change.before, count_before = level_between(from, change.lo)
      change.after, count_after = level_between(change.hi, to)
      change.ratio = change.before ~= 0 and change.after / change.before or nil
      change.p = exact and 1 or normal_cdf(relative(change.before, change.after) / standard_error(count_before, count_after))
    end
  end

  local function confirm()
    local kept = {}
    for _, change in ipairs(changes) do
      if not exact then
        have(change.lo, CONFIRMED)
        have(change.hi, CONFIRMED)
      end
      if differ(change.lo, change.hi) then kept[#kept + 1] = change end
    end
    changes = kept
  end

  -- Two changes after which the level is what it was before them are one dip.
  local function join_dips()
    local joined, k = {}, 1
    while k <= #changes do
      local enter, leave = changes[k], changes[k + 1]
      if leave and relative(enter.before, leave.after) <= math.max(min_effect, threshold(CONFIRMED, CONFIRMED)) then
        joined[#joined + 1] = { kind = "dip", lo = enter.lo, hi = enter.hi, leave_lo = leave.lo, leave_hi = leave.hi,
          before = enter.before, after = enter.after, ratio = enter.ratio, p = math.min(enter.p, leave.p) }
        k = k + 2
      else
        enter.kind = "step"
        joined[#joined + 1] = enter
        k = k + 1
      end
    end
    changes = joined
  end

  local verdict, why

  -- The smallest effect that could not have been missed, given the noise; repeats at the ends sharpen it.
  local function judge_quiet(first, last)
    while not exact and threshold(count(first), count(last)) > 1.5 * min_effect and count(last) < most do
      if not (have(first, count(first) + 1) and have(last, count(last) + 1)) or failed[first] or failed[last] then break end
    end
    local seen = threshold(count(first), count(last))
    if exact or seen <= 1.5 * min_effect then return "no_change" end
    local needed = math.ceil(2 * (SIGMAS * noise() / min_effect) ^ 2)
    return "unresolved", string.format("the noise is %.2g %% a run: a change under %.2g %% would be missed; about %d runs of each end "
      .. "would show %.2g %%", 100 * noise(), 100 * seen, needed, 100 * min_effect)
  end

  local function whole()
    local first = usable_from(1, n)
    local last = first and first < n and usable_from(n, first + 1)
    if not last then
      verdict, why = "unresolved", first and "only one subject gave a number" or "no subject that was tried gave a number"
      return
    end
    if not exact then
      have(first, CONFIRMED)
      have(last, CONFIRMED)
    end
    local points = grid_points(first, last)
    for k = 2, #points do
      if differ(points[k - 1], points[k]) then descend(points[k - 1], points[k]) end
    end
    local ends_differ = differ(first, last)
    if #changes == 0 and ends_differ then descend(first, last) end
    confirm()
    settle_levels()
    join_dips()
    if #changes > 0 then
      verdict = "changes"
    elseif ends_differ then
      verdict, why = "unresolved", "the ends differ, but no place between them shows the step: a slope, or noise"
    else
      verdict, why = judge_quiet(first, last)
    end
  end

  local work = coroutine.create(whole)
  local wanted, ended

  local function advance(value)
    local ok, result = coroutine.resume(work, value)
    if not ok then error(result, 0) end
    ended = coroutine.status(work) == "dead"
    wanted = result
  end
  advance()

  return {
    --- The place to measure next, nil when there is enough.
    next = function()
      if not ended then return wanted end
    end,
    tell = function(i, value)
      assert(i == wanted, "tell() answers next()")
      advance(value)
    end,
    answer = function()
      return { verdict = verdict, why = why, changes = changes, runs = runs, noise = noise() }
    end,
  }
end
