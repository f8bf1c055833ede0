-- reg.ab of three commands or more, of parameters, and with a fixed number of runs; tests/scripts/test_ab.sh has two.

local test = require "harness"

reg.needs { process = "sh", files = "." }

local function measure(command, trial) return reg.metric.find(trial:run({ shell = command }).stdout, "ms: {number}") end

-- A command that notes its name and prints a number, with a spread of 2 % that is the same at each start.
local function program(name, level)
  return string.format("echo %s >>log; n=$(($(wc -l <log) %% 5)); awk -v n=$n 'BEGIN { printf \"ms: %%.4f\\n\", %s * (1 + n / 200) }'",
    name, level)
end

local function ab(commands, o)
  if reg.fs.exists "log" then reg.fs.remove "log" end
  return reg.ab(commands, test.merged({ measure = measure, metric = "ms: {number}", into = test.fresh ".db" }, o))
end

local function order() return (reg.fs.read "log":gsub("%s+", " "):gsub(" $", "")) end

test("each command is compared with the first, in rounds that turn round", function()
  local found = ab { program("a", 100), program("b", 50), program("c", 110) }
  test.equal(order():sub(1, 17), "a b c a b c c b a")
  test.equal({ found.verdict, found.regression, #found.comparisons }, { "decided", true, 2 })
  local b, c = found.comparisons[1], found.comparisons[2]
  test.equal({ b.first, b.second, b.verdict, c.first, c.second, c.verdict }, { 1, 2, "better", 1, 3, "worse" })
  test.near(b.effect, -0.5, 0.02)
  test.near(c.effect, 0.1, 0.02)
  test.truthy(c.low < 0.1 and 0.1 < c.high, c.low .. " to " .. c.high)
  test.equal({ found.effect, found.values }, {})
  test.equal(found.names, { "A", "B", "C" })
end)

test("runs is the number of runs, decided or not; min_runs and warmup add to it", function()
  ab({ "echo a >>log; echo ms: 1", "echo b >>log; echo ms: 9" }, { runs = 7, warmup = 2 })
  local _, a = reg.fs.read "log":gsub("a\n", "")
  test.equal({ a, order():sub(1, 7) }, { 9, "a a b b" })
  test.equal(ab({ "echo ms: 1", "echo ms: 9" }).pairs, 5)
  test.equal(ab({ "echo ms: 1", "echo ms: 9" }, { min_runs = 8, warmup = 0 }).pairs, 8)
  test.equal(ab({ "echo ms: 1", "echo ms: 9" }, { min_runs = 40 }).pairs, 40)
  test.equal(ab({ "echo ms: 1", "echo ms: 9" }, { runs = 2 }).verdict, "inconclusive")
end)

test("cleanup comes also after a failure, for what was set up", function()
  local said = {}
  local function say(word) return function(command) said[#said + 1] = word .. " " .. command end end
  local why = test.raises("", function()
    ab({ "echo ms: 1", "exit 1" }, { setup = say "setup", cleanup = say "cleanup" })
  end, "failed_trial")
  test.equal({ why.message, #said }, { "B failed: exit code 1", 4 })
  said = {}
  local function fails(command) if command == "echo ms: 2" then error("no", 0) end end
  test.raises("no", function() ab({ "echo ms: 1", "echo ms: 2" }, { setup = fails, cleanup = say "cleanup" }) end)
  test.equal(said, { "cleanup echo ms: 1" })
end)

test("what is wrong with the arguments", function()
  test.refuses("usage", reg.ab, { { "takes two commands or more, not 1", { "true" } }, { "takes two commands", "true" },
    { "takes two commands or more, each a string", { "true", 1 } }, { "'bugdet'", "a", "b", { bugdet = 3 } },
    { "'runs' must be an integer of at least 1", "a", "b", { runs = 0 } }, { "'budget' must be", "a", "b", { budget = 0 } },
    { "'warmup' must be an integer of at least 0", "a", "b", { warmup = -1 } },
    { "min_effect must be", "a", "b", { min_effect = -1 } },
    { 'better must be "higher" or "lower"', "a", "b", { better = "less" } },
    { "a prediction needs exactly two commands", { "a", "b", "c" },
      { predict = "ms lower", metric = "ms: {number}", measure = measure } } })
end)

return test.finish()
