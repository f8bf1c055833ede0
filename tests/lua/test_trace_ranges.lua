-- NVTX ranges of traced commands, and what CUDA graphs and NCCL have of them.
local test = require "harness"
local stand_in = require "traced"
local traced, traced_v2, names = stand_in.run, stand_in.run_v2, stand_in.names
local fakes = stand_in.fakes

local has_nvtx = #traced("kernel a 1000 2000\n", "init push probe pop play").trace.ranges > 0
local function with_nvtx(what, f) test(what, has_nvtx and f or function() test.skip "the tests were built without NVTX's headers" end) end

with_nvtx("ranges are told from those of another client, whatever that leaves pushed", function()
  local run = traced("correlate 3 1\ncorrelate 4 1\ncall 7\nkernel a 1000 2000 0 7\nstop\n"
    .. "correlate 3 2\ncorrelate 4 2\nstop\ncall 8\nkernel b 3000 7000 0 8\n",
    "init push step play push inner play pop play pop")
  local step = run.trace.ranges[1]
  test.equal({ step.name, step.kernels, #run.trace.ranges }, { "step", 2, 2 })
  test.near(step.self_s, 5000e-9, 1e-12)
end)

test("ranges of a program with NVTX 2, a library of its own; one with NVTX 1 has none and ends well", function()
  local words = "nvtx " .. fakes .. "/nvtx2.so init push step play pop"
  local run = traced("kernel a 1000 2000 0 7\ncall 7\n", words)
  test.equal({ run.trace.ranges[1].name, run.trace.ranges[1].kernels }, { "step", 1 })
  -- That one calls another entry point with another table.
  run = traced("kernel a 1000 2000 0 7\ncall 7\n", words, { env = { REGENGINE_CUPTI = fakes .. "/cupti.so",
    REGENGINE_FAKE_CUPTI = "records", FAKE_NVTX_1 = "1" } })
  test.equal({ run.code, run.trace.ok, #run.trace.kernels, #run.trace.ranges }, { 0, true, 1, 0 })
end)

with_nvtx("GPU time by NVTX range: whatever order the records come in, domains and nesting too", function()
  local run = traced("kernel first 1000 2000 0 7\ncall 7\nstop\ncall 8\nkernel second 3000 7000 0 8\n"
    .. "kernel of_the_same_call 7000 8000 0 8\nstop\ncall 9\nkernel outside 9000 9500 0 9\n",
    "push step init play domain inner play undomain pop play push step pop")
  local step, inner = run.trace.ranges[1], run.trace.ranges[2]
  test.equal({ step.name, step.count, step.kernels }, { "step", 2, 3 })
  test.equal({ inner.name, inner.count, inner.kernels }, { "step > part:inner", 1, 2 })
  test.near(step.total_s, 6000e-9, 1e-12)
  test.near(step.self_s, 1000e-9, 1e-12)
  test.near(inner.self_s, 5000e-9, 1e-12)
end)

local function by_range(of)
  local found = {}
  for _, range in ipairs(of.ranges) do
    found[range.name] = { range.count, range.kernels, math.floor(range.self_s * 1e6 + 0.5) }
  end
  return found
end

-- Kernels that a call each starts, one for each "play": { from, to } in ns.
local function launches(...)
  local records = {}
  for i, times in ipairs { ... } do
    records[i] = ("call %d\nkernel a %d %d 0 %d\n"):format(i, times[1], times[2], i)
  end
  return table.concat(records, "stop\n")
end

with_nvtx("ranges of nvtxRangeStart count what their thread starts until they end, in any order", function()
  local run = traced(launches({ 1000, 2000 }, { 3000, 5000 }, { 6000, 10000 }, { 11000, 19000 }),
    "init start one play push step start two play end 1 play pop play end 2")
  test.equal(by_range(run.trace), { one = { 1, 2, 1 }, ["one > step"] = { 1, 1, 0 }, ["one > step > two"] = { 1, 1, 2 },
    step = { 1, 1, 0 }, ["step > two"] = { 1, 1, 4 }, two = { 1, 1, 8 } })
  test.equal(run.trace.why, nil)
end)

with_nvtx("a range that ends on another thread ends, and what that leaves uncertain is said", function()
  local run = traced(launches({ 1000, 2000 }, { 3000, 5000 }),
    "init start request play end_elsewhere 1 push next play pop")
  test.equal({ by_range(run.trace), run.trace.ok }, { { request = { 1, 1, 1 }, next = { 1, 1, 2 } }, true })
  test.has(run.trace.why, "1 NVTX range ended on another thread than it began on")
end)

with_nvtx("CUDA graphs: their kernels count in the range that launches them; graphs do where kernels are not recorded", function()
  local words = "init push step play pop"
  local seen = traced_v2("call 7\nkernel a 1000 2000 0 7\nkernel b 2000 5000 0 7\ngraph 1000 5000 7\n", words).trace
  test.equal({ names(seen.kernels), by_range(seen) }, { { "b", "a" }, { step = { 1, 2, 4 } } })
  seen = traced_v2("graph_level 1\ncall 7\ngraph 1000 5000 7\n", words).trace
  test.equal({ names(seen.kernels), by_range(seen) }, { { "(CUDA graph)" }, { step = { 1, 1, 4 } } })
  test.near(seen.busy_s, 4e-6, 1e-12)
end)

with_nvtx("the part of a range that NCCL has", function()
  local seen = traced("call 7\nkernel a 1000 2000 0 7\nkernel _Z28ncclDevKernel_AllReduce_RINGi 2000 5000 0 7\nstop\n"
    .. "kernel ncclKernel_AllGather 6000 8000 0 8\ncall 8\n", "init push step play push reduce play pop pop").trace
  local step, reduce = seen.ranges[1], seen.ranges[2]
  test.equal({ step.name, reduce.name }, { "step", "step > reduce" })
  test.near(step.total_s, 6e-6, 1e-12)
  test.near(step.nccl_s, 5e-6, 1e-12)
  test.near(reduce.nccl_s, 2e-6, 1e-12)
  test.near(traced("call 7\nkernel a 1000 2000 0 7\n", "init push step play").trace.ranges[1].nccl_s, 0, 0)
end)

with_nvtx("ranges are left alone where nobody asks for them: CUPTI numbers no calls", function()
  local words = "init push step play pop"
  local seen = traced("kernel a 1000 2000 0 7\ncall 7\n", words, { ranges = false }).trace
  test.equal({ seen.ok, #seen.ranges, seen.processes[1].records }, { true, 0, 1 })
  test.equal(traced("kernel a 1000 2000 0 7\ncall 7\n", words, { ranges = true }).trace.ranges[1].kernels, 1)
  test.raises("'ranges' must be true or false", function() traced("", words, { ranges = "none" }) end, "usage")
end)

with_nvtx("more ranges than there is room for are said, and count for those around them", function()
  local words = { "init push step" }
  for i = 1, 5000 do words[i + 1] = ("push range_%d pop"):format(i) end
  words[#words + 1] = "push one_more play pop pop"
  local seen = traced("call 7\nkernel a 1000 2000 0 7\n", table.concat(words, " ")).trace
  test.equal({ seen.ok, seen.ranges[1].name, seen.ranges[1].kernels }, { true, "step", 1 })
  test.has(seen.why, "907 ranges have no name of their own")
end)

return test.finish()
