-- Which values of a metric are better, and its unit, from what the user writes for it.

local test = require "harness"

local direction = reg.private "lib/direction"

local HIGHER = { "MLUPS: {number}", "GFLOPS", "TFLOP/s", "{number} items/s", "Mitems/s", "tokens/s: {number}",
  "tokens per second: {number}", "tokens_per_second", "samples/sec/GPU", "it/s = {number}", "throughput: {number}",
  "bandwidth: {number} GB/s", "memory bandwidth: {number}", "MLUPS: (%d+%.%d+)", "speed: {number}", "fps", "KIOPS/s",
  "requests / s", "%[(%d+)%] images/sec" }
local LOWER = { "step time: {number} ms", "total_time", "p50_ms", "latency p99: {number}", "wall_s", "{number} s",
  "{number} us", "{number} ns/op", "ms/step: {number}", "seconds per iteration", "s/it", "peak memory: {number} MB",
  "bytes", "instructions: {number}", "elapsed (%d+)", "{number} B/op allocs/op", "time to first token: {number}",
  "image size: {number} MiB", "seconds", "runtime: ([%d.]+)", "kernel_s:gemm",
  "@wall", "@cpu", "@peak_memory" }
local UNKNOWN = { "value", "v", "level", "loss: {number}", "{number}", "score: (%d+)", "latency at full throughput",
  "instructions/cycle", "errors/s", "{number} cycles/s/ms per s/it", "user's choice", "(.*)" }

test("names and units that leave no doubt say which values are better", function()
  for _, metric in ipairs(HIGHER) do test.equal({ metric, direction.of(metric) }, { metric, "higher" }) end
  for _, metric in ipairs(LOWER) do test.equal({ metric, direction.of(metric) }, { metric, "lower" }) end
  for _, metric in ipairs(UNKNOWN) do test.equal({ metric, direction.of(metric) }, { metric }) end
end)

test("the unit stands behind the number, or at the end of the name", function()
  local units = { ["step time: {number} ms"] = "ms", ["{number} GB/s"] = "GB/s", ["MLUPS: {number}"] = "MLUPS",
    ["p50_ms"] = "ms", ["Mitems/s"] = "Mitems/s", ["step {number} of 10"] = false, ["speed: {number}"] = false,
    ["time: {number}s, total"] = "s", ["took (%d+) us"] = "us", ["load: {number} %"] = "%", ["value"] = false }
  for metric, unit in pairs(units) do test.equal({ metric, direction.unit(metric) or false }, { metric, unit }) end
end)

test("what is given overrides the name", function()
  test.equal(direction.given("lower", "MLUPS", "sweep"), "lower")
  test.equal(direction.given(nil, "MLUPS", "sweep"), "higher")
  test.equal(direction.given(nil, "value", "sweep"), nil)
  test.raises('sweep: better must be "higher" or "lower"', function() direction.given("more", "MLUPS", "sweep") end,
    "usage")
end)

return test.finish()
