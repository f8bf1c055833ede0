-- The text of one HLO module: names with and without "%", operands with and without shapes, as releases of XLA print
-- them. It is read line by line; `problems` says what cannot be read.

local attributes = require "lib/hlo/attributes"
local words = require "lib/hlo/words"

local LONGEST = 1 << 20  -- bytes of a line that are read: the rest is a constant's

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

-- What has a literal where others have operands.
local LITERAL = { constant = true, parameter = true, iota = true }

-- An instruction from its line; nil if it is none.
local function instruction(line)
  local root = line:match "^%s+ROOT ()"
  local name, at = line:match("^%s*%%?([^%s=]+) = ()", root)
  if not name then return nil end
  local shape, after = line:match("^(%b())()", at)
  if not shape then shape, after = line:match("^([^%s(]%S*)()", at) end
  if not shape then return nil end
  local opcode, open = line:match("^%s+([%w_%-]+)()%(", after)
  if not opcode then return nil end
  local inner, rest = line:match("^(%b())()", open)
  if not inner then return nil end
  local made = { name = name, opcode = opcode, shape = shape, root = root ~= nil or nil, operands = {}, calls = {} }
  made.type, made.dims = type_and_dims(shape)
  if LITERAL[opcode] then made.literal = inner:sub(2, -2) else made.operands = operand_names(inner) end
  made.attributes = attributes.split(line, rest)
  for _, pair in ipairs(made.attributes) do
    local key, value = pair[1], pair[2]
    if key == "kind" and opcode == "fusion" then
      made.kind = value
    elseif key == "custom_call_target" then
      made.target = value:match '^"(.*)"$' or value
    elseif attributes.names_computations(key) then
      for _, called in ipairs(attributes.names(value)) do made.calls[#made.calls + 1] = called end
    end
  end
  return made
end

-- The first line: "HloModule jit_f, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias) }, ...".
local function header(line)
  local name, at = line:match "^HloModule%s+([^%s,]+)()"
  if not name then return nil end
  local made = { name = name, attributes = {} }
  for _, pair in ipairs(attributes.split(line, at)) do made.attributes[pair[1]] = pair[2] end
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

function Reader:problem(...) self.module.problems[#self.module.problems + 1] = string.format(...) end

function Reader:open(computation)
  local module = self.module
  if self.current then self:problem("computation %s does not end", self.current.name) end
  self.current = computation
  if module.by_name[computation.name] then
    self:problem("two computations are named %s: only the first counts", computation.name)
    return
  end
  module.by_name[computation.name] = computation
  module.computations[#module.computations + 1] = computation
  if computation.entry then module.entry = module.entry or computation.name end
end

function Reader:line(line)
  if #line > LONGEST then
    self.long = self.long + 1
    line = line:sub(1, LONGEST)
  end
  local first = line:sub(1, 1)
  if self.current and (first == " " or first == "\t") then
    local made = instruction(line)
    if made then
      local list = self.current.instructions
      list[#list + 1] = made
    elseif line:find "%S" then
      self.unread = self.unread + 1
    end
  elseif first == "}" then
    self.current = nil
  elseif first ~= " " and first ~= "\t" then
    local computation = opening(line)
    if computation then
      self:open(computation)
    elseif self.current and line:find "%S" then
      self.unread = self.unread + 1
    end
  end
end

--- { name, attributes, entry, computations, by_name, problems } of the text; nil and why not if it is not a module's.
return function(text)
  local start = text:find("HloModule", 1, true)
  local head = start and (start == 1 or text:sub(start - 1, start - 1) == "\n")
    and header(text:sub(start, start + LONGEST):match "^[^\r\n]*")
  if not head then return nil, #text == 0 and "the file is empty" or "not the text of an HLO module" end
  head.computations, head.by_name, head.problems = {}, {}, {}
  local reader = setmetatable({ module = head, unread = 0, long = 0 }, Reader)
  local from = text:find("\n", start, true)
  if from then
    for line in text:sub(from + 1):gmatch "[^\r\n]+" do reader:line(line) end
  end
  if reader.current then reader:problem("computation %s does not end", reader.current.name) end
  if reader.unread > 0 then reader:problem("%s without an instruction", words.several(reader.unread, "line")) end
  if reader.long > 0 then reader:problem("%s longer than 1 MiB", words.several(reader.long, "line")) end
  if not head.entry then reader:problem "no ENTRY computation" end
  return head
end
