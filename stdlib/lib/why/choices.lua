-- How much of a slowdown moves with what XLA's autotuner chose: each end loads the choices that the other one dumped.
--
-- The choices follow from the library, the flags, the image or the program that they were made with, which are
-- exchanged beside them. So they are not one more factor of lib/why/swap, whose shares add up: their share is an effect
-- within those, told as "of this", and stands in the level autotune. All four cells load a file, so that none is faster
-- because it tunes nothing.

local command = require "lib/why/command"
local ends = require "lib/why/ends"
local flagged = require "lib/autotune/flagged"
local swap = require "lib/why/swap"
local xla = require "lib/why/xla"

local FLAG <const> = "--xla_gpu_load_autotune_results_from"
local NAME <const> = "the autotuning choices"

local choices = {}

-- The end `one` with the choices that were dumped into `folder`, by the end `from`.
local function loading(one, from, folder)
  local call = flagged(command.call(one), FLAG, folder, function(changed) return changed end)
  call.shell, call.cmd = core.shell_words(call.cmd), nil
  return { name = one.name .. " with " .. NAME .. " of " .. from.name, parts = one.parts, call = call,
    build = one.build }
end

-- The slowdown while the cells ran, unless it is less than before: tuning itself takes time, which no cell spends.
local function larger(during, before)
  return during * before > 0 and math.abs(during) > math.abs(before) and during or before
end

-- Operations that only one end has are tuned there whatever is loaded.
local function may_matter(findings)
  for _, one in ipairs(findings) do
    if one.before and one.after then return true end
  end
  return false
end

--- The effect, { share =, low =, high =, confidence =, pairs = }; nil where the ends do not choose differently, or nil
--- and why the choices cannot be exchanged. `level`: the findings of the level autotune; `seen`: what it collected of
--- both ends; `run` as of swap.shares.
function choices.effect(level, seen, both, slowdown, run)
  if not may_matter(level.findings) then return nil end
  local a, b = both[1], both[2]
  if not xla.both_know(both, FLAG .. "=/dev/null") then
    return nil, NAME .. " cannot be exchanged: the XLA of an end does not know " .. FLAG
  end
  return swap.attempt(NAME, function()
    local of_a, of_b = seen[1][1].folder, seen[2][1].folder
    local cells = run({ loading(a, a, of_a), loading(a, b, of_b), loading(b, a, of_a), loading(b, b, of_b) },
      swap.ROUNDS, NAME)
    return swap.effect(cells, larger(ends.mean(cells[4]) - ends.mean(cells[1]), slowdown.b - slowdown.a))
  end)
end

--- Gives the effect to the first finding of the level: what was exchanged are all choices together.
function choices.attach(level, effect)
  local first, more = level.findings[1], #level.findings - 1
  for name, value in pairs(effect) do first[name] = value end
  first.name = NAME
  if more > 0 then first.what = string.format("%s; and %d more", first.what, more) end
end

return choices
