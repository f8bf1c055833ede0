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

-- A fresh start: no program has run.
local function fresh()
  for _, name in ipairs { "runs", "runs.log" } do
    if reg.fs.exists(name) then reg.fs.remove(name) end
  end
end

local function order()
  return (reg.fs.read "runs.log":gsub("%s+", " "):gsub(" $", ""))
end

local count = 0
local function ab(a, b, o)
  fresh()
  count = count + 1
  local all = { measure = measure, metric = "rate: {number}", into = "store" .. count .. ".db" }
  for name, value in pairs(o or {}) do all[name] = value end
  return reg.ab(a, b, all), all.into
end

-- What a comparison that fails raises.
local function failure(f) return test.raises("", f, "failed_trial") end

test("a slower command is called so, with an interval that holds the true difference", function()
  local found = ab(program("a", 1), program("b", 0.9), { better = "higher" })
  test.equal(found.verdict, "worse")
  test.equal(found.regression, true)
  test.truthy(found.low < -0.1 and -0.1 < found.high and found.high < 0, found.low .. " to " .. found.high)
  test.near(found.a, 100, 3)
  test.near(found.b, 90, 3)
  test.near(found.noise, 0.02, 0.015)
  test.equal(found.confidence, 0.95)
  test.equal(found.reused, 0)
  test.equal(#found.values.a, found.pairs)
  test.truthy(found.text:find("B's rate is ", 1, true) == 1, found.text)
  test.truthy(found.text:find(" % worse than A's  (95 % interval ", 1, true), found.text)
end)

test("the first run of each side is not counted, and the pairs are A B, B A, A B", function()
  local found = ab(program("a", 1), program("b", 1), { budget = 3 })
  test.equal(order(), "a b a b b a a b")
  test.equal(found.pairs, 3)
  test.equal(found.verdict, "inconclusive")
  test.equal(found.low, nil)
  test.truthy(found.text:find("an interval takes 5 pairs", 1, true), found.text)
end)

test("where nobody says which is better, it is higher or lower", function()
  local found = ab(program("a", 1), program("b", 1.5))
  test.equal(found.verdict, "higher")
  test.equal(found.regression, false)
  test.equal(ab(program("a", 1), program("b", 0.3)).verdict, "lower")
  test.equal(ab(program("a", 1), program("b", 0.3), { better = "lower" }).verdict, "better")
end)

test("with min_effect it ends when the difference is smaller", function()
  local found = ab(program("a", 1), program("b", 1), { min_effect = 0.05 })
  test.equal(found.verdict, "no_difference")
  test.truthy(found.low > -0.05 and found.high < 0.05)
  test.truthy(found.pairs < 30, found.pairs)
  test.truthy(found.text:find("No difference of 5.0 % or more: ", 1, true) == 1, found.text)
end)

test("an undecided budget says how many more pairs would do", function()
  local found = ab(program("a", 1), program("b", 1), { min_effect = 0.001, budget = 6 })
  test.equal(found.verdict, "inconclusive")
  test.truthy(found.more_pairs > 10, found.more_pairs)
  test.truthy(found.text:find("--budget " .. 6 + found.more_pairs, 1, true), found.text)
end)

test("a second call measures afresh; with `resume`, a larger budget adds pairs to those that are stored", function()
  local a, b = program("a", 1), program("b", 1)
  local first, store = ab(a, b, { budget = 6, min_effect = 0.001 })
  local runs = #order()
  local again = reg.ab(a, b, { measure = measure, metric = "rate: {number}", into = store, budget = 6, resume = true,
    min_effect = 0.001 })
  test.equal(#order(), runs)
  test.truthy(again.text:find "   stored results of %d%d:%d%d UTC, 6 pairs\n", again.text)
  test.equal(again.reused, 6)
  test.equal(again.values, first.values)
  test.equal(again.effect, first.effect)
  local more = reg.ab(a, b, { measure = measure, metric = "rate: {number}", into = store, budget = 8, resume = true,
    min_effect = 0.001 })
  test.equal(more.reused, 6)
  test.equal(more.pairs, 8)
  test.truthy(more.text:find "   6 of 8 pairs stored, of %d%d:%d%d UTC, ", more.text)
  test.equal(order():sub(runs + 1), " a b a b b a")  -- a warm-up of both, then the pairs 7 and 8
  local function another(budget, resume)
    return reg.ab(a, b, { measure = measure, metric = "rate: {number}", into = store, min_effect = 0.001,
      budget = budget, resume = resume })
  end
  local afresh = another(3)
  test.equal({ afresh.reused, afresh.pairs, afresh.stored }, { 0, 3 })
  -- It goes on with the newest comparison only.
  local resumed = another(4, true)
  test.equal({ resumed.reused, resumed.pairs, resumed.stored.runs }, { 3, 4, 6 })
  test.equal(table.move(resumed.values.a, 1, 3, 1, reg.json.array {}), afresh.values.a)
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

test("a file that a command names counts with its contents", function()
  reg.fs.write("bench.sh", "echo rate: 3\n")
  local o = { measure = measure, metric = "rate: {number}", into = "files.db", budget = 2, resume = true }
  test.equal(reg.ab("sh bench.sh", "sh ./bench.sh >/dev/stdout", o).reused, 0)
  test.equal(reg.ab("sh bench.sh", "sh ./bench.sh >/dev/stdout", o).reused, 2)
  reg.fs.write("bench.sh", "echo rate: 4\n")
  local found = reg.ab("sh bench.sh", "sh ./bench.sh >/dev/stdout", o)
  test.equal(found.reused, 0)
  test.equal(found.b, 4.0)
end)

test("which files a command line names", function()
  local named = reg.private("lib/identity/surroundings").named_files
  reg.fs.mkdir "dir"
  reg.fs.write("dir/tool", "x")
  reg.fs.write("input.csv", "x")
  reg.fs.write("counter", "x")
  reg.fs.write("out", "x")
  test.equal(named("dir/tool --file=input.csv", "."), { "./dir/tool" })
  test.equal(named("N=1 cat counter input.csv | dir/tool 3 > out; ls dir", "."), { "./input.csv", "./dir/tool" })
  test.equal(named("head -c 9 /dev/zero && ./tool", "dir"), { "dir/./tool" })
  test.equal(named("echo hello", "."), {})
end)

test("by default it compares the wall time, and lower is better", function()
  local found = reg.ab("sleep 0.3", "true", { into = "wall.db" })
  test.equal(found.verdict, "better")
  test.equal(found.metric, "wall time")
  test.equal(found.better, "lower")
  test.truthy(found.text:find("x faster than A", 1, true), found.text)
  test.truthy(found.text:find("wall time [%d.]+ %-> [%d.]+ m?s   "), found.text)
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

test("a command that fails ends it with the end of its output, before any pair", function()
  local why = failure(function() ab(program("a", 1), "echo line one; echo line two; exit 3") end)
  test.equal(why.message, "B failed: exit code 3\n  line one\n  line two")
  test.equal(order(), "a")
  why = failure(function() ab("echo x: 1; echo x: 2", "echo x: 1", { measure = function(command, trial)
    return reg.metric.of(trial:run { shell = command }, { metric = "x: {number}" })
  end }) end)
  test.truthy(why.hint:find("Pass --take first", 1, true), why.hint)
end)

test("a failure among the pairs is kept, and `redo` runs it again", function()
  local b = "test ! -e broken && echo rate: 5 && if [ -e armed ]; then touch broken; fi"
  reg.fs.write("armed", "")
  test.equal(failure(function() ab("echo rate: 4", b, { into = "redo.db" }) end).message, "B failed: exit code 1")
  local o = { measure = measure, metric = "rate: {number}", into = "redo.db", resume = true }
  reg.fs.remove "armed"
  reg.fs.remove "broken"
  local why = failure(function() reg.ab("echo rate: 4", b, o) end)
  test.truthy(why.hint:find("--resume --redo test_failed", 1, true), why.hint)
  o.redo = { "test_failed" }
  test.equal(reg.ab("echo rate: 4", b, o).verdict, "higher")
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
