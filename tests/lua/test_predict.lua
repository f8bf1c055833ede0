-- Predictions: what their lines mean, and what is said of each. tests/scripts/test_ab.sh and test_why.sh run them.

local test = require "harness"
local predictions = reg.private "lib/predictions"

local answer = predictions.judge

local function parsed(given) return predictions.parse("why", given, "step time", true) end

test("the lines of a prediction", function()
  local list = parsed "step time -10 %, kernels fewer , compile time same, CPU time +5%"
  local said = {}
  for i, one in ipairs(list) do said[i] = { one.line, one.name, one.direction, one.size or 0 } end
  test.equal(said, { { "step time -10 %", "step time", "lower", 0.1 }, { "kernels fewer", "kernels", "lower", 0 },
    { "compile time same", "compile time", "same", 0 }, { "CPU time +5%", "CPU time", "higher", 0.05 } })
  test.equal(parsed({ "metric more" })[1].name, "step time")
  test.equal(parsed("Memory less")[1].name, "memory")
  test.equal(predictions.parse("why", "loss same", nil, true)[1].name, "loss")
  test.equal(parsed(nil), nil)
end)

test("what is not a prediction", function()
  for _, line in ipairs { "", "step time", "step time -10", "step time maybe", "-10 %", "step time -0 %",
    "step time -150 %", "step time -10 %,", "step time - %" } do
    test.raises("not a valid prediction: '", function() parsed(line) end, "usage")
  end
  local why = test.raises("cannot measure 'kernel', which is predicted here", function() parsed "kernel fewer" end)
  test.truthy(why.hint:find("Predict one of: step time, CPU time, compile time", 1, true), why.hint)
  test.raises("two predictions for 'step time'", function() parsed "step time same, metric -3 %" end, "usage")
  for _, given in ipairs { 7, {}, { 7 } } do
    test.raises("predict must be a string, or a list of strings", function() parsed(given) end, "usage")
  end
end)

-- What is said of one line, of a metric that reg.ab measured.
local function said(line, found)
  found.metric = "step time"
  local one = answer(parsed(line), found)[1]
  return one.verdict, one.measured
end

local function measured(effect, low, high, verdict)
  return { effect = effect, low = low, high = high, verdict = verdict or (effect < 0 and "better" or "worse") }
end

test("the compared metric", function()
  test.equal({ said("step time -10 %", measured(-0.12, -0.13, -0.11)) },
    { "met", "-12 % (95 % interval -13 to -11 %)" })
  for line, wanted in pairs { ["step time -10 %"] = "not met", ["step time -6 %"] = "met", ["metric lower"] = "met",
    ["step time same"] = "contradicted", ["step time +5 %"] = "contradicted", ["step time more"] = "contradicted" } do
    test.equal(said(line, measured(-0.055, -0.065, -0.045)), wanted, line)
  end
  for line, wanted in pairs { ["step time -10 %"] = "not met", ["step time same"] = "met",
    ["step time lower"] = "not met" } do
    test.equal(said(line, measured(0.001, -0.004, 0.006, "no_difference")), wanted, line)
  end
  for line, wanted in pairs { ["step time -10 %"] = "not met", ["step time -2 %"] = "not measured",
    ["step time same"] = "not measured", ["step time lower"] = "not measured" } do
    test.equal(said(line, measured(-0.01, -0.04, 0.02, "inconclusive")), wanted, line)
  end
  test.equal(select(2, said("step time same", { effect = 0.5, verdict = "inconclusive" })), "inconclusive: +50 %")
end)

-- What was collected of two runs an end: kernels, compilations, and page faults that vary.
local function collected()
  local function run(launches, seconds, faults)
    return { kernels = { { count = launches, total_s = 1 }, { count = 2, total_s = 1 } },
      compiled = { { count = 1, compile_s = seconds } }, minor_faults = faults, span_s = 3, busy_s = 2 }
  end
  local a, b = { run(10, 2.0, 100), run(10, 2.1, 200) }, { run(7, 2.02, 150), run(7, 1.98, 160) }
  return { seen = { kernels = { a, b } }, { name = "host", why = "nothing ran" } }
end

test("numbers that the levels collected", function()
  local lines = { "kernels fewer", "kernels -25 %", "kernels -40 %", "kernels more", "compile time same",
    "page faults same", "page faults less", "idle time same" }
  local wanted = { "met: 12 -> 9", "met: 12 -> 9", "not met: 12 -> 9", "contradicted: 12 -> 9", "met: 2.050 -> 2.000 s",
    "met: 150 -> 155", "not met: 150 -> 155", "met: 1 -> 1 s" }
  for i, line in ipairs(lines) do
    local one = answer(parsed(line), { metric = "step time" }, collected())[1]
    test.equal(one.verdict .. ": " .. one.measured, wanted[i], line)
  end
end)

test("numbers that vary too much to tell whether they are the same are not measured", function()
  local from = collected()
  from.seen.kernels[1][1].minor_faults, from.seen.kernels[1][2].minor_faults = 100, 100
  from.seen.kernels[2][1].minor_faults, from.seen.kernels[2][2].minor_faults = 120, 300
  for line, wanted in pairs { ["page faults same"] = "not measured", ["page faults less"] = "not measured" } do
    local one = answer(parsed(line), { metric = "step time" }, from)[1]
    test.equal({ one.verdict, one.measured }, { wanted, "inconclusive: 100 -> 210" })
  end
end)

test("what was not collected is not measured, and the level says why", function()
  local function of(line, from) return answer(parsed(line), { metric = "step time" }, from)[1] end
  test.equal(of("memory same", collected()), { line = "memory same", verdict = "not measured",
    measured = "nothing ran" })
  test.equal(of("fusions same", collected()).measured, "it was not collected")
  test.equal(of("fusions same").measured, "nothing was collected")
  test.equal(#answer(nil, { metric = "step time" }), 0)
end)

return test.finish()
