#!/usr/bin/env regengine
--- How often an A/B of two equal commands finds a difference, and how many pairs a real one takes, on simulated runs.
--- Beside it: the t-test looked at after each pair. Needs tests/support/private_stdlib; see bench_ab.sh.

local Sequence = reg.private "lib/ab/sequence"

local A_A, FOUND = 3000, 1000  -- simulated comparisons
local MOST = 100               -- pairs of one
local NOISE = 0.02             -- of a run

local function normal() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end

-- The noise of the next run, in standard deviations.
local KINDS = {
  { "independent noise", function() return normal end },
  { "autocorrelated noise, .8 from run to run", function()
    local last = normal()
    return function()
      last = 0.8 * last + 0.6 * normal()
      return last
    end
  end },
  { "one run in 20 up to 30 % slower", function()
    return function() return normal() + (math.random() < 0.05 and 15 * math.random() or 0) end
  end },
  { "bursts of load, 20 runs of 100 10 % slower", function()
    local at = math.random(0, 99)
    return function()
      at = (at + 1) % 100
      return normal() + (at < 20 and 5 or 0)
    end
  end },
}

-- The probability of a larger |t| with n degrees of freedom (Abramowitz and Stegun 26.7.3 and 26.7.4).
local function t_probability(t, n)
  local angle = math.atan(t / math.sqrt(n))
  local cos2, term, sum = math.cos(angle) ^ 2, 1, 1
  for i = n % 2 == 1 and 3 or 2, n - 2, 2 do
    term = term * (i - 1) / i * cos2
    sum = sum + term
  end
  if n == 1 then return 1 - 2 * angle / math.pi end
  if n % 2 == 1 then return 1 - 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * sum) end
  return 1 - math.sin(angle) * sum
end

-- The rule of reg.ab, and the one that looks at a t-test as if it were the only time.
local function by_sequence(pairs_so_far) return pairs_so_far:decision() end
local function by_t_test(pairs_so_far)
  local n = pairs_so_far.n
  if n < 2 then return nil end
  local t = math.abs(pairs_so_far.mean) / pairs_so_far:deviation() * math.sqrt(n)
  return t_probability(t, n - 1) < 0.05 and "different" or nil
end

-- The pairs until a rule sees a difference, and whether of the right sign; nil after MOST of them.
local function play(rule, noise, shift)
  local so_far, next_noise = Sequence.new(), noise()
  for n = 1, MOST do
    local first, second = next_noise(), next_noise()
    so_far:add(shift + NOISE * (n % 2 == 1 and second - first or first - second))
    if rule(so_far) then return n, so_far.mean * shift > 0 end
  end
end

-- The median number of pairs, the fraction that is found and the fraction found with the wrong sign.
local function score(rule, noise, shift, count)
  local taken, wrong = {}, 0
  for i = 1, count do
    local n, right = play(rule, noise, shift)
    taken[i] = n or MOST + 1
    if n and not right then wrong = wrong + 1 end
  end
  table.sort(taken)
  local found = 0
  for _, n in ipairs(taken) do found = found + (n <= MOST and 1 or 0) end
  return taken[(count + 1) // 2], found / count, wrong / count
end

math.randomseed(1)
for _, kind in ipairs(KINDS) do
  for _, rule in ipairs { { "reg.ab", by_sequence }, { "a t-test after each pair", by_t_test } } do
    local _, found = score(rule[2], kind[2], 0, A_A)
    print(string.format("A/A, %-44s %-26s false %.3f%s", kind[1], rule[1], found, rule[1] == "reg.ab"
      and "   goal 0.05" or ""))
  end
end
for _, percent in ipairs { 1, 2, 3, 5, 20 } do
  local taken, found, wrong = score(by_sequence, KINDS[1][2], math.log(1 + percent / 100), FOUND)
  print(string.format("%2d %% at %.0f %% noise: %s pairs in the median, found %.3f, wrong sign %.3f%s", percent,
    100 * NOISE, taken <= MOST and taken or "more than " .. MOST, found, wrong, percent == 3 and "   goal 12 pairs" or ""))
end
