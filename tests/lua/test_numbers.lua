-- Numbers, differences and their units as people read them: what the report says of a change.

local test = require "harness"
local shown = require "shown"

local WALL = { metric = "wall time", unit = "s", direction = "lower" }
local MLUPS = { metric = "MLUPS", unit = "MLUPS", direction = "higher" }
local MEMORY = { metric = "peak memory", unit = "bytes", direction = "lower" }
local FLAKY = { metric = "v", flaky = true, unit = "s" }

-- What is said of a change from `before` to `after`, with the interval of the effect.
local function said(of, before, after, low, high)
  local change = { kind = "step", last_good = "a", first_bad = "b", before = before, after = after,
    effect_low = low, effect_high = high }
  local series = test.merged({ kind = "night", verdict = "changes", subjects = 2, runs = 4, seconds = 1, changes = { change },
    points = { { id = "a", value = before }, { id = "b", value = after } } }, of)
  return (shown(series)[2]:gsub("^%u+   ", ""))
end

-- Each with what was measured, before, after, and where it has one the interval.
local CASES = {
  ["from a factor of two on it is a factor, in the words of the metric"] = {
    ["wall time 1.00 -> 4.20 s   4.2x slower  (95 % interval 3.9 to 4.5x)"] = { WALL, 1, 4.2, 2.9, 3.5 },
    ["wall time 4 -> 1 s   4x faster"] = { WALL, 4, 1 },
    ["MLUPS 400 -> 100   4.0x slower  (95 % interval 3.8 to 4.2x)"] = { MLUPS, 400, 100, -0.76, -0.74 },
    ["value 100 -> 250 items/s   2.5x faster"] = { { metric = "value", unit = "items/s" }, 100, 250 },
    ["peak memory 100 -> 250 bytes   2.5x higher"] = { MEMORY, 100, 250 },
    ["score 250 -> 100   2.5x lower"] = { { metric = "score" }, 250, 100 },
    ["accuracy 250 -> 100   2.5x lower"] = { { metric = "accuracy", direction = "higher" }, 250, 100 },
    ["uptime s 1 -> 3   3x higher"] = { { metric = "uptime s", unit = "s", direction = "higher" }, 1, 3 },
    ["wall time 1 -> 1234 s   1234x slower"] = { WALL, 1, 1234.5 } },
  ["below that it is a percentage, never above 100 and never in exponents"] = {
    ["wall time 100 -> 114 s   +14.0 %  (95 % interval +13.1 to +14.9 %)"] = { WALL, 100, 114, 0.131, 0.149 },
    ["MLUPS 100 -> 88   -12 %"] = { MLUPS, 100, 88 },
    ["wall time 100 -> 199 s   +99 %"] = { WALL, 100, 199 },
    ["instructions 1000000000 -> 1000000003   +0.000000300 %"] = { { metric = "instructions" }, 1e9, 1e9 + 3 },
    ["failure rate 10 % -> 60 %   +50 points"] = { FLAKY, 0.1, 0.6 },
    -- no interval in percent reaches beyond a factor of two
    ["wall time 1.00 -> 1.50 s   +50 %  (95 % interval -10 % to 2.3x)"] = { WALL, 1, 1.5, -0.1, 1.3 },
    ["loss -5.02 -> -8.00   -59.4 %"] = { { metric = "loss" }, -5.02, -8 },  -- no factor below zero
    ["wall time 0 -> 1 s"] = { WALL, 0, 1 } },
  ["an interval has at most 4 digits, and is left out where they do not show it"] = {
    ["wall time 100 -> 80 s   -20.00 %  (95 % interval -20.01 to -20.00 %)"] = { WALL, 100, 80, -0.20006, -0.19997 },
    ["wall time 100 -> 70 s   -30 %"] = { WALL, 100, 70, -0.3000001, -0.2999999 } },
  ["numbers have the unit that suits their size"] = {
    ["wall time 35.9 -> 44.8 ms   +24.8 %"] = { WALL, 0.0359, 0.0448 },
    ["wall time 35.0 -> 40.0 us   +14.3 %"] = { WALL, 3.5e-5, 4e-5 },
    ["peak memory 117.7 -> 127.3 MiB   +8.1 %"] = { MEMORY, 123456789, 133456789 },
    ["peak memory 1048576 -> 1048580 bytes   +0.000381 %"] = { MEMORY, 1048576, 1048580 },  -- it would not show in MiB
    ["p50_ms 5 -> 7   +40 %"] = { { metric = "p50_ms", unit = "ms" }, 5, 7 },
    ["failure rate 3.0 % -> 50 %   +47 points"] = { FLAKY, 0.03, 0.5 } },
}

for name, cases in pairs(CASES) do
  test(name, function()
    for wanted, case in pairs(cases) do test.equal(said(table.unpack(case, 1, 5)), wanted) end
  end)
end

return test.finish()
