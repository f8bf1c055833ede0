local test = require "harness"
local Sequence = reg.private "lib/ab/sequence"

local function independent() return test.normal end

local function autocorrelated()
  local last = test.normal()
  return function()
    last = 0.8 * last + 0.6 * test.normal()
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
  test.seed(11)
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
  test.seed(12)
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
  test.seed(13)
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
  test.seed(14)
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

return test.finish()
