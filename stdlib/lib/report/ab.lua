-- What an A/B found, in words.

local Sequence = require "lib/results/sequence"
local coverage = require "lib/report/coverage"
local numbers = require "lib/report/numbers"
local words = require "lib/report/words"

local function is_wall(found) return found.metric == "wall time" and found.unit == "s" end

-- How a larger and a smaller number of B is called. Of a time everybody knows which is better.
local function terms_of(found)
  if is_wall(found) then return "slower", "faster" end
  if not found.better then return "higher", "lower" end
  local higher_is_better = found.better == "higher"
  return higher_is_better and "better" or "worse", higher_is_better and "worse" or "better"
end

-- "B is 3.1 % slower than A", "B's MLUPS is 3.1 % higher than A's".
local function sentence(found)
  local higher, lower = terms_of(found)
  local size, interval = numbers.difference(found.effect, found.low, found.high)
  local subject, object = "B", "A"
  if not is_wall(found) then subject, object = "B's " .. found.metric, "A's" end
  return string.format("%s is %s %s than %s%s", subject, size, found.effect > 0 and higher or lower, object,
    interval and "  (95 % interval " .. interval .. ")" or "")
end

-- "between 0.8 % faster and 1.9 % slower than A"
local function range(found)
  local higher, lower = terms_of(found)
  local function side(effect)
    if effect == 0 then return "0 %" end
    return numbers.percent(effect) .. " " .. (effect > 0 and higher or lower)
  end
  if found.low == found.high then return string.format("B is %s than A", side(found.low)) end
  return string.format("B is between %s and %s than A", side(found.low), side(found.high))
end

local function no_difference(found)
  if found.low == 0 and found.high == 0 then return "No difference: all numbers of A and B are equal" end
  local least = found.min_effect or math.max(math.abs(found.low), math.abs(found.high))
  return string.format("No difference of %s or more: %s", numbers.percent(least), range(found))
end

local function inconclusive(found)
  if not found.low then return string.format("Inconclusive: an interval takes %d pairs", Sequence.FEWEST) end
  return "Inconclusive: " .. range(found)
end

local function levels(found)
  local a, b = numbers.pair({ before = found.a, after = found.b }, found)
  return string.format("%s %s -> %s", found.metric, a, b)
end

local function effort(found)
  local elsewhere = found.other_machines > 0 and " (" .. found.other_machines .. " of another machine)" or ""
  return words.effort(found, found.reused, found.pairs, words.count(found.pairs, "pair") .. elsewhere)
end

-- What it takes to say more; nil where it is decided.
local function price(found)
  local noise = (found.noise or 0) > 0 and "Noise is " .. numbers.digits(100 * found.noise, 2) .. " % per run; a" or "A"
  if not found.more_pairs then
    local undecided = found.verdict == "inconclusive" and found.noise
    return undecided and noise .. " decision would take more than 10000 pairs. Pass a larger --min-effect." or nil
  end
  local time = found.pair_seconds and " (" .. reg.time.words(found.more_pairs * found.pair_seconds) .. ")" or ""
  return string.format("%sbout %s%s would %s: --resume --budget %d", noise, words.count(found.more_pairs, "more pair"),
    time, found.verdict == "inconclusive" and "decide it" or "halve the interval", found.pairs + found.more_pairs)
end

local SENTENCES = { no_difference = no_difference, inconclusive = inconclusive }

--- The verdict in one line, and lines with the two commands and with what else there is to know.
return function(found)
  local lines = { table.concat({ (SENTENCES[found.verdict] or sentence)(found), levels(found), effort(found) }, "   ") }
  lines[2], lines[3] = "  A  " .. found.commands[1], "  B  " .. found.commands[2]
  if #found.predictions > 0 then
    table.move(require("lib/predictions").lines(found.predictions), 1, #found.predictions + 1, #lines + 1, lines)
  end
  lines[#lines + 1] = price(found)
  lines[#lines + 1] = found.quieter and coverage.quieter(found.quieter, found.metric)
  if found.suspect then lines[#lines + 1] = words.suspect(found.suspect) end
  return table.concat(lines, "\n")
end
