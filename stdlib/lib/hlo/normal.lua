-- What a module computes, as text without names, ids and metadata, so that two compilations of one program give equal
-- text. A computation has its instructions by number, and what they call by the hash of that computation's text.

local attributes = require "lib/hlo/attributes"

local DEEPEST = 100  -- calls within calls; a module that XLA wrote has a few

-- Of the first line: what changes how the program runs.
local HEADER = { "is_scheduled", "input_output_alias", "buffer_donor", "entry_computation_layout", "replica_count",
                 "num_partitions" }

local normal = {}

-- The value of an attribute with `replace(name)` for each name in it.
local function renamed(value, replace)
  local names = attributes.names(value)
  for i, name in ipairs(names) do names[i] = replace(name) end
  return table.concat(names, ",")
end

local Writer = {}
Writer.__index = Writer

--- What writes the computations of a module.
function normal.writer(module) return setmetatable({ module = module, hashes = {}, depth = 0 }, Writer) end

-- The hash of a computation's text.
function Writer:hash(name)
  local known = self.hashes[name]
  if known then return known end
  local computation = self.module.by_name[name]
  if not computation then return "missing" end
  if self.depth >= DEEPEST then return "nested" end
  self.hashes[name] = "recursive"
  self.depth = self.depth + 1
  local hash = reg.store.key { self:text(computation) }
  self.depth = self.depth - 1
  self.hashes[name] = hash
  return hash
end

--- An instruction without its operands: what it is, wherever it stands.
function Writer:content(instruction, numbers)
  local parts = { instruction.opcode, instruction.shape, instruction.literal }
  for _, pair in ipairs(instruction.attributes) do
    local key, value = pair[1], pair[2]
    if attributes.names_computations(key) then
      value = renamed(value, function(name) return self:hash(name) end)
    elseif key == "control-predecessors" then
      value = numbers and renamed(value, function(name) return numbers[name] or "?" end) or ""
    end
    parts[#parts + 1] = key .. "=" .. value
  end
  return table.concat(parts, " ")
end

--- The text of a computation: a line for each instruction.
function Writer:text(computation)
  local numbers, lines = {}, {}
  for i, instruction in ipairs(computation.instructions) do numbers[instruction.name] = i end
  for i, instruction in ipairs(computation.instructions) do
    local operands = {}
    for at, name in ipairs(instruction.operands) do operands[at] = numbers[name] or "?" end
    lines[i] = string.format("%s%s (%s)", instruction.root and "ROOT " or "", self:content(instruction, numbers),
      table.concat(operands, ","))
  end
  return table.concat(lines, "\n")
end

--- The text of a module.
function normal.text(module)
  local writer, parts = normal.writer(module), {}
  for _, name in ipairs(HEADER) do
    local value = module.attributes[name]
    if value then parts[#parts + 1] = name .. "=" .. value end
  end
  local entry = module.by_name[module.entry]
  parts[#parts + 1] = entry and writer:text(entry) or ""
  return table.concat(parts, "\n")
end

--- The hash of that text.
function normal.fingerprint(module) return reg.store.key { normal.text(module) } end

return normal
