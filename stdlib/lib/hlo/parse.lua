-- The text of one HLO module: names with and without "%", operands with and without shapes, as releases of XLA print
-- them. It is read line by line; `problems` says what cannot be read.

local parse = {}

local LONGEST <const> = 1 << 20  -- bytes of a line that are read: the rest is a constant's

-- Attributes that say where the program came from, or are ids: not what it does.
local DROPPED <const> = { metadata = true, origin = true, original_value = true, channel_id = true, id = true,
  stack_frame_id = true }

-- Attributes that name computations.
local CALLED <const> = { calls = true, to_apply = true, condition = true, body = true, branch_computations = true,
  true_computation = true, false_computation = true, called_computations = true, select = true, scatter = true,
  comparator = true }

-- The position after the string whose opening quote is before `at`.
local function after_string(text, at)
  while true do
    local found = text:find('["\\]', at)
    if not found then return #text + 1 end
    if text:sub(found, found) == '"' then return found + 1 end
    at = found + 2
  end
end

-- The position after the value at `at`: of the comma that ends it, or the end of the text. Values nest, and hold quoted
-- strings with any character in them.
local function after_value(text, at)
  local depth = 0
  while true do
    local found, char = text:match('()([,"{}()%[%]])', at)
    if not found then return #text + 1 end
    at = found + 1
    if char == '"' then
      at = after_string(text, at)
    elseif char == "," then
      if depth == 0 then return found end
    elseif char == "{" or char == "(" or char == "[" then
      depth = depth + 1
    else
      depth = depth - 1
      if depth < 0 then return found end
    end
  end
end

-- The attributes of `text` from position `from` on, as in ", kind=kLoop, calls=%fused": { name, value } in their order.
local function attributes_of(text, from)
  local list = {}
  while true do
    local name, at = text:match("^,%s*([%w_%-]+)=()", from)
    if not name then return list end
    from = after_value(text, at)
    if not DROPPED[name] then list[#list + 1] = { name, text:sub(at, from - 1) } end
  end
end

--- Whether the attribute of that name names computations.
function parse.names_computations(name) return CALLED[name] or false end

--- The names in a value such as "%body" or "{%one, %two}".
function parse.names(value)
  local names = {}
  for name in value:gmatch "[^%s,{}%%]+" do names[#names + 1] = name end
  return names
end

-- The element type and the dimensions of a shape such as "f32[32,8]{1,0}"; those of its first part for a tuple.
local function type_and_dims(shape)
  local type, sizes = shape:match "^%(*([%w]+)%[([^%]]*)%]"
  local dims = {}
  for size in (sizes or ""):gmatch "%d+" do dims[#dims + 1] = tonumber(size) end
  return type or shape:match "^%(*(%w*)", dims
end

-- The names of the operands in "(%a, %b)", "(a, b)" or "(f32[8]{0} a, (f32[], s32[]) b)".
local function operand_names(text)
  local names = {}
  if text:find("%", 1, true) then
    for name in text:gmatch "%%([^%s,()]+)" do names[#names + 1] = name end
    return names
  end
  text = text:sub(2, -2)
  if text:find "[%[(/]" then
    text = text:gsub("/%*index=%d+%*/", ""):gsub("%b()", ""):gsub("%b[]", ""):gsub("%b{}", "")
  end
  for operand in text:gmatch "[^,]+" do names[#names + 1] = operand:match "(%S+)%s*$" end
  return names
end

local LITERAL <const> = { constant = true, parameter = true, iota = true }  -- where others have operands

-- An instruction from its line; nil if it is none.
local function instruction(line)
  local root = line:match "^%s+ROOT ()"
  local name, at = line:match("^%s*%%?([^%s=]+) = ()", root)
  if not name then return nil end
  local shape, after = line:match("^(%b())()", at)
  if not shape then shape, after = line:match("^([^%s(]%S*)()", at) end
  local opcode, open = line:match("^%s+([%w_%-]+)()%(", after or #line + 1)
  local inner, rest = line:match("^(%b())()", open or #line + 1)
  if not inner then return nil end
  local made = { name = name, opcode = opcode, shape = shape, root = root ~= nil or nil, operands = {}, calls = {} }
  made.type, made.dims = type_and_dims(shape)
  if LITERAL[opcode] then made.literal = inner:sub(2, -2) else made.operands = operand_names(inner) end
  made.attributes = attributes_of(line, rest)
  for _, pair in ipairs(made.attributes) do
    local key, value = pair[1], pair[2]
    if key == "kind" and opcode == "fusion" then
      made.kind = value
    elseif key == "custom_call_target" then
      made.target = value:match '^"(.*)"$' or value
    elseif CALLED[key] then
      for _, called in ipairs(parse.names(value)) do made.calls[#made.calls + 1] = called end
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

local Reader = {}
Reader.__index = Reader

function Reader:problem(...) table.insert(self.module.problems, string.format(...)) end

function Reader:open(computation)
  local module = self.module
  if self.current then self:problem("computation %s does not end", self.current.name) end
  self.current = computation
  if module.by_name[computation.name] then
    return self:problem("two computations are named %s: only the first counts", computation.name)
  end
  module.by_name[computation.name] = computation
  table.insert(module.computations, computation)
  if computation.entry then module.entry = module.entry or computation.name end
end

function Reader:line(line)
  if #line > LONGEST then
    self.long = self.long + 1
    line = line:sub(1, LONGEST)
  end
  local first = line:sub(1, 1)
  local is_indented = first == " " or first == "\t"
  local made = is_indented and self.current and instruction(line)
  local computation = not is_indented and first ~= "}" and opening(line)
  if made then
    table.insert(self.current.instructions, made)
  elseif first == "}" then
    self.current = nil
  elseif computation then
    self:open(computation)
  elseif self.current and line:find "%S" then
    self.unread = self.unread + 1
  end
end

local function lines(count) return count == 1 and "a line" or count .. " lines" end

--- { name, attributes, entry, computations, by_name, problems } of the text; nil and why not if it is not a module's.
function parse.module(text)
  local start = text:find("HloModule", 1, true)
  local module = start and (start == 1 or text:sub(start - 1, start - 1) == "\n")
    and header(text:sub(start, start + LONGEST):match "^[^\r\n]*")
  if not module then return nil, #text == 0 and "the file is empty" or "not the text of an HLO module" end
  local reader = setmetatable({ module = module, unread = 0, long = 0 }, Reader)
  local from = text:find("\n", start, true)
  for line in text:sub(from and from + 1 or #text + 1):gmatch "[^\r\n]+" do reader:line(line) end
  if reader.current then reader:problem("computation %s does not end", reader.current.name) end
  if reader.unread > 0 then reader:problem("%s without an instruction", lines(reader.unread)) end
  if reader.long > 0 then reader:problem("%s longer than 1 MiB", lines(reader.long)) end
  if not module.entry then reader:problem "no ENTRY computation" end
  return module
end

return parse
