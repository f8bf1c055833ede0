-- Which values of a metric are better, and its unit, from what the user writes for it; and which are exact.

local test = require "harness"

local store = reg.store.open "direction.db"

-- A sweep of one subject, whose series says what became of the metric; of two where it is to tell exact numbers.
local function sweep(metric, o)
  return reg.sweep(o and o.subjects or { "a" }, { into = store, metric = metric, better = o and o.better,
    measure = function() return 4 end })
end

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
  for wanted, metrics in pairs { higher = HIGHER, lower = LOWER, [false] = UNKNOWN } do
    for _, metric in ipairs(metrics) do test.equal({ metric, sweep(metric).direction or false }, { metric, wanted }) end
  end
end)

test("the unit stands behind the number, or at the end of the name", function()
  local units = { ["step time: {number} ms"] = "ms", ["{number} GB/s"] = "GB/s", ["MLUPS: {number}"] = "MLUPS",
    ["p50_ms"] = "ms", ["Mitems/s"] = "Mitems/s", ["step {number} of 10"] = false, ["speed: {number}"] = false,
    ["time: {number}s, total"] = "s", ["took (%d+) us"] = "us", ["load: {number} %"] = "%", ["value"] = false }
  for metric, unit in pairs(units) do test.equal({ metric, sweep(metric).unit or false }, { metric, unit }) end
end)

test("what is given overrides the name", function()
  test.equal(sweep("MLUPS", { better = "lower" }).direction, "lower")
  test.raises('sweep: better must be "higher" or "lower"', function() sweep("MLUPS", { better = "more" }) end, "usage")
end)

test("bytes, counts and instructions are counted; times and rates are not", function()
  for wanted, metrics in pairs {
    [true] = { "size: {number} bytes", "instructions", "allocs: {number}", "binary size {number}", "{number} KiB" },
    [false] = { "MLUPS: {number}", "{number} GB/s", "took {number} s", "count time {number} ms", "value", "bandwidth" } } do
    for _, metric in ipairs(metrics) do
      test.equal({ metric, sweep(metric, { subjects = { "a", "b" } }).exact }, { metric, wanted })
    end
  end
end)

return test.finish()
