local test = require "harness"

reg.needs { process = "sh", files = "." }

-- A program whose numbers are a factor times 1 + 2 % of noise, the same noise at each start of the test. The file runs
-- counts the runs of all, and runs.log has their order.
local function program(name, factor)
  return string.format([[
    i=$(cat runs 2>/dev/null || echo 0); i=$((i + 1)); echo $i >runs; echo %s >>runs.log
    awk -v i=$i 'BEGIN {
      s = 7919 * i; x = 0
      for (k = 0; k < 15; ++k) { s = (s * 16807) %% 2147483647; if (k > 2) x += s / 2147483647 }
      printf "rate: %%.6f\n", %s * 100 * (1 + 0.02 * (x - 6)) }']], name, factor)
end

local function measure(command, trial) return reg.metric.find(trial:run({ shell = command }).stdout, "rate: {number}") end

-- As if no program had run.
local function forget_runs()
  for _, name in ipairs { "runs", "runs.log" } do
    if reg.fs.exists(name) then reg.fs.remove(name) end
  end
end

local function order()
  return (reg.fs.read "runs.log":gsub("%s+", " "):gsub(" $", ""))
end

local count = 0
local function ab(a, b, o)
  forget_runs()
  count = count + 1
  local all = { measure = measure, metric = "rate: {number}", into = "store" .. count .. ".db" }
  for name, value in pairs(o or {}) do all[name] = value end
  return reg.ab(a, b, all), all.into
end

test("the first run of each side is not counted, and the pairs are A B, B A, A B", function()
  local found = ab(program("a", 1), program("b", 1), { budget = 3 })
  test.equal(order(), "a b a b b a a b")
  test.equal(found.pairs, 3)
  test.equal(found.verdict, "inconclusive")
  test.equal(found.low, nil)
  test.truthy(found.text:find("an interval takes 5 pairs", 1, true), found.text)
end)

test("half of a pair, and the runs beside another command, are not used", function()
  local a, b = program("a", 1), program("b", 1)
  local _, path = ab(a, b, { budget = 5, min_effect = 0.001 })
  local store <close> = reg.store.open(path)
  local trials = store:trials { subject = "B", status = "ok" }
  store:set_aside(trials[#trials].id, "as if it had been interrupted")
  local found = reg.ab(a, b, { measure = measure, metric = "rate: {number}", into = path, budget = 5,
    min_effect = 0.001, resume = true })
  test.equal(found.reused, 4)
  test.equal(found.pairs, 5)
  local other = reg.ab(a, program("c", 1), { measure = measure, metric = "rate: {number}", into = path, budget = 2,
    resume = true })
  test.equal(other.reused, 0)
  local turned = { measure = measure, metric = "rate: {number}", into = path, budget = 2, resume = true }
  test.equal(reg.ab(b, a, turned).reused, 0)
end)

test("numbers without noise need no interval in the text", function()
  local found = ab("echo rate: 4", "echo rate: 5", { better = "lower" })
  test.equal(found.pairs, 5)
  test.truthy(found.text:find("B's rate is 25 % worse than A's   rate 4 -> 5   5 pairs", 1, true) == 1, found.text)
  found = ab("echo rate: 4", "echo rate:  4", { better = "lower" })
  test.equal(found.verdict, "no_difference")
  test.equal(found.pairs, 5)
  test.truthy(found.text:find("No difference: all numbers of A and B are equal   rate 4 -> 4", 1, true), found.text)
  found = ab("echo rate: 100", "echo rate: 101", { better = "lower", min_effect = 0.05 })
  test.truthy(found.text:find("No difference of 5.0 % or more: B is 1.0 % worse than A   rate 100 -> 101", 1, true),
    found.text)
end)

test("what is wrong with the arguments", function()
  test.raises("takes two commands", function() reg.ab("true") end, "usage")
  test.raises("budget must be", function() reg.ab("true", "true", { budget = 0 }) end, "usage")
  test.raises("min_effect must be", function() reg.ab("true", "true", { min_effect = -1 }) end, "usage")
  test.raises('better must be "higher" or "lower"', function() reg.ab("true", "true", { better = "less" }) end, "usage")
  test.raises("'bugdet'", function() reg.ab("true", "true", { bugdet = 3 }) end, "usage")
  test.raises("rate of B is 0, and a ratio needs positive numbers", function()
    ab("echo rate: 1", "echo rate: 0")
  end, "usage")
end)

return test.finish()
