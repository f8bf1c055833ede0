-- Sentences of findings.

local words = {}

local function plural(noun)
  if noun:find "[^aeiou]y$" then return (noun:gsub("y$", "ies")) end
  return noun .. (noun:find "[sx]$" and "es" or "s")
end

--- "a transpose", "3 fusions".
function words.several(count, noun)
  if count == 1 then return (noun:find "^[aeiou]" and "an " or "a ") .. noun end
  return count .. " " .. plural(noun)
end

--- "1 more copy", "2 fewer transposes".
function words.more(before, after, noun)
  local count = math.abs(after - before)
  return string.format("%d %s %s (%d -> %d)", count, after > before and "more" or "fewer",
    count == 1 and noun or plural(noun), before, after)
end

--- "2 fusions, a copy and a transpose" of a list of opcodes; fusions come first.
function words.list(opcodes)
  local counts, order = {}, {}
  for _, opcode in ipairs(opcodes) do
    if not counts[opcode] then order[#order + 1] = opcode end
    counts[opcode] = (counts[opcode] or 0) + 1
  end
  table.sort(order, function(a, b)
    if (a == "fusion") ~= (b == "fusion") then return a == "fusion" end
    return a < b
  end)
  for i, opcode in ipairs(order) do order[i] = words.several(counts[opcode], opcode) end
  local last = table.remove(order)
  return #order > 0 and table.concat(order, ", ") .. " and " .. last or last
end

--- What `has` has more than `had`, as a list of opcodes in alphabetical order.
function words.gained(had, has)
  local list, order = {}, {}
  for opcode, count in pairs(has) do
    if count > (had[opcode] or 0) then order[#order + 1] = opcode end
  end
  table.sort(order)
  for _, opcode in ipairs(order) do
    for _ = 1, has[opcode] - (had[opcode] or 0) do list[#list + 1] = opcode end
  end
  return list
end

return words
