-- The opcodes of two tables of counts in the order in which findings name them.

local sorted_names = require "lib/sorted_names"

-- What moves data or waits for it comes first: it is what a slowdown is most often made of.
local FIRST = {}
for place, opcode in ipairs { "copy", "transpose", "convert", "custom-call", "all-reduce", "all-gather",
  "reduce-scatter", "all-to-all", "collective-permute", "while", "conditional", "opt-barrier" } do
  FIRST[opcode] = place
end

return function(a, b)
  local keys = {}
  for _, counts in ipairs { a, b } do
    for key in pairs(counts) do keys[key] = true end
  end
  local list = sorted_names(keys)
  table.sort(list, function(x, y)
    local p, q = FIRST[x] or math.huge, FIRST[y] or math.huge
    return p < q or p == q and x < y
  end)
  return list
end
