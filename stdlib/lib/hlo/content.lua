-- The text of one HLO module: read line by line, with names with and without "%" and operands with and without shapes,
-- as releases of XLA print them; what the module has, in numbers; and what it computes, as text without names, ids and
-- metadata: two compilations of one program give equal text.

local values = require "lib/values"

local map, sum, words = values.map, values.sum, values.words

local content = {}

local LONGEST <const> = 1 << 20  -- bytes of a line that are read: the rest is a constant's

-- Attributes that say where the program came from, or are ids: not what it does.
local DROPPED <const> = words "metadata origin original_value channel_id id stack_frame_id"

-- Attributes that name computations.
local CALLED <const> = words("calls to_apply condition body branch_computations true_computation false_computation "
  .. "called_computations select scatter comparator")

-- The attributes of `text` from position `from` on, as in ", kind=kLoop, calls=%fused": { name, value } in their order.
-- Values nest, and hold quoted strings with any character in them: those are blanks while the end of a value is sought.
local function attributes_of(text, from)
  local list, plain = {}, text
  for _, part in ipairs { "\\.", '"[^"]*"', "%b{}", "%b()", "%b[]" } do
    plain = plain:gsub(part, function(found) return (" "):rep(#found) end)
  end
  while true do
    local name, at, stop = plain:match("^,%s*([%w_%-]+)=()[^,{}()%[%]\"]*()", from)
    if not name then return list end
    if not DROPPED[name] then list[#list + 1] = { name, text:sub(at, stop - 1) } end
    from = stop
  end
end

-- The names in a value such as "%body" or "{%one, %two}".
local function names_in(value) return values.matches(value, "[^%s,{}%%]+") end

-- The names of the operands in "(%a, %b)", "(a, b)" or "(f32[8]{0} a, (f32[], s32[]) b)".
local function operand_names(text)
  if text:find("%", 1, true) then return values.matches(text, "%%([^%s,()]+)") end
  text = text:sub(2, -2):gsub("/%*index=%d+%*/", ""):gsub("%b()", ""):gsub("%b[]", ""):gsub("%b{}", "")
  return values.matches(text .. ",", "([^%s,]+)%s*,")
end

local LITERAL <const> = words "constant parameter iota"  -- where others have operands

-- An instruction from its line; nil if it is none.
local function instruction_of(line)
  local root = line:match "^%s+ROOT ()"
  local name, at = line:match("^%s*%%?([^%s=]+) = ()", root)
  if not name then return nil end
  local shape, after = line:match("^(%b())()", at)
  if not shape then shape, after = line:match("^([^%s(]%S*)()", at) end
  local opcode, open = line:match("^%s+([%w_%-]+)()%(", after or #line + 1)
  local inner, rest = line:match("^(%b())()", open or #line + 1)
  if not inner then return nil end
  local made = { name = name, opcode = opcode, shape = shape, root = root ~= nil or nil, operands = {}, calls = {} }
  made.type = shape:match "^%(*(%w*)"  -- of a tuple the first one
  if LITERAL[opcode] then made.literal = inner:sub(2, -2) else made.operands = operand_names(inner) end
  made.attributes = attributes_of(line, rest)
  for _, pair in ipairs(made.attributes) do
    local key, value = pair[1], pair[2]
    if key == "kind" and opcode == "fusion" then
      made.kind = value
    elseif key == "custom_call_target" then
      made.target = value:match '^"(.*)"$' or value
    elseif CALLED[key] then
      for _, called in ipairs(names_in(value)) do made.calls[#made.calls + 1] = called end
    end
  end
  return made
end

-- The first line: "HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, ...".
local function header(line)
  local name, at = line:match "^HloModule%s+([^%s,]+)()"
  if not name then return nil end
  local made = { name = name, attributes = {}, computations = {}, by_name = {}, problems = {} }
  for _, pair in ipairs(attributes_of(line, at)) do made.attributes[pair[1]] = pair[2] end
  return made
end

-- A computation's first line: "ENTRY %main.4 (x: f32[]) -> f32[] {" or "fused_computation {".
local function opening(line)
  if line:sub(-1) ~= "{" and not line:find "{%s*$" then return nil end
  local entry = line:match "^ENTRY%s+()"
  local name = line:match("^%%?([^%s({]+)", entry)
  return name and { name = name, entry = entry ~= nil or nil, instructions = {} }
end

--- { name, attributes, entry, computations, by_name, problems } of the text; nil and why not if it is not a module's.
function content.module(text)
  local start = text:find("HloModule", 1, true)
  local module = start and (start == 1 or text:sub(start - 1, start - 1) == "\n")
    and header(text:sub(start, start + LONGEST):match "^[^\r\n]*")
  if not module then return nil, #text == 0 and "the file is empty" or "not the text of an HLO module" end
  local current, unread, long
  local function problem(...) table.insert(module.problems, string.format(...)) end
  local function close()
    if current then problem("computation %s does not end", current.name) end
  end
  local function open(computation)
    close()
    current = computation
    local name = computation.name
    if module.by_name[name] then return problem("two computations are named %s: only the first counts", name) end
    module.by_name[name] = computation
    table.insert(module.computations, computation)
    if computation.entry then module.entry = module.entry or name end
  end
  local from = text:find("\n", start, true)
  for line in text:sub(from and from + 1 or #text + 1):gmatch "[^\r\n]+" do
    if #line > LONGEST then line, long = line:sub(1, LONGEST), (long or 0) + 1 end
    local first = line:sub(1, 1)
    local is_indented = first == " " or first == "\t"
    local made = is_indented and current and instruction_of(line)
    local computation = not is_indented and first ~= "}" and opening(line)
    if made then
      table.insert(current.instructions, made)
    elseif first == "}" then
      current = nil
    elseif computation then
      open(computation)
    elseif current and line:find "%S" then
      unread = (unread or 0) + 1
    end
  end
  close()
  local function lines(count) return count == 1 and "a line" or count .. " lines" end
  if unread then problem("%s without an instruction", lines(unread)) end
  if long then problem("%s longer than 1 MiB", lines(long)) end
  if not module.entry then problem "no ENTRY computation" end
  return module
end

-- What runs: from ENTRY through calls, loops, branches and asynchronous wrappers. What a fusion holds runs within it;
-- what a reduction or a sort applies is not counted.
local ENTERED <const> = words "call while conditional async-start fusion"

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
content.LIGHT = words "parameter constant tuple get-tuple-element bitcast broadcast iota after-all"

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
    if not content.LIGHT[opcode] and instruction.type then add(made.types, instruction.type) end
  end)
  return made
end

--- How many instructions the text of a module has.
function content.size(module)
  return sum(module.computations, function(computation) return #computation.instructions end)
end

--- How many instructions of all modules `what` is of: an opcode, "fusion:kLoop" or "custom-call:TARGET".
function content.total(modules, what)
  local opcode, detail = what:match "^([^:]*):?(.*)$"
  local list = detail == "" and "counts" or opcode == "fusion" and "kinds" or opcode == "custom-call" and "targets"
  return sum(list and modules or {}, function(module)
    return content.summary(module)[list][detail == "" and opcode or detail]
  end)
end

local DEEPEST <const> = 100  -- calls within calls; a module that XLA wrote has a few

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
    if CALLED[key] then
      value = table.concat(map(names_in(value), function(name) return self:hash(name) end), ",")
    elseif key == "control-predecessors" then
      value = table.concat(map(numbers and names_in(value) or {}, function(name) return numbers[name] or "?" end), ",")
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
    local operands = map(instruction.operands, function(name) return numbers[name] or "?" end)
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
  local entry = module.by_name[module.entry]
  local parts = map(HEADER, function(name)
    local value = module.attributes[name]
    return value and name .. "=" .. value
  end)
  parts[#parts + 1] = entry and content.writer(module):text(entry) or ""
  return reg.store.key { table.concat(parts, "\n") }
end

return content
