local test = require "harness"
local metric = reg.metric

-- A failed trial, which a sweep records, not an error of the script.
local function fails(text, f, status)
  test.equal(test.raises(text, f, "failed_trial").status, status or "test_failed")
end
local function diverges(text, f) fails(text, f, "not_finite") end

test("a number is found behind its words, however it is written", function()
  for written, number in pairs { ["587.9"] = 587.9, ["-3"] = -3, ["+4"] = 4, ["1e3"] = 1000, ["1.5e-3"] = 0.0015, [".5"] = 0.5,
    ["3.5ms"] = 3.5, ["12s"] = 12, ["2E+2"] = 200 } do
    test.equal(metric.find("x\nMLUPS: " .. written .. "\ny", "MLUPS: {number}"), number + 0.0, written)
  end
end)

test("what is measured of a command needs no pattern", function()
  local run = { stdout = "", stderr = "", wall_s = 2.5, user_s = 1.5, sys_s = 0.25, peak_bytes = 4096 }
  local function of(name) return metric.of(run, { metric = name }) end
  test.equal({ of "@wall", of "@cpu", of "@peak_memory" }, { 2.5, 1.75, 4096 })
  for _, name in ipairs { "@cpu", "@peak_memory" } do
    test.refuses("usage", metric.of, { { name .. " is only measured of a command that trial:test runs",
      { stdout = "", wall_s = 2.5 }, { metric = name } } })
    test.refuses("failed_trial", metric.of, {
      { "was not measured: regengine-usage, which measures it in the container, wrote no result",
        { stdout = "", user_s = false, sys_s = false, peak_bytes = false }, { metric = name } } })
  end
  test.raises("@gpu_time is only measured of a command that trial:test runs", function() of "@gpu_time" end, "usage")
  local traced = { ok = true, busy_s = 0.6, kernels = { { name = "gemm", total_s = 0.25 }, { name = "add", total_s = 0.5 },
    { name = "ncclDevKernel_AllReduce_Sum_f32_RING_LL", total_s = 4 } } }
  test.equal(metric.of({ stdout = "", trace = traced }, { metric = "@gpu_time" }), 0.75)
  test.equal(metric.of({ stdout = "", trace = traced }, { metric = "@gpu_busy" }), 0.6)
  test.equal(metric.of({ stdout = "", instructions = 12 }, { metric = "@instructions" }), 12)
  local untraced = { stdout = "", trace = { ok = false, why = "no kernels" } }
  test.refuses("failed_trial", metric.of, {
    { "the GPU time was not measured: no kernels", untraced, { metric = "@gpu_time" } },
    { "other programs used the processor's counters", { stdout = "", instructions = false }, { metric = "@instructions" } },
    { "no process of the test was seen", { stdout = "", gpu_memory = false }, { metric = "@gpu_memory" } } })
  local here = reg.process.run { shell = "sleep 0.05" }
  test.truthy(metric.of(here, { metric = "@wall" }) >= 0.05, here.wall_s)
end)

test("punctuation around {number} means itself, blanks and tabs are a blank, colors do not count", function()
  for _, case in ipairs { { "[speed] (GB/s) = 12.5%", "[speed] (GB/s) = {number}%", 12.5 },
    { "took 12 ms, 13 ms", "took %d+ ms, (%d+) ms", 13.0 },  -- without {number} it is a Lua pattern
    { "MLUPS:   7", "MLUPS: {number}", 7.0 }, { "step\ttime\t \t7 ms", "step time {number}  ms", 7.0 },
    { "\27[1mMLUPS:\27[0m \27[38;5;208m7.5\27[m", "MLUPS: {number}", 7.5 } } do
    test.equal(metric.find(case[1], case[2]), case[3])
  end
  test.equal(metric.all("a \27[32m1\27[0m\na \27[32m2\27[0m", "a (%d)"), { 1.0, 2.0 })
  test.equal(metric.of({ stdout = "\27[32mMLUPS\27[0m: 8\27[K\n" }, { metric = "MLUPS: {number}" }), 8.0)
end)

test("the first number counts, and all() has every one in order", function()
  local text = "step 12ms\nstep 13.5ms\nstep 11ms\n"
  test.equal(metric.find(text, "step {number}ms"), 12.0)
  test.equal(metric.all(text, "step {number}ms"), { 12.0, 13.5, 11.0 })
end)

test("no number is a failed trial that says what was looked for, and whether blanks or case miss it", function()
  for text, says in pairs { ["nothing\nhere"] = "no match for 'MLUPS: {number}': nothing\nhere",
    ["MLUPS: fast"] = "gives 'fast', which is not a number", ["MLUPS:\n7"] = "no match",
    ["x\n  MLUPS:7 fast\ny"] = "no match for 'MLUPS: {number}', but 'MLUPS:7 fast' differs only in blanks: x",
    ["mlups:  7"] = "', but 'mlups:  7' differs only in upper and lower case",
    ["Mlups:7"] = "', but 'Mlups:7' differs only in blanks and in upper and lower case",
    ["MLUPS:fast"] = "no match for 'MLUPS: {number}': MLUPS:fast" } do
    fails(says, function() metric.find(text, "MLUPS: {number}") end)
  end
  fails("no match", function() metric.all("", "MLUPS: {number}") end)
  fails("(check --metric): MLUPS 7", function() metric.of({ stdout = "MLUPS 7" }, { metric = "mlups (%d)" }) end)
  fails(", but 'MLUPS 7' differs only in upper and lower case (check --metric)",
    function() metric.of({ stdout = "MLUPS 7" }, { metric = "mlups {number}" }) end)
end)

test("NaN and infinity are a failure of their own kind", function()
  for written, word in pairs { nan = "NaN", ["-nan"] = "NaN", NaN = "NaN", inf = "infinite", ["-inf"] = "infinite",
    Infinity = "infinite", ["1e999"] = "infinite" } do
    diverges("the loss became " .. word .. ": step 7 loss: " .. written,
      function() metric.find("step 7 loss: " .. written, "loss: {number}") end)
  end
  diverges("the metric became NaN", function() metric.all("1 nan", "(%w+)") end)
  local run = { stdout = "loss: 3\nloss: nan\n", stderr = "" }
  test.equal(metric.of(run, { metric = "loss: {number}", take = "first" }), 3.0)
  diverges("the loss became NaN: loss: nan", function() metric.of(run, { metric = "loss: {number}", take = "last" }) end)
end)

test("groups of three digits are one number; other commas are refused, and one behind a number is none of it", function()
  for written, number in pairs { ["1,234.5"] = 1234.5, ["1,234"] = 1234, ["-1,234,567.8"] = -1234567.8, ["1_234"] = 1234,
    ["12_345_678ns"] = 12345678, ["123,456ms"] = 123456, ["1,234,"] = 1234, ["1,234."] = 1234, ["1,234e2"] = 123400,
    ["12_ms"] = 12 } do
    test.equal(metric.find("MLUPS: " .. written, "MLUPS: {number}"), number + 0.0, written)
  end
  test.equal(metric.find("total 1,234 ops", "total ([%d,]+)"), 1234.0)
  test.equal(metric.all("step_12_ms step_1_250_ms", "step_{number}_ms"), { 12.0, 1250.0 })
  for _, written in ipairs { "1,5", "1,2,3", "12,34", "1234,567", "0,123", "1,234,5", "1,2345", "1,234.5,6", "1_5", "1,234_567" } do
    fails("not a number", function() metric.find("MLUPS: " .. written, "MLUPS: {number}") end)
  end
  test.equal(metric.find("MLUPS: 587.9, loss: 2", "MLUPS: {number}"), 587.9)
  test.equal(metric.find("it took 12.", "took {number}"), 12.0)
end)

test("an invalid pattern is the script's error, even where matching never reaches the fault", function()
  test.refuses("usage", metric.find, { { "the pattern 'MLUPS' captures no number", "MLUPS: 3", "MLUPS" },
    { "must be a string", "text", 5 }, { "must be a string", "text", "" } })
  for _, pattern in ipairs { "[", "MLUPS: (", "MLUPS: (%d+", "MLUPS: %d+)", "MLUPS: ([%d.+)", "MLUPS: (%d+)%", "(%f%d)",
    "(%b()", "%1 (%d+)", "[]" } do
    test.raises("not a valid pattern: '" .. pattern .. "'", function() metric.find("text", pattern) end, "usage")
  end
  for pattern, text in pairs { ["x[]%)]+(%d+)"] = "x)]7", ["%((%d+)%)"] = "(7)", ["%f[%w](%d+)"] = "a 7",
    ["%b()(%d+)"] = "(a)7", ["[^](%d+)]+(%d+)"] = "abc7", ["(%d)=%1"] = "7=7" } do
    test.equal(metric.find(text, pattern), 7.0, pattern)
  end
end)

-- The result of a command that printed this.
local function printed(stdout, stderr)
  return { stdout = stdout, stderr = stderr or "", stdout_bytes = #stdout, stderr_bytes = #(stderr or "") }
end

test("of() takes the one number, from stdout or stderr", function()
  local opt = { metric = "MLUPS: {number}" }
  test.equal(metric.of(printed("MLUPS: 5\n", "warning\n"), opt), 5.0)
  test.equal(metric.of(printed("done\n", "MLUPS: 6\n"), opt), 6.0)
  test.equal(metric.of(printed("it took 12 ms"), { metric = "took (%d+) ms" }), 12.0)
  test.equal(metric.of(printed("7 ms, 8 ms"), { metric = "^(%d+) ms" }), 7.0)
  fails("no match for 'MLUPS: {number}' (check --metric): done\nwarning", function() metric.of(printed("done\n", "warning\n"), opt) end)
  fails("'MLUPS: {number}' gives 'fast', which is not a number: MLUPS: fast",
    function() metric.of(printed("x\nMLUPS: fast\n"), opt) end)
end)

test("of() takes one of several numbers as --take says, after the first --drop", function()
  local run = printed("step 9 s\nstep 4 s\nstep 2 s\n", "step 3 s\n")
  local function taken(take, drop) return metric.of(run, { metric = "step {number} s", take = take, drop = drop }) end
  test.equal({ taken "first", taken "last", taken "median", taken "min" }, { 9.0, 3.0, 3.5, 2.0 })
  test.equal({ taken("first", 1), taken("last", 1), taken("median", 1), taken("min", 3) }, { 4.0, 3.0, 3.0, 3.0 })
  test.equal(taken(nil, 3), 3.0)
  fails("matches 4 times, and drop = 4 leaves none:\n  step 9 s", function() taken("first", 4) end)
  test.raises("not a valid 'take': 'mean'", function() taken "mean" end, "usage")
end)

test("of() reads long logs, and progress bars that never end a line", function()
  local steps = {}
  for i = 1, 20000 do steps[i] = ("step %d loss 0.123 step time: %d ms tokens/s 12345"):format(i, 12 + i % 3) end
  local log = { stdout = table.concat(steps, "\n"), stderr = "" }
  test.equal(reg.metric.of(log, { metric = "step time: {number} ms", take = "median" }), 13.0)
  local bar = ("\r100/12000 [====>    ] loss 0.123 eta 00:12"):rep(20000)
  test.equal(reg.metric.of({ stdout = bar .. "\nspeed: 7\n", stderr = bar }, { metric = "speed: {number}" }), 7.0)
  local why = test.raises("2 matches", function()
    reg.metric.of({ stdout = bar .. "\nspeed: 7\n" .. bar .. "speed: 8", stderr = "" }, { metric = "speed: {number}" })
  end)
  test.equal(tostring(why):match ":\n(.*)", "  speed: 7\n  100/12000 [====>    ] loss 0.123 eta 00:12speed: 8")
end)

test("of a line that never ends, a message has the beginning and the end", function()
  local said = reg.skip("no number", ("B"):rep(300000) .. "end").message
  test.truthy(#said < 500 and said:find "^no number: B+ %.%.%. B+end$", said:sub(1, 100))
end)

test("several numbers without --take are a failed trial that shows three lines", function()
  local run = printed "compile step 9 s\nstep 4 s\nstep 2 s, end\nstep 1 s\n"
  local shown = "the output has 4 matches for 'step {number} s':\n  compile step 9 s\n  step 4 s\n  step 2 s, end"
  local why = test.raises(shown, function() metric.of(run, { metric = "step {number} s" }) end, "failed_trial")
  test.equal({ why.info.needs_take, why.message:find("step 1", 1, true) }, { true })
  fails("2 matches", function() metric.of(printed("a 1", "a 1"), { metric = "a {number}" }) end)
end)

test("a number is not taken from output that was not kept as a whole, unless it is the right one for sure", function()
  local shell = "echo step 1; yes warning | head -n 2000; echo step 2; yes warning | head -n 2000; echo step 3"
  local run = reg.process.run { shell = shell, keep_bytes = 400 }
  test.has(run.stdout, "bytes omitted")
  local function taken(take, drop, pattern)
    return metric.of(run, { metric = pattern or "step {number}", take = take, drop = drop })
  end
  test.equal({ taken "first", taken "last" }, { 1.0, 3.0 })
  for _, take in ipairs { "median", "min", false } do
    fails("may have matches in the part that was omitted", function() taken(take or nil) end)
  end
  fails("may have matches in the part that was omitted", function() taken("first", 1) end)
  -- A line that was cut is not read: its number may be cut, too.
  local cut = reg.process.run { shell = "printf 'x 123456789 yyyyyyyyy x 987654321\\n'", keep_bytes = 20 }
  fails("no match", function() metric.of(cut, { metric = "x {number}", take = "first" }) end)
end)

test("in a dry run, where nothing is printed, it is a number", function()
  test.equal(metric.of({ dry = true, stdout = "", stderr = "" }, { metric = "MLUPS: {number}" }), 1.0)
end)

test("a metric's short name is the words its pattern begins with", function()
  for pattern, name in pairs { ["MLUPS: {number}"] = "MLUPS", ["p50.ms"] = "p50.ms", ["%d+ (%d+)"] = "value",
    ["Mitems/s: {number}"] = "Mitems/s", ["step time = {number} ms"] = "step time", ["{number} ms"] = "value",
    ["@peak_memory"] = "peak memory" } do test.equal(metric.name(pattern), name) end
end)

-- --- Which values are better, and the unit, from what the user writes for a metric; and which numbers are exact.
local store = reg.store.open "direction.db"

-- A sweep of one subject, whose series says what became of the metric; of two where it is to tell exact numbers.
local function sweep(name, subjects)
  return reg.sweep(subjects or { "a" }, { into = store, metric = name, measure = function() return 4 end })
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
    for _, name in ipairs(metrics) do test.equal({ name, sweep(name).direction or false }, { name, wanted }) end
  end
end)

test("the unit stands behind the number, or at the end of the name", function()
  for name, unit in pairs { ["step time: {number} ms"] = "ms", ["{number} GB/s"] = "GB/s", ["MLUPS: {number}"] = "MLUPS",
    ["p50_ms"] = "ms", ["Mitems/s"] = "Mitems/s", ["step {number} of 10"] = false, ["speed: {number}"] = false,
    ["time: {number}s, total"] = "s", ["took (%d+) us"] = "us", ["load: {number} %"] = "%", ["value"] = false } do
    test.equal({ name, sweep(name).unit or false }, { name, unit })
  end
end)

test("bytes, counts and instructions are counted; times and rates are not", function()
  for wanted, metrics in pairs {
    [true] = { "size: {number} bytes", "instructions", "allocs: {number}", "binary size {number}", "{number} KiB" },
    [false] = { "MLUPS: {number}", "{number} GB/s", "took {number} s", "count time {number} ms", "value", "bandwidth" } } do
    for _, name in ipairs(metrics) do test.equal({ name, sweep(name, { "a", "b" }).exact }, { name, wanted }) end
  end
end)

return test.finish()
