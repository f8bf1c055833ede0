-- Findings about two modules that are the same function.

local align = require "lib/hlo/align"
local donated = require "lib/hlo/donated"
local normal = require "lib/hlo/normal"
local ordered = require "lib/hlo/ordered"
local promotions = require "lib/hlo/promotions"
local regroup = require "lib/hlo/regroup"
local summary = require "lib/hlo/summary"
local words = require "lib/hlo/words"

local MOST = 20  -- fusions that are named

local Comparison = {}
Comparison.__index = Comparison

function Comparison:add(kind, what, before, after)
  self.findings[#self.findings + 1] = { kind = kind, module = self.name, what = self.name .. ": " .. what,
    before = before, after = after }
end

-- What runs on its own and counts, in its order, and the content of each.
local function listed(side)
  local writer, items, contents = normal.writer(side.module), {}, {}
  for _, item in ipairs(side.summary.items) do
    if not summary.LIGHT[item.instruction.opcode] then
      item.content = writer:content(item.instruction)
      items[#items + 1], contents[#contents + 1] = item, item.content
    end
  end
  return items, contents
end

-- Numbers the gaps between what is matched: items of both sides with one number are in the same place.
local function number_gaps(items, is_matched)
  local gap = 0
  for i, item in ipairs(items) do
    if is_matched[i] then gap = gap + 1 end
    item.gap = gap
  end
end

-- What is not in the same place on both sides.
local function unmatched(a, b)
  local items_a, contents_a = listed(a)
  local items_b, contents_b = listed(b)
  local matched, of_b, new_a, new_b = align(contents_a, contents_b), {}, {}, {}
  for i, j in pairs(matched) do of_b[j] = i end
  number_gaps(items_a, matched)
  number_gaps(items_b, of_b)
  for i, item in ipairs(items_a) do new_a[item] = not matched[i] or nil end
  for j, item in ipairs(items_b) do new_b[item] = not of_b[j] or nil end
  return new_a, new_b
end

-- Removes what was only moved.
local function drop_moved(a, new_a, b, new_b)
  local moved = {}
  for _, item in ipairs(b.summary.items) do
    if new_b[item] then
      moved[item.content] = moved[item.content] or {}
      table.insert(moved[item.content], item)
    end
  end
  for _, item in ipairs(a.summary.items) do
    local other = new_a[item] and table.remove(moved[item.content] or {}, 1)
    if other then new_a[item], new_b[other] = nil, nil end
  end
end

local function copied(set)
  local copy = {}
  for key in pairs(set) do copy[key] = true end
  return copy
end

local function names_of(items)
  local names = {}
  for i, item in ipairs(items) do names[i] = item.instruction.name end
  return table.concat(names, ", ")
end

local function opcodes_of(...)
  local list = {}
  for _, items in ipairs { ... } do
    for _, item in ipairs(items) do list[#list + 1] = item.instruction.opcode end
  end
  return list
end

-- After the first few, how many more there are.
function Comparison:limited(kind, from)
  local extra = #self.findings - from - MOST
  if extra <= 0 then return end
  for _ = 1, extra do table.remove(self.findings) end
  self:add(kind, string.format("%d more fusions differ", extra), nil, extra)
end

function Comparison:regrouped(found)
  local from = #self.findings
  for _, split in ipairs(found.splits) do
    local name = split.one.instruction.name
    local parts = words.list(opcodes_of(split.many, split.movers))
    self:add("fusion", name .. " split into " .. parts, name, names_of(split.many))
  end
  for _, merge in ipairs(found.merges) do
    local name = merge.one.instruction.name
    local parts = words.list(opcodes_of(merge.many, merge.movers))
    self:add("fusion", parts .. " merged into " .. name, names_of(merge.many), name)
  end
  for _, pair in ipairs(found.changed) do
    local old, new = pair.before.instruction, pair.after.instruction
    local gained, lost = words.gained(pair.had, pair.has), words.gained(pair.has, pair.had)
    local parts = {}
    if #gained > 0 then parts[1] = "gained " .. words.list(gained) end
    if #lost > 0 then parts[#parts + 1] = "lost " .. words.list(lost) end
    if old.kind ~= new.kind then
      parts[#parts + 1] = string.format("is %s, before %s", new.kind or "unknown", old.kind or "unknown")
    end
    if #parts > 0 then self:add("fusion", old.name .. " " .. table.concat(parts, " and "), old.name, new.name) end
  end
  self:limited("fusion", from)
end

-- Where one side has an instruction that the other does not, by opcode: its name, or the fusion that holds it.
local function where_new(side, new)
  local where = {}
  for _, item in ipairs(side.summary.items) do
    if new[item] then
      local instruction = item.instruction
      where[instruction.opcode] = where[instruction.opcode] or ", such as " .. instruction.name
      for _, name in ipairs(instruction.opcode == "fusion" and instruction.calls or {}) do
        local called = side.module.by_name[name]
        for _, inner in ipairs(called and called.instructions or {}) do
          where[inner.opcode] = where[inner.opcode] or ", in " .. instruction.name
        end
      end
    end
  end
  return where
end

-- Fusions and custom calls are counted by kind and by target.
local function is_counted_elsewhere(opcode)
  return summary.LIGHT[opcode] or opcode == "fusion" or opcode == "custom-call"
end

-- `noun(key)`: what to call it; `where[key]`: where a new one is.
function Comparison:counted(kind, a, b, noun, where)
  for _, key in ipairs(ordered(a, b)) do
    local before, after = a[key] or 0, b[key] or 0
    if before ~= after and not (kind == "opcode" and is_counted_elsewhere(key)) then
      local place = where and after > before and where[key] or ""
      self:add(kind, words.more(before, after, noun(key)) .. place, before, after)
    end
  end
end

function Comparison:types(a, b)
  for _, promotion in ipairs(promotions(a, b)) do
    self:add("promotion", string.format("%s instead of %s in %s (%d -> %d)", promotion.wide, promotion.narrow,
      words.several(promotion.count, "instruction"), promotion.before, promotion.after), promotion.before,
      promotion.after)
  end
end

function Comparison:interface(a, b)
  local before, after = donated(a), donated(b)
  if before ~= after then
    local what = after < before and "donation lost: fewer" or "more"
    self:add("donation", string.format("%s outputs reuse an input's buffer (%d -> %d)", what, before, after), before,
      after)
  end
  local was, is = a.attributes.entry_computation_layout, b.attributes.entry_computation_layout
  if was and is and was ~= is then
    self:add("interface", string.format("parameters and results are %s, before %s", is:sub(1, 200), was:sub(1, 200)),
      was, is)
  end
end

function Comparison:buffers(a, b)
  if not a or not b or a.total == b.total and a.temporary == b.temporary then return end
  self:add("buffers", string.format("memory %d -> %d bytes (temporary %d -> %d)", a.total, b.total, a.temporary,
    b.temporary), a.total, b.total)
end

-- The first instruction that differs, where no other words fit.
function Comparison:content(a, b, new_a, new_b)
  local function first(side, new)
    for _, item in ipairs(side.summary.items) do
      if new[item] then return item.instruction.name, item.content:sub(1, 200) end
    end
  end
  local old, was = first(a, new_a)
  local name, is = first(b, new_b)
  if old or name then
    self:add("content", string.format("%s differs", name or old), was, is)
  else
    self:add("order", "the same instructions in another order or with other operands")
  end
end

--- The findings about two modules; {} if they are the same program and need the same memory. `same`: their fingerprints
--- are equal.
return function(before, after, same)
  local self = setmetatable({ findings = {}, name = after.name }, Comparison)
  if not same then
    local a = { module = before, summary = summary.of(before) }
    local b = { module = after, summary = summary.of(after) }
    local new_a, new_b = unmatched(a, b)
    self:types(a.summary.types, b.summary.types)
    self:interface(before, after)
    self:regrouped(regroup.find({ module = before, items = a.summary.items, new = copied(new_a) },
      { module = after, items = b.summary.items, new = copied(new_b) }))
    drop_moved(a, new_a, b, new_b)
    self:counted("custom_call", a.summary.targets, b.summary.targets, function(target)
      return "custom call to " .. target
    end)
    self:counted("opcode", a.summary.counts, b.summary.counts, function(opcode) return opcode end,
      where_new(b, new_b))
    self:counted("fusion_kind", a.summary.kinds, b.summary.kinds, function(kind) return kind .. " fusion" end)
    if #self.findings == 0 then self:content(a, b, new_a, new_b) end
  end
  self:buffers(before.buffers, after.buffers)
  return self.findings
end
