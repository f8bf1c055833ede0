local test = require "harness"

-- reg.compare of seconds, unless `o` says something else.
local function compare(a, b, o) return reg.compare(a, b, test.merged({ metric = "seconds" }, o)) end

-- Processes of a benchmark: 1 % of noise, 5 % outliers of up to twice the time, and a process in four runs 2 % slower
-- throughout.
local function normal() return math.sqrt(-2 * math.log(1 - math.random())) * math.cos(2 * math.pi * math.random()) end
local function processes(level, count)
  local list = {}
  for i = 1, count do
    local mode, samples = math.random() < 0.25 and 0.02 or 0, {}
    for k = 1, 5 do
      samples[k] = level * math.exp(0.01 * normal() + mode) * (math.random() < 0.05 and 1 + math.random() or 1)
    end
    list[i] = samples
  end
  return list
end

test("10 processes each: at most 1 % false alarms on equal programs, and 3 % slower is found", function()
  math.randomseed(20240611)
  local alarms, found, wrong = 0, 0, 0
  for _ = 1, 1000 do
    local verdict = compare(processes(1, 10), processes(1, 10)).verdict
    if verdict == "faster" or verdict == "slower" then alarms = alarms + 1 end
    verdict = compare(processes(1, 10), processes(1.03, 10)).verdict
    if verdict == "slower" then found = found + 1 end
    if verdict == "faster" then wrong = wrong + 1 end
  end
  print(string.format("false alarms %d of 1000, true 3 %% found %d of 1000", alarms, found))
  test.truthy(alarms <= 10, alarms)
  test.truthy(found >= 950, found)
  test.equal(wrong, 0)
end)

test("the interval holds the true effect as often as it says", function()
  math.randomseed(7)
  local held = 0
  for _ = 1, 1000 do
    local a, b = {}, {}
    for i = 1, 7 do a[i], b[i] = 5 * math.exp(0.02 * normal()), 5.5 * math.exp(0.02 * normal()) end
    local c = compare(a, b, { confidence = 0.9 })
    if c.low <= 0.1 and c.high >= 0.1 then held = held + 1 end
  end
  test.truthy(held >= 875 and held <= 950, held)  -- 900 and more: the test's levels are steps
end)

test("with many equal numbers it is the same; with few nobody can say", function()
  math.randomseed(3)
  test.equal(compare(processes(1, 60), processes(1.001, 60)).verdict, "same")
  local few = compare({ 1.0, 1.01 }, { 1.5, 1.52 })
  test.equal({ few.verdict, few.low, few.high }, { "ambiguous", -1.0, math.huge })
  test.near(few.effect, 0.5, 0.01)
end)

test("the levels of the Mann-Whitney test's tables", function()
  local function outside(m, n, confidence)
    local a, b = {}, {}
    for i = 1, m do a[i] = math.exp((i - 1) * 1e-3) end
    for j = 1, n do b[j] = math.exp(1 + (j - 1) * m * 1e-3) end
    -- The differences are 1 - (i - 1) / 1000 + (j - 1) m / 1000: all different, a thousandth apart.
    local c = compare(a, b, { confidence = confidence })
    local first = 1 - (m - 1) * 1e-3
    return math.floor((math.log(c.low + 1) - first) / 1e-3 + 0.5)
  end
  test.equal({ outside(5, 5, 0.99), outside(8, 8, 0.99), outside(10, 10, 0.99) }, { 0, 7, 16 })
  test.equal({ outside(6, 9, 0.95), outside(20, 20, 0.95) }, { 10, 127 })
end)

test("which way is better, and by how much it matters", function()
  local a, b = { 100, 101, 99, 100, 100, 102 }, { 120, 121, 119, 122, 120, 118 }
  test.equal({ compare(a, b).verdict, compare(a, b, { better = "higher" }).verdict }, { "slower", "faster" })
  test.equal({ compare(b, a).verdict, compare(a, b, { metric = "items/s" }).verdict }, { "faster", "faster" })
  test.equal(compare(a, b, { metric = "items/s", better = "lower" }).verdict, "slower")
  test.equal(compare(a, b, { min_effect = 0.5 }).verdict, "same")
  local c = compare(a, b)
  test.near(c.effect, 0.2, 0.01)
  test.truthy(c.low < c.effect and c.effect < c.high)
  test.equal({ c.n_a, c.n_b }, { 6, 6 })
end)

test("what is no number is refused with its place", function()
  test.refuses("usage", compare, { { "process 2 of b has no samples", { 1 }, { 1, {} } },
    { "process 1 of a: not a positive number: -1", { -1 }, { 1 } }, { "a must be a list", {}, { 1 } },
    { "process 1 of a: not a positive number: " .. tostring(0 / 0), { { 1, 0 / 0 } }, { 1 } },
    { "better must be", { 1 }, { 1 }, { better = "faster" } }, { "confidence must be", { 1 }, { 1 }, { confidence = 1 } },
    { "unknown option 'min_efect' (did you mean 'min_effect'?)", { 1 }, { 1 }, { min_efect = 1 } },
    { "cannot tell whether higher or lower values of 'value' are better", { 1 }, { 1 }, { metric = "value" } } })
end)

-- With so many differences not all of them are listed.
test("the shift of many processes is the median of all pairwise differences, and its interval lies evenly around it", function()
  math.randomseed(20240612)
  for _, decimals in ipairs { 0, 1, 9 } do  -- many are equal, or none
    local a, b, all = {}, {}, {}
    for i = 1, 400 do a[i] = math.floor(normal() * 10 ^ decimals) / 10 ^ decimals end
    for i = 1, 500 do b[i] = 0.3 + math.floor(normal() * 10 ^ decimals) / 10 ^ decimals end
    for _, x in ipairs(a) do
      for _, y in ipairs(b) do all[#all + 1] = y - x end
    end
    table.sort(all)
    for _, list in ipairs { a, b } do
      for i, x in ipairs(list) do list[i] = math.exp(x) end
    end
    local c, below, above = compare(a, b), 0, 0
    test.near(math.log(1 + c.effect), (all[100000] + all[100001]) / 2, 1e-9)
    for _, x in ipairs(all) do
      below = below + (x < math.log(1 + c.low) - 1e-12 and 1 or 0)
      above = above + (x > math.log(1 + c.high) + 1e-12 and 1 or 0)
    end
    if decimals == 9 then test.equal({ below, above }, { 90017, 90017 }) end
  end
end)

return test.finish()
