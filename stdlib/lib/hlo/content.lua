-- What a module has, in numbers, and what it computes, as text without names, ids and metadata: two compilations of one
-- program give equal text.

local parse = require "lib/hlo/parse"

local content = {}

-- What runs: from ENTRY through calls, loops, branches and asynchronous wrappers. What a fusion holds runs within it;
-- what a reduction or a sort applies is not counted.
local ENTERED <const> = { call = true, ["while"] = true, conditional = true, ["async-start"] = true, fusion = true }

-- visit(instruction, fusion) for each instruction that runs, each computation once. `fusion`: the one that it is part
-- of, or nil.
local function each(module, visit)
  local seen, queue, at = { [module.entry or false] = true }, { { name = module.entry } }, 1
  while queue[at] do
    local fusion, computation = queue[at].fusion, module.by_name[queue[at].name]
    for _, instruction in ipairs(computation and computation.instructions or {}) do
      visit(instruction, fusion)
      local inside = fusion or instruction.opcode == "fusion" and instruction or nil
      for _, name in ipairs(ENTERED[instruction.opcode] and instruction.calls or {}) do
        if not seen[name] then queue[#queue + 1] = { name = name, fusion = inside } end
        seen[name] = true
      end
    end
    at = at + 1
  end
end

-- They cost nothing or next to nothing, and come and go with names and tuples.
local LIGHT <const> = { parameter = true, constant = true, tuple = true, ["get-tuple-element"] = true, bitcast = true,
  broadcast = true, iota = true, ["after-all"] = true }
content.LIGHT = LIGHT

local function add(counts, key) counts[key] = (counts[key] or 0) + 1 end

--- { counts, kinds, targets, types, items }: instructions by opcode, fusions by kind, custom calls by target,
--- instructions by element type, and the instructions that run on their own. Instructions within fusions count, but not
--- fusions within fusions.
function content.summary(module)
  local made = { counts = {}, kinds = {}, targets = {}, types = {}, items = {} }
  each(module, function(instruction, fusion)
    local opcode = instruction.opcode
    if not fusion then table.insert(made.items, instruction) end
    if fusion and opcode == "fusion" then return end
    add(made.counts, opcode)
    if opcode == "fusion" then add(made.kinds, instruction.kind or "unknown") end
    if opcode == "custom-call" then add(made.targets, instruction.target or "unknown") end
    if not LIGHT[opcode] and instruction.type then add(made.types, instruction.type) end
  end)
  return made
end

--- How many instructions of all modules `what` is of: an opcode, "fusion:kLoop" or "custom-call:TARGET".
function content.total(modules, what)
  local opcode, detail = what:match "^([^:]*):?(.*)$"
  local list = detail == "" and "counts" or opcode == "fusion" and "kinds" or opcode == "custom-call" and "targets"
  local count = 0
  for _, module in ipairs(list and modules or {}) do
    count = count + (content.summary(module)[list][detail == "" and opcode or detail] or 0)
  end
  return count
end

local DEEPEST <const> = 100  -- calls within calls; a module that XLA wrote has a few

-- The value of an attribute with `replace(name)` for each name in it.
local function renamed(value, replace)
  local names = parse.names(value)
  for i, name in ipairs(names) do names[i] = replace(name) end
  return table.concat(names, ",")
end

-- Writes the computations of a module: the instructions by number, and what they call by the hash of its text.
local Writer = {}
Writer.__index = Writer

--- What writes the computations of a module.
function content.writer(module) return setmetatable({ module = module, hashes = {}, depth = 0 }, Writer) end

-- The hash of a computation's text.
function Writer:hash(name)
  if self.hashes[name] then return self.hashes[name] end
  local computation = self.module.by_name[name]
  if not computation then return "missing" end
  if self.depth >= DEEPEST then return "nested" end
  self.hashes[name], self.depth = "recursive", self.depth + 1
  local hash = reg.store.key { self:text(computation) }
  self.hashes[name], self.depth = hash, self.depth - 1
  return hash
end

--- An instruction without its operands: what it is, wherever it stands.
function Writer:content(instruction, numbers)
  local parts = { instruction.opcode, instruction.shape, instruction.literal }
  for _, pair in ipairs(instruction.attributes) do
    local key, value = pair[1], pair[2]
    if parse.names_computations(key) then
      value = renamed(value, function(name) return self:hash(name) end)
    elseif key == "control-predecessors" then
      value = numbers and renamed(value, function(name) return numbers[name] or "?" end) or ""
    end
    parts[#parts + 1] = key .. "=" .. value
  end
  return table.concat(parts, " ")
end

-- The text of a computation: a line for each instruction.
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

-- Of the first line: what changes how the program runs.
local HEADER <const> = { "is_scheduled", "input_output_alias", "buffer_donor", "entry_computation_layout",
  "replica_count", "num_partitions" }

--- The hash of what a module computes.
function content.fingerprint(module)
  local parts, entry = {}, module.by_name[module.entry]
  for _, name in ipairs(HEADER) do
    local value = module.attributes[name]
    parts[#parts + 1] = value and name .. "=" .. value
  end
  parts[#parts + 1] = entry and content.writer(module):text(entry) or ""
  return reg.store.key { table.concat(parts, "\n") }
end

return content
