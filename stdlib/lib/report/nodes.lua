-- The nodes of a cluster that made the numbers of a series, and how they differ, in sentences.

local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local values = require "lib/values"

local MOST = 4  -- nodes in a sentence

-- "6.1 % slower", as the metric's direction says it.
local function difference(factor, found)
  local larger, smaller = direction.comparatives(found.metric, found.unit, found.direction)
  return numbers.difference(factor - 1) .. " " .. (factor > 1 and larger or smaller)
end

-- How a test went on a node, or its number.
local function outcome(one, found)
  if found.kind == "metric" then return numbers.plain(one.value, found) .. " on " .. one.node end
  return (one.value == 0 and "passes on " or "fails on ") .. one.node
end

local function add_factors(of, found, say)
  local names = values.map(of.names, function(name) return of.factors[name] and name end)
  values.sort_by(names, function(name) return -math.abs(math.log(of.factors[name])), name end)
  local list = values.map(names, function(name, i)
    return (i == 1 and "%s is %s than %s" or "%s %s"):format(name, difference(of.factors[name], found), of.reference)
  end)
  if #list == 0 then return end
  say("With every build %s; %s numbers are corrected for it.", numbers.some(list, MOST, ", ", "node"),
    #list == 1 and "its" or "their")
  if #of.odd == 0 then return end
  say(#of.odd == 1 and "%s differs more than nodes usually do: check it."
    or "%s differ more than nodes usually do: check them.", numbers.some(of.odd, MOST, ", ", "node"))
end

--- Adds what the answer says of the nodes.
return function(found, say)
  local of = found.nodes
  if #of.names == 0 then return end
  say("Measured on %s.", #of.names == 1 and of.names[1]
    or numbers.count(#of.names, "node") .. " (" .. numbers.some(of.names, MOST, ", ") .. ")")
  add_factors(of, found, say)
  local differs = of.differing
  if differs and #differs.on == 2 then
    say("%s %s and %s%s.", differs.label .. (found.kind == "metric" and " has" or ""), outcome(differs.on[1], found),
      outcome(differs.on[2], found), of.only and ": the answer is that of " .. of.only .. " alone" or "")
  end
  for _, change in ipairs(of.spread) do
    say("%s on each node: %s.", change.label, table.concat(values.map(change.on, function(one)
      return one.node .. " " .. (numbers.effect({ effect = one.effect }, found) or "no size")
    end), ", "))
  end
end
