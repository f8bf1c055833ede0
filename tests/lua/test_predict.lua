-- What is said of predictions. tests/scripts/test_ab.sh and test_why.sh pass them on the command line.

local test = require "harness"

reg.needs { process = "sh", files = "." }

-- Of two commands whose step time differs by this much, and whose runs vary by `spread`; `o`: more options of reg.ab.
local function compared(predict, change, spread, o)
  test.seed(1)
  local options = test.merged({ into = test.fresh ".db", metric = "step time: {number} ms", budget = 12, predict = predict,
    measure = function(command) return (command == "a" and 100 or 100 * (1 + change)) * (1 + spread * test.noise()) end }, o)
  return reg.ab("a", "b", options).predictions[1]
end

test("the compared metric", function()
  test.equal(compared("step time -10 %", -0.12, 0.02), { line = "step time -10 %", verdict = "met",
    measured = "-12 % (95 % interval -15 to -8 %)" })
  for _, case in ipairs {
    { -0.055, 0.02, {}, { ["step time -10 %"] = "not met", ["step time -6 %"] = "met", ["metric lower"] = "met",
      ["step time same"] = "contradicted", ["step time +5%"] = "contradicted", ["step time more"] = "contradicted" } },
    { 0.001, 0.012, { min_effect = 0.01 }, { ["step time -10 %"] = "not met", ["step time same"] = "met",
      ["step time lower"] = "not met" } },
    { -0.01, 0.08, { min_effect = 0.001 }, { ["step time -10 %"] = "not met", ["step time -2 %"] = "not measured",
      ["step time same"] = "not measured", ["step time lower"] = "not measured" } },
  } do
    for line, wanted in pairs(case[4]) do
      local found = compared(line, case[1], case[2], case[3])
      test.equal(found.verdict, wanted, line .. " of " .. found.measured)
    end
  end
  test.equal(compared("step time same", 0.5, 0, { budget = 3 }).measured, "inconclusive: +50 %")
end)

test("what is not a prediction", function()
  for _, line in ipairs { "", "step time", "step time -10", "step time maybe", "-10 %", "step time -0 %",
    "step time -150 %", "step time -10 %,", "step time - %" } do
    test.raises("not a valid prediction: '", function() compared(line, 0, 0) end, "usage")
  end
  test.raises("two predictions for 'step time'", function() compared("step time same, metric -3 %", 0, 0) end, "usage")
  for _, given in ipairs { 7, {}, { 7 } } do
    test.raises("predict must be a string, or a list of strings", function() compared(given, 0, 0) end, "usage")
  end
  local why = test.raises("cannot measure 'kernel', which is predicted here", function()
    reg.why { commands = { "true", "false" }, predict = "kernel fewer" }
  end)
  test.has(why.hint, "Predict one of: CPU time, compile time, compiles")
end)

test("numbers that the levels collected", function()
  test.needs "python3"
  reg.process.run { shell = 'cp -R "$REGENGINE_TEST_DATA/jit/fake" . && chmod -R u+w fake' }
  -- Compiles one function more than it is told, which takes another time at each run of b.
  reg.fs.write("compiles.py", [[
import jax, logging, os, sys, time
name, count, wait = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
for i in range(count): jax.jit(lambda x: x)(i)
with open(name + ".runs", "a") as runs: runs.write("x")
seconds = 1 if name == "a" else os.path.getsize(name + ".runs") % 2 * 20 + 1
logging.getLogger("jax._src.dispatch").debug("Finished XLA compilation of jit(g) in %s sec", seconds)
time.sleep(wait)]])
  local function judged(predict)
    local list, python = {}, "PYTHONPATH=fake python3 -B compiles.py "
    local found = reg.why { commands = { python .. "a 11 0", python .. "b 8 .3" }, into = "why.db", budget = 6,
      predict = predict }
    for i, one in ipairs(found.predictions) do list[i] = one.line .. ": " .. one.verdict .. ": " .. one.measured end
    return list
  end
  test.equal(judged "compiles -25 %, compile time same, fusions same", { "compiles -25 %: met: 12 -> 9",
    "compile time same: not measured: inconclusive: 6.5 -> 15.0 s",
    "fusions same: not measured: the command does not import JAX, TensorFlow or PyTorch/XLA" })
  test.equal(judged { "compiles -40 %", "Traces more" }, { "compiles -40 %: not met: 12 -> 9",
    "Traces more: contradicted: 11 -> 8" })
end)

return test.finish()
