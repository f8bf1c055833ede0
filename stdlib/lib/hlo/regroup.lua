-- What became of fusions: split, merged, or with other instructions in them. It looks at what runs on its own on one
-- side only, and compares the operations within.

local sorted_names = require "lib/sorted_names"
local summary = require "lib/hlo/summary"

-- They stand between the parts of a fusion that was split.
local MOVERS = { transpose = true, copy = true, convert = true, ["opt-barrier"] = true, ["bitcast-convert"] = true,
                 reshape = true, ["copy-start"] = true, ["copy-done"] = true }
-- Tried in this order: how much of a fusion's operations its parts must hold, and how much of two fusions' operations
-- must be the same for one to be the other.
local STRICTNESS = { { covered = 1, alike = 0.8 }, { covered = 0.75, alike = 0.5 } }
local REPEATED = 1.5   -- how many operations the parts may have for each of the whole: some are done twice
local MOST = 2000      -- instructions that are compared with each other
local MOST_WHOLE = 200 -- fusions of which parts are looked for
local MOST_SEEDS = 200 -- where the parts of a fusion may begin
local MOST_PARTS = 50
local MOST_AROUND = 20

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
    local called = module.by_name[name]
    for _, instruction in ipairs(called and called.instructions or {}) do add(instruction) end
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

-- What is next to an item, itself or behind what moves data.
local function around(links, item)
  local list = {}
  for _, next in ipairs(neighbors(links, item)) do
    list[#list + 1] = next
    if MOVERS[next.instruction.opcode] or summary.LIGHT[next.instruction.opcode] then
      table.move(neighbors(links, next), 1, MOST_AROUND, #list + 1, list)
    end
  end
  return list
end

-- Whether each operation of `part` is one of `whole`.
local function is_within(part, whole)
  for key in pairs(part) do
    if not whole[key] then return false end
  end
  return true
end

-- Takes the operations of a part off `rest`; how many that were.
local function take(rest, part)
  local taken = 0
  for key, number in pairs(part) do
    local common = math.min(number, rest[key] or 0)
    if common > 0 then rest[key], taken = rest[key] - common, taken + common end
  end
  return taken
end

-- The items around `first` that hold the operations `ops`, and how many of these they hold. Together they have at most
-- `most` operations.
local function grown(side, first, ops, fits, most)
  local rest, seen, list = {}, { [first] = true }, { first }
  for key, number in pairs(ops) do rest[key] = number end
  local covered, size, at = take(rest, side.ops[first]), side.counts[first], 1
  while list[at] and #list < MOST_PARTS do
    for _, next in ipairs(around(side.links, list[at])) do
      if not seen[next] and fits[next] and size + side.counts[next] <= most then
        seen[next] = true
        local taken = take(rest, side.ops[next])
        if taken > 0 then
          covered, size, list[#list + 1] = covered + taken, size + side.counts[next], next
        end
      end
    end
    at = at + 1
  end
  return list, covered
end

-- The items of `side.new` that a fusion with the operations `ops`, `count` of them, was split into; nil if it was not.
-- `gap`: where to look, or nil; `share`: how much of the operations they must hold.
local function parts_of(side, ops, count, gap, share)
  local fits, order = {}, {}
  for _, item in ipairs(side.items) do
    local mine = side.new[item] and (not gap or item.gap == gap) and side.ops[item]
    if mine and next(mine) and is_within(mine, ops) then fits[item], order[#order + 1] = true, item end
  end
  for i = 1, math.min(#order, MOST_SEEDS) do
    local list, covered = grown(side, order[i], ops, fits, REPEATED * count)
    if #list > 1 and covered >= share * count then
      table.sort(list, function(a, b) return side.place[a] < side.place[b] end)
      return list
    end
  end
  return nil
end

local function side_of(module, items, is_new)
  local side = { items = items, new = is_new, ops = {}, counts = {}, place = {}, links = graph(items), module = module }
  local count = 0
  for place, item in ipairs(items) do
    side.place[item] = place
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
  for _, item in ipairs(side.items) do
    if side.new[item] and item.instruction.opcode == "fusion" and (side.counts[item] or 0) > 1 then
      list[#list + 1] = item
    end
  end
  table.sort(list, function(a, b)
    local more, less = side.counts[a], side.counts[b]
    return more > less or more == less and side.place[a] < side.place[b]
  end)
  return table.move(list, 1, math.min(#list, MOST_WHOLE), 1, {})
end

-- Takes fusions with the same operations off both sides: they have other element types, layouts or constants.
-- `near`: only those in the same place.
local function drop_same(before, after, near)
  local function key_of(side, item)
    local parts = { near and item.gap or "", item.instruction.kind }
    for _, key in ipairs(sorted_names(side.ops[item])) do parts[#parts + 1] = key .. "x" .. side.ops[item][key] end
    return table.concat(parts, ";")
  end
  local by_key = {}
  for _, item in ipairs(after.items) do
    if after.new[item] and after.ops[item] and item.instruction.opcode == "fusion" then
      local key = key_of(after, item)
      by_key[key] = by_key[key] or {}
      table.insert(by_key[key], item)
    end
  end
  for _, item in ipairs(before.items) do
    if before.new[item] and before.ops[item] and item.instruction.opcode == "fusion" then
      local other = table.remove(by_key[key_of(before, item)] or {}, 1)
      if other then before.new[item], after.new[other] = nil, nil end
    end
  end
end

-- Fusions of `whole` that are several items of `parts`: { one, many, movers }. They are taken off both sides, and
-- added to `found`. `near`: only those in the same place.
local function splits(found, whole, parts, near, share)
  for _, item in ipairs(fusions_of(whole)) do
    local many = parts_of(parts, whole.ops[item], whole.counts[item], near and item.gap, share)
    if many then
      local movers = movers_between(parts.links, many, parts.new)
      found[#found + 1] = { one = item, many = many, movers = movers }
      whole.new[item] = nil
      for _, part in ipairs(many) do parts.new[part] = nil end
      for _, mover in ipairs(movers) do parts.new[mover] = nil end
    end
  end
end

local function likeness(a, b, count_a, count_b)
  local same = 0
  for key, number in pairs(a) do same = same + math.min(number, b[key] or 0) end
  return same / math.max(count_a, count_b, 1)
end

-- Fusions of one side with those of the other that hold at least the share `alike` of the same operations, added to
-- `found`. `near`: only those in the same place.
local function changed(found, before, after, near, alike)
  local list, ops = fusions_of(after), {}
  for _, item in ipairs(list) do ops[item] = { operations(after.module, item) } end
  for _, item in ipairs(fusions_of(before)) do
    local mine, count = operations(before.module, item)
    local best, most, at = nil, 0, nil
    for i, other in ipairs(list) do
      local like = (not near or other.gap == item.gap) and likeness(mine, ops[other][1], count, ops[other][2]) or 0
      if like >= alike and like > most then best, most, at = other, like, i end
    end
    if best then
      table.remove(list, at)
      found[#found + 1] = { before = item, after = best, had = mine, has = ops[best][1] }
      before.new[item], after.new[best] = nil, nil
    end
  end
end

--- { splits, merges, changed } of two sides { module, items, new }: what runs on its own, and which of it only that
--- side has.
function regroup.find(before, after)
  local a, b = side_of(before.module, before.items, before.new), side_of(after.module, after.items, after.new)
  local found = { splits = {}, merges = {}, changed = {} }
  for _, near in ipairs { true, false } do
    drop_same(a, b, near)
    for _, strict in ipairs(STRICTNESS) do
      splits(found.splits, a, b, near, strict.covered)
      splits(found.merges, b, a, near, strict.covered)
      changed(found.changed, a, b, near, strict.alike)
    end
  end
  return found
end

return regroup
