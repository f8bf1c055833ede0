-- Which module of one side is which of the other: by name and content, then by content alone, then by name alone.

local normal = require "lib/hlo/normal"

local match = {}

-- "jit_f.12" is "jit_f": older releases of JAX number them.
local function plain_name(module) return (module.name:gsub("%.%d+$", "")) end

local function sizes(module)
  local count = 0
  for _, computation in ipairs(module.computations) do count = count + #computation.instructions end
  return count
end

local function entries(modules)
  local list = {}
  for i, module in ipairs(modules) do
    list[i] = { module = module, place = i, name = plain_name(module), fingerprint = normal.fingerprint(module),
      size = sizes(module) }
  end
  return list
end

-- Pairs what has the same key(entry), in order, and removes it from both lists.
local function pair_by(key, before, after, pairs_found)
  local by_key, rest, left = {}, {}, {}
  for _, entry in ipairs(after) do
    local at = key(entry)
    by_key[at] = by_key[at] or {}
    table.insert(by_key[at], entry)
  end
  local taken = {}
  for _, entry in ipairs(before) do
    local list = by_key[key(entry)]
    local other = list and table.remove(list, 1)
    if other then
      taken[other] = true
      pairs_found[#pairs_found + 1] = { before = entry, after = other }
    else
      rest[#rest + 1] = entry
    end
  end
  for _, entry in ipairs(after) do
    if not taken[entry] then left[#left + 1] = entry end
  end
  return rest, left
end

--- Pairs { before, after } of { module, name, fingerprint }, those of `before` without a partner, those of `after`.
function match.modules(before, after)
  local found = {}
  local rest, left = entries(before), entries(after)
  rest, left = pair_by(function(e) return e.name .. " " .. e.fingerprint end, rest, left, found)
  rest, left = pair_by(function(e) return e.fingerprint end, rest, left, found)
  local function by_size(a, b) return a.size > b.size or a.size == b.size and a.place < b.place end
  table.sort(rest, by_size)
  table.sort(left, by_size)
  return found, pair_by(function(e) return e.name end, rest, left, found)
end

return match
