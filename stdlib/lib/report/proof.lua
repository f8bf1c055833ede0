-- What a proof found, in words.

local numbers = require "lib/report/numbers"
local words = require "lib/report/words"

-- "94 % (90 to 98 %)".
local function share(part)
  local decimals = part.low and part.high - part.low < 0.02 and 1 or 0
  local function percent(x)
    local text = string.format("%." .. decimals .. "f", 100 * x)
    return tonumber(text) == 0 and text:gsub("^-", "") or text
  end
  if not part.low then return "about " .. percent(part.share) .. " %" end
  return string.format("%s %% (%s to %s %%)", percent(part.share), percent(part.low), percent(part.high))
end

-- What became of a version with the commit reverted or applied, in a sentence; nil if it was not measured.
local function direction(found, name, of)
  local part, short = found[name], found.commit:sub(1, 10)
  local reverted = name == "revert"
  local doing = reverted and string.format("Reverting %s on %s", short, found.after_name)
    or string.format("Applying %s to %s", short, found.before_name)
  if not part then return nil end
  if part.why then return part.why:gsub("^%l", string.upper) .. "; it is not measured." end
  if found.passes then
    if part.value == nil then return nil end
    return string.format("%s makes the test %s.", doing, part.value == 1 and "fail" or "pass")
  end
  if not part.share then return nil end
  local verb = found.fix and (reverted and "loses" or "brings") or (reverted and "brings back" or "costs")
  return string.format("%s %s %s of %s.", doing, verb, share(part), of)
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

local function headline(found)
  local short, from, to = found.commit:sub(1, 10), found.before_name, found.after_name
  local thing = found.passes and (found.fix and "the fix" or "the failure") or found.fix and "the gain" or "the loss"
  if found.verdict == "proved" then
    return string.format("Proved: %s is the commit.", short)
  elseif found.verdict == "one_of_several" then
    return string.format("One of several causes: %s makes part of %s from %s to %s.", short, thing, from, to)
  elseif found.verdict == "not_this_commit" then
    return string.format("Not this commit: %s is not what makes %s from %s to %s.", short, thing, from, to)
  elseif found.why == "mixed" then
    return string.format("Inconclusive: %s makes %s only together with other commits.", short, thing)
  elseif found.why == "flaky" then
    return "Inconclusive: the test passes and fails at the same version."
  elseif found.why == "no_difference" and found.passes then
    return string.format("Inconclusive: the test %s at %s and %s at %s.", found.levels.before == 1 and "fails"
      or "passes", from, found.levels.after == 1 and "fails" or "passes", to)
  elseif found.why == "no_difference" then
    return string.format("Inconclusive: there is nothing to prove: %s is not %s than %s.", to,
      found.fix and "better" or "worse", from)
  end
  return string.format("Inconclusive after %s; pass a larger --budget.", words.count(found.rounds, "round"))
end

local function effort(found)
  return words.effort(found, found.reused, found.rounds, words.count(found.rounds, "round") .. " of "
    .. words.count(found.sides, "version"))
end

--- A few lines: the verdict, the shares of both directions, the difference and the effort.
return function(found)
  local lines, thing = { headline(found) }, found.fix and "gain" or "loss"
  if found.merge then
    lines[1] = lines[1] .. " It is a merge, taken against its first parent."
  end
  local first = direction(found, "revert", "the " .. thing)
  lines[#lines + 1] = first
  lines[#lines + 1] = direction(found, "apply", found.revert and found.revert.share and "it" or "the " .. thing)
  local whole = difference(found)
  if found.stored then
    lines[1], lines[#lines + 1] = lines[1] .. " (" .. effort(found) .. ")", whole and whole .. "."
  else
    lines[#lines + 1] = (whole and whole .. "; " or "") .. effort(found) .. "."
  end
  if found.suspect then lines[#lines + 1] = words.suspect(found.suspect) end
  return table.concat(lines, "\n")
end
