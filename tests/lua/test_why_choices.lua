-- What moves with the choices of XLA's autotuner: lib/why/choices, and how it is told beside other shares.
-- tests/scripts/test_why_xla.sh has whole runs.

local test = require "harness"
local choices = reg.private "lib/why/choices"
local command = reg.private "lib/why/command"
local verdict = reg.private "lib/why/verdict"
local words = reg.private "lib/report/why"

local CHOSE <const> = "gemm 1 chose cuBLAS algorithm 7, before Triton block 64x64x32"

-- An end whose Python is a stand-in that knows flags of XLA that have `known` in them.
local function one_of(name, line, known)
  reg.fs.write("python3", "#!/bin/sh\ncase $XLA_FLAGS in *" .. known .. "*) echo jaxlib 1.0;; *) echo Unknown flag >&2;"
    .. " exit 1;; esac\n")
  reg.process.run { shell = "chmod +x python3" }
  return { name = name, call = { shell = line, env = { HOME = "/" } }, parts = command.parse(line) }
end

local function level_of(findings) return { name = "autotune", findings = findings } end

local function both_of(known)
  return { one_of("A", "X=1 XLA_FLAGS=--mine ./python3 train.py", known),
    one_of("B", "X=2 ./python3 train.py", known) }
end

local SEEN <const> = { { { folder = "tuned a" } }, { { folder = "tuned-b" } } }

-- Two choices; one operation is not tuned at one end.
local function findings()
  return { { what = CHOSE, before = "Triton block 64x64x32", after = "cuBLAS algorithm 7" },
    { what = "gemm 2 is not tuned, before x", before = "x" } }
end

test("each end loads what either chose, with the flags and variables that it has", function()
  local lines, rounds_of = {}, nil
  local effect, why = choices.effect(level_of(findings()), SEEN, both_of "load", { a = 1, b = 2 },
    function(cells, rounds, name)
      rounds_of = { rounds, name }
      for i, one in ipairs(cells) do lines[i] = one.name .. ": " .. one.call.env.X .. " " .. one.call.shell end
      test.equal({ cells[2].call.env.XLA_FLAGS, cells[3].call.env.XLA_FLAGS }, { "--mine", nil })
      return { { 1, 1, 1 }, { 1.9, 1.9, 1.9 }, { 1.1, 1.1, 1.1 }, { 2, 2, 2 } }
    end)
  test.equal({ why, rounds_of }, { nil, { 3, "the autotuning choices" } })
  test.near(effect.share, 0.9, 1e-9)
  test.equal(effect.pairs, 6)
  test.truthy(effect.confidence > 0.999 and effect.low > 0.89 and effect.high < 0.91, effect.low)
  test.equal(#lines, 4)
  for i, said in ipairs { "A of A: 1", "A of B: 1", "B of A: 2", "B of B: 2" } do
    test.equal(lines[i]:gsub(" with the autotuning choices", ""):sub(1, 9), said)
    test.truthy(lines[i]:find("--xla_gpu_load_autotune_results_from=$0", 1, true), lines[i])
    test.truthy(lines[i]:find(i % 2 == 1 and "tuned a/results.txt" or "tuned-b/results.txt", 1, true), lines[i])
  end
end)

test("tuning takes time that no cell spends: it does not move with the choices", function()
  local function effect(a, b)
    return choices.effect(level_of(findings()), SEEN, both_of "load", { a = 1, b = 2 }, function()
      return { { a, a, a }, { b, b, b }, { a, a, a }, { b, b, b } }
    end).share
  end
  test.near(effect(1, 1.2), 0.2, 1e-9)
  test.near(effect(1, 3), 1, 1e-9)  -- a machine that became busier
  test.near(effect(1.2, 1), -0.2, 1e-9)
end)

test("nothing is run without another choice, without the flag, or after a failure", function()
  local function never() error "was run" end
  test.equal(choices.effect(level_of {}, SEEN, both_of "load", { a = 1, b = 2 }, never), nil)
  test.equal(choices.effect(level_of { findings()[2] }, SEEN, both_of "load", { a = 1, b = 2 }, never), nil)
  local effect, why = choices.effect(level_of(findings()), SEEN, both_of "dump", { a = 1, b = 2 }, never)
  test.equal({ effect, why }, { nil, "the autotuning choices cannot be exchanged: "
    .. "the XLA of an end does not know --xla_gpu_load_autotune_results_from" })
  effect, why = choices.effect(level_of(findings()), SEEN, both_of "load", { a = 1, b = 2 }, function()
    error({ kind = "failed_trial", message = "B failed: exit code 1\nmore" }, 0)
  end)
  test.equal({ effect, why }, { nil, "the autotuning choices cannot be exchanged: B failed: exit code 1" })
end)

-- Levels of which the autotuner's has moved this share, and kernels this.
local function collected(share, low, kernels)
  local list = {}
  for i, name in ipairs { "environment", "artifact", "program", "kernels", "host", "jit", "autotune" } do
    list[i] = { name = name, findings = {} }
  end
  list[4].findings[1] = kernels and { level = "kernels", what = "gemm: 1 us -> 2 us", share = kernels } or nil
  list[7].findings = findings()
  for _, one in ipairs(list[7].findings) do one.level = "autotune" end
  choices.attach(list[7], { share = share, low = low, high = 1, confidence = 0.99, pairs = 6 })
  return list
end

local function answer_of(levels, swaps)
  local found = { slowdown = { sentence = "B is 38 % slower than A" }, verdict = "found", swaps = swaps,
    levels = levels, top = verdict.top(levels, swaps) }
  found.within, found.unexplained = verdict.within(found.top, levels), verdict.unexplained(found.top, levels, swaps)
  return found
end

test("what moves with the choices is named before what is only timed", function()
  local found = answer_of(collected(0.94, 0.9, 1), {})
  test.equal(words.sentence(found), "B is 38 % slower than A: " .. CHOSE
    .. "; and 1 more (94 % of it moves with the autotuning choices; unexplained: 6 %)")
  test.equal({ found.within, #words.parts(found) }, { nil, 2 })
  test.equal(answer_of(collected(0.1, -0.1, 1), {}).top.level, "kernels")
end)

test("the choices are a part of what they follow from, and not added to it", function()
  local python = { level = "swap", kind = "python", name = "the Python", what = "a -> b", share = 0.9, low = 0.8 }
  local found = answer_of(collected(0.45, 0.4), { python })
  test.near(found.unexplained, 0.1, 1e-9)
  test.equal(words.sentence(found), "B is 38 % slower than A: a -> b (90 % of it moves with the Python; "
    .. "unexplained: 10 %). Of this, 50 % moves with the autotuning choices: " .. CHOSE .. "; and 1 more")
  local parts = words.parts(found)
  test.equal({ #parts, parts[1].what, parts[2].what }, { 2, "a -> b", "unexplained" })
  test.equal(answer_of(collected(0.05, -0.1), { python }).within, nil)
  test.equal(answer_of(collected(1, 0.9), { python }).within.share, 1)
end)

return test.finish()
