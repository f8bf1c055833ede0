-- What a minimization and a proof found, in words: which items or which commit, and what part of the difference.

local numbers = require "lib/report/numbers"
local values = require "lib/values"
local words = require "lib/report/words"

local NOTHING = 1e-9    -- an error of rounding
local IMPRECISE = 0.3  -- half of an interval of a share from which it is said

-- What the items do to the metric, and what it is called to lack them.
local VERBS = { REGRESSION = { "loses", "regains" }, IMPROVEMENT = { "gains", "gives up" },
  CHANGE = { "changes by", "goes back by" } }

local function role_of(found)
  if not found.better then return "CHANGE" end
  return found.regression and "REGRESSION" or "IMPROVEMENT"
end

local culprits = {}

local function joined(items) return table.concat(items, " ") end

local function outcome(failed) return failed < 0.5 and "passes" or "fails" end

-- The difference of the ends, as lib/report/numbers takes it.
local function change_of(found)
  return { before = found.none.value, after = found.all.value, effect = found.effect.value,
    effect_low = not found.exact and found.effect.low or nil,
    effect_high = not found.exact and found.effect.high or nil }
end

local function head(found)
  local role, confidence = role_of(found), "confidence " .. numbers.confidence(found.confidence)
  if found.pass_fail then
    return string.format("%-12s the test %s with %s and %s with %s   %s", role, outcome(found.none.value),
      found.ends.none, outcome(found.all.value), found.ends.all, confidence)
  end
  return string.format("%-12s %s %s   %s", role, found.metric, numbers.moved(change_of(found), found), confidence)
end

-- A share of the whole difference, and its interval where that is wide.
local function share(estimate)
  local is_wide = (estimate.high - estimate.low) / 2 >= IMPRECISE
  return string.format(is_wide and "%.0f %% (%.0f to %.0f %%)" or "%.0f %%", 100 * estimate.value, 100 * estimate.low,
    100 * estimate.high)
end

-- The end of an interval that is farther from zero.
local function largest(estimate) return math.max(math.abs(estimate.low), math.abs(estimate.high)) end

-- "good plus X loses 96 %; bad minus X regains 94 %."
local function shares_of(found, culprit)
  local ends, name, parts = found.ends, joined(culprit.items), {}
  local with = culprit.any and culprit.items[1] or name
  local does, lacks = table.unpack(VERBS[role_of(found)])
  local function add(of, changed, verb, is_alone)
    if not of then return end
    local fails = ((of.value > 0.5) == (found.effect.value > 0)) == is_alone
    parts[#parts + 1] = changed .. " " .. (not found.pass_fail and verb .. " " .. share(of)
      or fails and "fails" or "passes")
  end
  add(culprit.alone, ends.none .. " plus " .. with, does, true)
  add(culprit.without, ends.all .. " minus " .. name, lacks, false)
  return #parts > 0 and "  " .. table.concat(parts, "; ") .. "." or nil
end

-- "The other 39 together change less than 3 %."
local function others(found)
  local named = values.set(values.flat(found.culprits, function(culprit) return culprit.items end))
  local count = found.items - #found.excluded - #values.sorted_names(named)
  if count < 1 or found.pass_fail or not found.rest.low then return nil end
  local most = largest(found.rest)
  local subject = count == 1 and "The other one changes" or "The other " .. count .. " together change"
  return subject .. (most < NOTHING and " nothing." or " less than " .. numbers.percent(most) .. ".")
end

-- The last line of a minimization; with stored runs, the first one says so.
local function add_effort(found, lines)
  local runs, last = words.count(found.runs, "run"), { found.verdict == "found" and others(found) or nil }
  if found.failed > 0 then last[#last + 1] = string.format("%d of %s could not be tested.", found.failed, runs) end
  local effort = words.effort(found, found.reused, found.runs, runs)
  if found.stored then
    lines[1] = lines[1] .. "   (" .. effort .. ")"
  else
    last[#last + 1] = effort .. "."
  end
  lines[#lines + 1] = #last > 0 and table.concat(last, " ") or nil
end

local function no_effect(found)
  local ends = found.ends
  if found.pass_fail then
    return string.format("No difference: the test %s with %s and with %s.", outcome(found.none.value), ends.none,
      ends.all)
  end
  local most = largest(found.effect)
  return string.format("No difference %sbetween %s and %s.", most < NOTHING and ""
    or "of " .. numbers.percent(most) .. " or more ", ends.none, ends.all)
end

local function verdict(found)
  if found.verdict == "found" then return head(found) end
  if found.verdict == "no_effect" then return no_effect(found) end
  local inconclusive = "Inconclusive: " .. (found.why or "it was stopped")
  return #found.culprits == 0 and inconclusive
    or string.format("%s. Most likely, with a probability of %.0f %%:", inconclusive, 100 * found.confidence)
end

--- What the culprits of a minimization do, in a sentence without its end, for a title; nil where none was found.
function culprits.minimized_title(found)
  if found.verdict ~= "found" then return nil end
  local names = values.map(found.culprits, function(culprit) return joined(culprit.items) end)
  local what
  if found.pass_fail then
    what = "the test " .. outcome(found.all.value)
  else
    local factor, _, percentage = numbers.effect(change_of(found), found)
    local moved = found.all.value < found.none.value and " falls" or " rises"
    what = found.metric .. (percentage and moved .. " by " .. percentage or factor and " is " .. factor or moved)
  end
  return what .. " with " .. table.concat(names, " and ")
end

--- A minimization: the verdict in one line, then the culprits, and what else there is to know.
function culprits.minimized(found)
  local lines = { verdict(found) }
  for _, culprit in ipairs(found.culprits) do
    local note = culprit.any and "   (each of them alone)" or "   (together)"
    lines[#lines + 1] = "  culprit     " .. joined(culprit.items) .. (#culprit.items > 1 and note or "")
    lines[#lines + 1] = shares_of(found, culprit)
  end
  if #found.excluded > 0 then lines[#lines + 1] = string.format("  skipped     %s", joined(found.excluded)) end
  add_effort(found, lines)
  if found.suspect then lines[#lines + 1] = words.suspect(found.suspect) end
  return table.concat(lines, "\n")
end

-- "94 % (90 to 98 %)".
local function part_of(part)
  local decimals = part.low and part.high - part.low < 0.02 and 1 or 0
  local function percent(x)
    local text = string.format("%." .. decimals .. "f", 100 * x)
    return tonumber(text) == 0 and text:gsub("^-", "") or text
  end
  if not part.low then return "about " .. percent(part.share) .. " %" end
  return string.format("%s %% (%s to %s %%)", percent(part.share), percent(part.low), percent(part.high))
end

-- What became of a version with the commit reverted or applied, in a sentence; nil if it was not measured.
local function one_way(found, name, of)
  local part, reverted = found[name] or {}, name == "revert"
  if part.why then return part.why:gsub("^%l", string.upper) .. "; it is not measured." end
  local doing = string.format(reverted and "Reverting %s on %s" or "Applying %s to %s", found.commit:sub(1, 10),
    reverted and found.after_name or found.before_name)
  if found.passes then
    return part.value and string.format("%s makes the test %s.", doing, part.value == 1 and "fail" or "pass")
  end
  local verb = found.fix and (reverted and "loses" or "brings") or (reverted and "brings back" or "costs")
  return part.share and string.format("%s %s %s of %s.", doing, verb, part_of(part), of)
end

-- "MLUPS 589 -> 518 (-12.0 %, 95 % interval -12.5 to -11.5 %)".
local function difference(found)
  if found.passes or not found.effect then return nil end
  local change = { before = found.levels.before, after = found.levels.after, effect = found.effect,
    effect_low = found.low, effect_high = found.high }
  local before, after = numbers.pair(change, found)
  local size, interval = numbers.effect(change, found)
  return string.format("%s %s -> %s from %s to %s (%s%s)", found.metric, before, after, found.before_name,
    found.after_name, size or "", interval and ", 95 % interval " .. interval or "")
end

-- By the verdict, or of an inconclusive one by why it is.
local VERDICTS = {
  proved = "Proved: {short} is the commit.",
  one_of_several = "One of several causes: {short} makes part of {thing} from {from} to {to}.",
  not_this_commit = "Not this commit: {short} is not what makes {thing} from {from} to {to}.",
  mixed = "Inconclusive: {short} makes {thing} only together with other commits.",
  flaky = "Inconclusive: the test passes and fails at the same version.",
  same_outcome = "Inconclusive: the test {before} at {from} and {after} at {to}.",
  no_difference = "Inconclusive: there is nothing to prove: {to} is not {better} than {from}.",
}

local function verdict_of(found)
  local short, from, to = found.commit:sub(1, 10), found.before_name, found.after_name
  local thing = found.passes and (found.fix and "the fix" or "the failure") or found.fix and "the gain" or "the loss"
  local sentence = VERDICTS[found.verdict] or VERDICTS[found.why == "no_difference" and found.passes and "same_outcome"
    or found.why] or "Inconclusive after {rounds}; pass a larger --budget."
  return (sentence:gsub("{(%l+)}", { short = short, from = from, to = to, thing = thing,
    before = outcome(found.levels.before or 0), after = outcome(found.levels.after or 0),
    better = found.fix and "better" or "worse", rounds = words.count(found.rounds, "round") }))
end

local function effort(found)
  return words.effort(found, found.reused, found.rounds, words.count(found.rounds, "round") .. " of "
    .. words.count(found.sides, "version"))
end

--- A proof, in a few lines: the verdict, the shares of both directions, the difference and the effort.
function culprits.proved(found)
  local lines, thing = { verdict_of(found) }, found.fix and "gain" or "loss"
  if found.merge then lines[1] = lines[1] .. " It is a merge, taken against its first parent." end
  lines[#lines + 1] = one_way(found, "revert", "the " .. thing)
  lines[#lines + 1] = one_way(found, "apply", found.revert and found.revert.share and "it" or "the " .. thing)
  local whole = difference(found)
  if found.stored then
    lines[1], lines[#lines + 1] = lines[1] .. " (" .. effort(found) .. ")", whole and whole .. "."
  else
    lines[#lines + 1] = (whole and whole .. "; " or "") .. effort(found) .. "."
  end
  if found.suspect then lines[#lines + 1] = words.suspect(found.suspect) end
  return table.concat(lines, "\n")
end

return culprits
