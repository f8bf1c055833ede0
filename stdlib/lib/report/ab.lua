-- What an A/B found: how the second command of two differs from the first, or how several rank, and their numbers.

local Sequence = require "lib/ab/sequence"
local coverage = require "lib/report/coverage"
local numbers = require "lib/report/numbers"
local scan = require "lib/ab/scan"
local values = require "lib/values"
local words = require "lib/report/words"

local find, map, merged, set = values.find, values.map, values.merged, values.set

local DIFFERENT = set { "better", "worse", "higher", "lower" }

local function is_wall(found) return found.metric == "wall time" and found.unit == "s" end

-- How a larger and a smaller number of B is called. Of a time everybody knows which is better.
local function terms_of(found)
  if is_wall(found) then return "slower", "faster" end
  if not found.better then return "higher", "lower" end
  local higher_is_better = found.better == "higher"
  return higher_is_better and "better" or "worse", higher_is_better and "worse" or "better"
end

local function sides(found) return found.names[found.first or 1], found.names[found.second or 2] end

-- "3.1 % slower", and the interval or nil.
local function difference(found)
  local higher, lower = terms_of(found)
  local size, interval = numbers.difference(found.effect, found.low, found.high)
  return size .. " " .. (found.effect > 0 and higher or lower), interval
end

-- "B is 3.1 % slower than A", "B's MLUPS is 3.1 % higher than A's", and the interval or nil.
local function sentence(found)
  local object, subject = sides(found)
  local size, interval = difference(found)
  local of = is_wall(found) and "%s is %s than %s" or "%s's " .. found.metric:gsub("%%", "%%%%") .. " is %s than %s's"
  return of:format(subject, size, object), interval
end

-- "0.8 % faster", "1.9 % slower": the ends of the interval.
local function bounds(found)
  local higher, lower = terms_of(found)
  local function side(effect)
    return effect == 0 and "0 %" or numbers.percent(effect) .. " " .. (effect > 0 and higher or lower)
  end
  return side(found.low), side(found.high)
end

-- "B is between 0.8 % faster and 1.9 % slower than A"
local function range(found)
  local object, subject = sides(found)
  local low, high = bounds(found)
  local between = found.low == found.high and low or "between " .. low .. " and " .. high
  return string.format("%s is %s than %s", subject, between, object)
end

local function all_equal(found) return found.low == 0 and found.high == 0 end

-- The smallest difference that is excluded.
local function excluded(found)
  return numbers.percent(found.min_effect or math.max(math.abs(found.low), math.abs(found.high)))
end

local SENTENCES = {
  no_difference = function(found)
    if all_equal(found) then return string.format("No difference: all numbers of %s and %s are equal", sides(found)) end
    return string.format("No difference of %s or more: %s", excluded(found), range(found))
  end,
  inconclusive = function(found)
    return "Inconclusive: " .. (found.low and range(found) or "an interval takes " .. Sequence.FEWEST .. " pairs")
  end,
}

local function said(found)
  local text, interval = (SENTENCES[found.verdict] or sentence)(found)
  return text .. (interval and "  (95 % interval " .. interval .. ")" or "")
end

local function levels(found)
  local a, b = numbers.pair({ before = found.a, after = found.b }, found)
  return string.format("%s %s -> %s", found.metric, a, b)
end

local function round_of(found) return found.comparisons and "round" or "pair" end

local function effort(found)
  local elsewhere = found.other_machines > 0 and " (" .. found.other_machines .. " of another machine)" or ""
  return words.effort(found, found.reused, found.pairs, words.count(found.pairs, round_of(found)) .. elsewhere)
end

-- What it takes to say more; nil where it is decided.
local function price(found)
  local noise = (found.noise or 0) > 0 and "Noise is " .. numbers.digits(100 * found.noise, 2) .. " % per run; a" or "A"
  if not found.more_pairs then
    local undecided = found.verdict == "inconclusive" and found.noise
    return undecided and noise .. string.format(" decision would take more than 10000 %ss. Pass a larger --min-effect.",
      round_of(found)) or nil
  end
  local time = found.pair_seconds and " (" .. reg.time.words(found.more_pairs * found.pair_seconds) .. ")" or ""
  return string.format("%sbout %s%s would %s: --resume --budget %d", noise,
    words.count(found.more_pairs, "more " .. round_of(found)), time,
    found.verdict == "inconclusive" and "decide it" or "halve the interval", found.pairs + found.more_pairs)
end

-- The comparisons of several commands, each with what is the same for all of them.
local function comparisons_of(found)
  return map(found.comparisons, function(one) return setmetatable(merged(one), { __index = found }) end)
end

-- How a command compares with the first one, for its row of the table.
local function against(one)
  if DIFFERENT[one.verdict] then
    local size, interval = difference(one)
    return size .. (interval and " (" .. interval .. ")" or "")
  end
  if not one.low then return "needs " .. Sequence.FEWEST .. " rounds" end
  if one.verdict == "inconclusive" then return string.format("%s to %s", bounds(one)) end
  return all_equal(one) and "equal" or "no difference of " .. excluded(one) .. " or more"
end

-- The commands, the one with the best numbers first: by the lowest, unless higher ones are better.
local function ranking(found, list)
  local order, effects, sign = { 1 }, { 0 }, found.better == "higher" and -1 or 1
  for _, one in ipairs(list) do
    if one.first == 1 then order[#order + 1], effects[one.second] = one.second, one.effect end
  end
  return values.sort_by(order, function(side) return sign * effects[side], side end)
end

-- Which command is best, where it differs from the first one.
local function headline(found, list, best)
  local word = is_wall(found) and "faster" or found.better and "better" or "lower"
  local other = ({ faster = "slower", better = "worse", lower = "higher" })[word]
  local lead, all_differ = ({ faster = "Fastest: ", better = "Best: ", lower = "Lowest: " })[word], true
  for _, one in ipairs(list) do
    local is_clear = DIFFERENT[one.verdict]
    if one.first == 1 and one.second == best and is_clear then return lead .. said(one) .. "   " .. levels(one) end
    all_differ = all_differ and (one.first > 1 or is_clear)
  end
  if best == 1 and all_differ then return lead .. "A; all others are " .. other end
  local than = is_wall(found) and "than A" or "in " .. found.metric .. " than A"
  if found.verdict == "inconclusive" then return "Inconclusive: none is clearly " .. word .. " " .. than end
  return "None is " .. word .. " " .. than
end

local STATISTICS = { "mean", "sd", "median", "min", "max" }
local FIELDS = { sd = "stddev" }  -- of a result; the others have the name of their column

-- A row for each command, in this order. `compared`: how each of several compares with the first, or nil.
local function statistics(found, order, compared)
  local several = find(found.templates or {}, function(template) return template ~= found.templates[1] end)
  local names = scan.parameters(found.results)
  local columns = values.flat { { "", several and "command" or nil }, names, { compared and "against A" or nil },
    STATISTICS }
  local rows = map(order, function(side)
    local result = found.results[side]
    local row = { [""] = found.names[side], command = several and found.templates[side],
      ["against A"] = compared and compared[side] or "" }
    for _, name in ipairs(names) do row[name] = (result.parameters or {})[name] or "" end
    for _, name in ipairs(STATISTICS) do row[name] = numbers.plain(result[FIELDS[name] or name], found) end
    return row
  end)
  return (reg.report.table(rows, { columns = columns, least = "mean" }):gsub("\n$", ""))
end

local function ranked(found)
  local list, rows = comparisons_of(found), {}
  for _, one in ipairs(list) do
    if one.first == 1 then rows[one.second] = against(one) end
  end
  return values.flat { { found.title .. "   " .. effort(found) },
    map(found.templates and {} or found.commands, function(command, i)
      return "  " .. found.names[i] .. "  " .. command
    end),
    { statistics(found, ranking(found, list), rows) },
    map(list, function(one) return one.first > 1 and said(one) or nil end) }
end

local function of_two(found)
  return { table.concat({ said(found), levels(found), effort(found) }, "   "), "  A  " .. found.commands[1],
    "  B  " .. found.commands[2], statistics(found, { 1, 2 }) }
end

local ab = {}

--- The verdict in a sentence: of three commands or more which one is best, of two how they differ and from which level.
function ab.title(found)
  local list = found.comparisons and comparisons_of(found)
  if list then return headline(found, list, ranking(found, list)[1]) end
  local text = (SENTENCES[found.verdict] or sentence)(found)
  return DIFFERENT[found.verdict] and text .. ": " .. levels(found) or text
end

--- The verdict in one line, and lines with the commands, their numbers and what else there is to know.
function ab.text(found)
  local lines = values.flat { (found.comparisons and ranked or of_two)(found),
    #found.predictions > 0 and require("lib/predictions").lines(found.predictions) or {}, { price(found) } }
  lines[#lines + 1] = found.quieter and coverage.quieter(found.quieter, found.metric)
  if found.suspect then lines[#lines + 1] = words.suspect(found.suspect) end
  return table.concat(lines, "\n")
end

return ab
