-- Numbers, differences and their units as people read them.

local test = require "harness"

local numbers = reg.private "lib/report/numbers"

local WALL = { metric = "wall time", unit = "s", direction = "lower" }
local MLUPS = { metric = "MLUPS", unit = "MLUPS", direction = "higher" }
local MEMORY = { metric = "peak memory", unit = "bytes", direction = "lower" }

local function effect(before, after, of, low, high)
  return { numbers.effect({ before = before, after = after, effect = after / before - 1, effect_low = low,
    effect_high = high }, of) }
end

test("from a factor of two on it is a factor, in the words of the metric", function()
  test.equal(effect(1, 4.2, WALL, 2.9, 3.5), { "4.2x slower", "3.9 to 4.5x" })
  test.equal(effect(4, 1, WALL), { "4x faster" })
  test.equal(effect(400, 100, MLUPS, -0.76, -0.74), { "4.0x slower", "3.8 to 4.2x" })
  test.equal(effect(100, 250, { metric = "value", unit = "items/s" }), { "2.5x faster" })
  test.equal(effect(100, 250, MEMORY), { "2.5x higher" })
  test.equal(effect(250, 100, { metric = "score" }), { "2.5x lower" })
  test.equal(effect(250, 100, { metric = "accuracy", direction = "higher" }), { "2.5x lower" })
  test.equal(effect(1, 3, { metric = "uptime s", unit = "s", direction = "higher" }), { "3x higher" })
  test.equal(effect(1, 1234.5, WALL), { "1234x slower" })
end)

test("below that it is a percentage, never above 100 and never in exponents", function()
  test.equal(effect(100, 114, WALL, 0.131, 0.149), { "+14.0 %", "+13.1 to +14.9 %", "14.0 %" })
  test.equal(effect(100, 88, MLUPS), { "-12 %", nil, "12 %" })
  test.equal(effect(100, 199, WALL)[1], "+99 %")
  test.equal(effect(1e9, 1e9 + 3, { metric = "instructions" })[1], "+0.000000300 %")
  test.equal({ numbers.effect({ before = 0.1, after = 0.6 }, { flaky = true }) }, { "+50 points", nil, "50 points" })
  test.equal({ numbers.effect({ before = 1, after = 1.5, effect = 0.5, effect_low = -0.1, effect_high = 1.3 }, WALL) },
    { "+50 %", "-10 % to 2.3x", "50 %" }, "no interval in percent reaches beyond a factor of two")
  test.equal(numbers.effect({ effect = 0.58 }, WALL), "+58 %", "where the levels are not known")
  test.equal(numbers.effect({ before = 0, after = 1 }, WALL), nil)
end)

test("an interval has at most 4 digits, and is left out where they do not show it", function()
  test.equal(effect(100, 80, WALL, -0.20006, -0.19997), { "-20.00 %", "-20.01 to -20.00 %", "20.00 %" })
  test.equal(effect(100, 70, WALL, -0.3000001, -0.2999999), { "-30 %", nil, "30 %" })
end)

test("bounds are rounded up", function()
  local function percent(x) return (numbers.percent(x)) end
  test.equal({ percent(0.0136), percent(0.1), percent(0.76), percent(2.3), percent(-0.6) },
    { "1.4 %", "10 %", "76 %", "3.3x", "2.5x" })
end)

test("a difference without its sign, for a sentence that says which way", function()
  test.equal({ numbers.difference(-0.031, -0.033, -0.029) }, { "3.1 %", "2.9 to 3.3 %" })
  test.equal({ numbers.difference(1.4, 1.3, 1.5) }, { "2.4x", "2.3 to 2.5x" })
  test.equal({ numbers.difference(0.25, 0.25, 0.25) }, { "25 %" })
end)

test("numbers have the unit that suits their size", function()
  test.equal({ numbers.plain(0.0359, WALL), numbers.plain(2, WALL), numbers.plain(3.5e-5, WALL) },
    { "35.9 ms", "2 s", "35 us" })
  test.equal({ numbers.plain(123456789, MEMORY), numbers.plain(588.9, MLUPS), numbers.plain(12, { unit = "ms" }) },
    { "117.7 MiB", "588.9", "12 ms" })
  test.equal({ numbers.named(0.0359, WALL), numbers.named(7, { metric = "value" }) }, { "wall time 35.9 ms", "7" })
  test.equal({ numbers.pair({ before = 0.0359, after = 0.0448 }, WALL) }, { "35.9", "44.8 ms" })
  test.equal({ numbers.pair({ before = 1048576, after = 1048580 }, MEMORY) }, { "1048576", "1048580 bytes" },
    "a difference that would not show in MiB")
  test.equal({ numbers.pair({ before = 5, after = 7 }, { metric = "p50_ms", unit = "ms" }) }, { "5", "7" })
  test.equal(numbers.effect({ before = -5.02, after = -8 }, { metric = "loss" }), "-59.4 %", "no factor below zero")
  test.equal({ numbers.pair({ before = 0.03, after = 0.5 }, { flaky = true, unit = "s" }) }, { "3.0 %", "50 %" })
end)

return test.finish()
