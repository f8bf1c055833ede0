-- What became of fusions: split, merged, or with other instructions in them. It looks at what runs on its own on one
-- side only, and compares the operations within.

local summary = require "lib/hlo/summary"

-- They stand between the parts of a fusion that was split.
local MOVERS = { transpose = true, copy = true, convert = true, ["opt-barrier"] = true, ["bitcast-convert"] = true,
                 reshape = true, ["copy-start"] = true, ["copy-done"] = true }
local COVERED = 0.75   -- of a fusion's operations that its parts hold
local ALIKE = 0.5      -- of the operations of two fusions that are the same
local MOST = 2000      -- instructions that are compared with each other

local regroup = {}

-- The operations of an item: of a fusion those within, by opcode and, with `sized`, dimensions.
local function operations(module, item, sized)
  local ops, count = {}, 0
  local function add(instruction)
    if summary.LIGHT[instruction.opcode] then return end
    local key = sized and instruction.opcode .. " " .. table.concat(instruction.dims, ",") or instruction.opcode
    ops[key], count = (ops[key] or 0) + 1, count + 1
  end
  if item.instruction.opcode ~= "fusion" then
    add(item.instruction)
    return ops, count
  end
  for _, name in ipairs(item.instruction.calls) do
    for _, instruction in ipairs(module.by_name[name] and module.by_name[name].instructions or {}) do add(instruction) end
  end
  return ops, count
end

-- Every item by its name and computation, and the users of each.
local function graph(items)
  local by_name, users = {}, {}
  for _, item in ipairs(items) do
    local names = by_name[item.computation] or {}
    by_name[item.computation] = names
    names[item.instruction.name] = item
  end
  for _, item in ipairs(items) do
    for _, operand in ipairs(item.instruction.operands) do
      local source = by_name[item.computation][operand]
      if source then
        users[source] = users[source] or {}
        table.insert(users[source], item)
      end
    end
  end
  return { by_name = by_name, users = users }
end

local function neighbors(links, item)
  local list = {}
  for _, operand in ipairs(item.instruction.operands) do list[#list + 1] = links.by_name[item.computation][operand] end
  for _, user in ipairs(links.users[item] or {}) do list[#list + 1] = user end
  return list
end

-- The movers next to `parts`, as new as they are.
local function movers_between(links, parts, is_new)
  local found, seen = {}, {}
  for _, part in ipairs(parts) do
    for _, next in ipairs(neighbors(links, part)) do
      if is_new[next] and not seen[next] and MOVERS[next.instruction.opcode] then
        seen[next] = true
        found[#found + 1] = next
      end
    end
  end
  return found
end

-- Whether a part touches another one, itself or through a mover.
local function is_connected(links, part, chosen)
  for _, next in ipairs(neighbors(links, part)) do
    if chosen[next] then return true end
    if MOVERS[next.instruction.opcode] or summary.LIGHT[next.instruction.opcode] then
      for _, far in ipairs(neighbors(links, next)) do
        if far ~= part and chosen[far] then return true end
      end
    end
  end
  return false
end

-- Whether each operation of `part` is one of `whole`.
local function is_within(part, whole)
  for key in pairs(part) do
    if not whole[key] then return false end
  end
  return true
end

-- The items of `side.new` that a fusion with the operations `ops`, `count` of them, was split into; nil if it was not.
local function parts_of(side, ops, count)
  local rest, chosen, list, covered = {}, {}, {}, 0
  for key, number in pairs(ops) do rest[key] = number end
  for _, item in ipairs(side.items) do
    local mine = side.new[item] and side.ops[item]
    if mine and next(mine) and is_within(mine, ops) then
      local gained = 0
      for key, number in pairs(mine) do
        local taken = math.min(number, rest[key])
        rest[key], gained = rest[key] - taken, gained + taken
      end
      if gained > 0 then
        covered, chosen[item], list[#list + 1] = covered + gained, true, item
      end
    end
  end
  if #list < 2 or covered < COVERED * count then return nil end
  for _, part in ipairs(list) do
    if not is_connected(side.links, part, chosen) then return nil end
  end
  return list
end

local function side_of(module, items, is_new)
  local side = { items = items, new = is_new, ops = {}, counts = {}, links = graph(items), module = module }
  local count = 0
  for _, item in ipairs(items) do
    if is_new[item] and count < MOST then
      count = count + 1
      side.ops[item], side.counts[item] = operations(module, item, true)
    end
  end
  return side
end

-- The fusions of one side that only it has, the largest first.
local function fusions_of(side)
  local list = {}
  for place, item in ipairs(side.items) do
    if side.new[item] and item.instruction.opcode == "fusion" and (side.counts[item] or 0) > 1 then
      list[#list + 1] = { item = item, place = place }
    end
  end
  table.sort(list, function(a, b)
    local more, less = side.counts[a.item], side.counts[b.item]
    return more > less or more == less and a.place < b.place
  end)
  for i, entry in ipairs(list) do list[i] = entry.item end
  return list
end

-- Fusions of `whole` that are several items of `parts`: { one, many, movers }. They are taken off both sides.
local function splits(whole, parts)
  local found = {}
  for _, item in ipairs(fusions_of(whole)) do
    local many = parts_of(parts, whole.ops[item], whole.counts[item])
    if many then
      local movers = movers_between(parts.links, many, parts.new)
      found[#found + 1] = { one = item, many = many, movers = movers }
      whole.new[item] = nil
      for _, part in ipairs(many) do parts.new[part] = nil end
      for _, mover in ipairs(movers) do parts.new[mover] = nil end
    end
  end
  return found
end

local function likeness(a, b, count_a, count_b)
  local same = 0
  for key, number in pairs(a) do same = same + math.min(number, b[key] or 0) end
  return same / math.max(count_a, count_b, 1)
end

-- Fusions of one side with those of the other that hold most of the same operations.
local function changed(before, after)
  local found, list, ops = {}, fusions_of(after), {}
  for _, item in ipairs(list) do ops[item] = { operations(after.module, item) } end
  for _, item in ipairs(fusions_of(before)) do
    local mine, count = operations(before.module, item)
    local best, most, at = nil, ALIKE, nil
    for i, other in ipairs(list) do
      local like = likeness(mine, ops[other][1], count, ops[other][2])
      if like > most then best, most, at = other, like, i end
    end
    if best then
      table.remove(list, at)
      found[#found + 1] = { before = item, after = best, had = mine, has = ops[best][1] }
      before.new[item], after.new[best] = nil, nil
    end
  end
  return found
end

--- { splits, merges, changed } of two sides { module, items, new }: what runs on its own, and which of it only that side
--- has.
function regroup.find(before, after)
  local a, b = side_of(before.module, before.items, before.new), side_of(after.module, after.items, after.new)
  local found = { splits = splits(a, b), merges = splits(b, a) }
  found.changed = changed(a, b)
  return found
end

return regroup
