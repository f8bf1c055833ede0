local test = require "harness"
local Sequence = reg.private "lib/results/sequence"

local function normal() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end

local function independent() return normal end

local function autocorrelated()
  local last = normal()
  return function()
    last = 0.8 * last + 0.6 * normal()
    return last
  end
end

-- One comparison: pairs in the order A B, B A, ... until it is decided, at most `most`. Returns the state after it.
local function play(noise, shift, most, margin)
  local so_far, next_noise = Sequence.new(margin), noise()
  while so_far.n < most and not so_far:decision() do
    local first, second = next_noise(), next_noise()
    so_far:add(shift + 0.02 * (so_far.n % 2 == 0 and second - first or first - second))
  end
  return so_far
end

test("of 3,000 comparisons of equal commands at most 5 % find a difference, at whichever of 100 pairs they stop", function()
  math.randomseed(11)
  for name, noise in pairs { independent = independent, autocorrelated = autocorrelated } do
    local wrong = 0
    for _ = 1, 3000 do
      if play(noise, 0, 100):decision() then wrong = wrong + 1 end
    end
    print(string.format("%s noise: %d of 3000 wrong", name, wrong))
    test.truthy(wrong <= 150, name .. ": " .. wrong)
    test.truthy(wrong > 0, name .. ": the simulation finds nothing at all")
  end
end)

test("a difference of 3 % at 2 % noise takes at most 12 pairs in the median, and has the right sign", function()
  math.randomseed(12)
  local taken, wrong = {}, 0
  for i = 1, 1001 do
    local so_far = play(independent, math.log(1.03), 200)
    taken[i] = so_far.n
    if so_far:decision() ~= "different" or so_far.mean < 0 then wrong = wrong + 1 end
  end
  table.sort(taken)
  print(string.format("%d pairs in the median, %d of 1001 wrong", taken[501], wrong))
  test.truthy(taken[501] <= 12, taken[501])
  test.truthy(wrong <= 1, wrong)
end)

test("the interval holds the true difference at the stop, whatever stopped it", function()
  math.randomseed(13)
  for _, case in ipairs { { 0.03, 200, nil }, { 0.01, 30, nil }, { 0.005, 200, 0.02 } } do
    local held = 0
    for _ = 1, 1000 do
      local low, high = play(independent, case[1], case[2], case[3]):interval()
      if low <= case[1] and case[1] <= high then held = held + 1 end
    end
    test.truthy(held >= 950, case[1] .. ": " .. held)
  end
end)

test("with a margin, smaller differences are the same, and larger ones are different", function()
  math.randomseed(14)
  local function decisions(shift)
    local counts = { same = 0, different = 0 }
    for _ = 1, 500 do
      local decision = play(independent, shift, 400, 0.02):decision()
      if decision then counts[decision] = counts[decision] + 1 end
    end
    return counts
  end
  test.truthy(decisions(0).same >= 475)
  test.truthy(decisions(0.04).different >= 475)
  test.truthy(decisions(0.04).same <= 25)
end)

test("half of the interval, by hand for five pairs", function()
  test.equal(Sequence.FEWEST, 5)
  test.equal(Sequence.half_width(4), math.huge)
  local ratio = (20 * math.sqrt(6)) ^ (2 / 5)
  test.near(Sequence.half_width(5), math.sqrt((ratio - 1) / (1 - ratio / 6) * 4 / 5), 1e-12)
  for n = 6, 1000 do test.truthy(Sequence.half_width(n) < Sequence.half_width(n - 1), n) end
end)

test("mean and deviation are those of the list", function()
  local so_far = Sequence.new()
  test.equal(so_far:deviation(), nil)
  for _, x in ipairs { 0.1, 0.3, 0.2, 0.6 } do so_far:add(x) end
  test.near(so_far.mean, 0.3, 1e-12)
  test.near(so_far:deviation(), math.sqrt(0.14 / 3), 1e-12)
  test.equal({ so_far:interval() }, { -math.huge, math.huge })
  test.equal(so_far:decision(), nil)
end)

test("numbers without noise are decided at the first interval", function()
  local equal, unequal = Sequence.new(), Sequence.new()
  for _ = 1, 5 do
    test.equal(unequal:decision(), nil)
    equal:add(0.0)
    unequal:add(0.25)
  end
  test.equal(equal:decision(), "same")
  test.equal(unequal:decision(), "different")
end)

test("how many pairs it takes if all stays as it is", function()
  local so_far = Sequence.new()
  for i = 1, 6 do so_far:add(0.01 + (i % 2 == 0 and 0.02 or -0.02)) end
  local needed, deviation = so_far:needed(1000), so_far:deviation()
  test.truthy(Sequence.half_width(needed) * deviation < 0.01)
  test.truthy(Sequence.half_width(needed - 1) * deviation >= 0.01)
  test.equal(so_far:needed(needed - 1), nil)
  local narrow = so_far:narrowed(0.5, 1000)
  test.truthy(Sequence.half_width(narrow) <= Sequence.half_width(6) / 2)
  test.truthy(Sequence.half_width(narrow - 1) > Sequence.half_width(6) / 2)
end)

return test.finish()
