-- Protocol buffers as text: fields of a message by name, each a list of its values; a value is a string or a message.

local ESCAPES <const> = { n = "\n", r = "\r", t = "\t", a = "\a", b = "\b", f = "\f", v = "\v" }

-- The text of a string without its quotes.
local function unescaped(text)
  text = text:gsub("\\\\", "\\x5c"):gsub("\\([0-7][0-7]?[0-7]?)", function(digits)
    return ("\\x%02x"):format(tonumber(digits, 8) % 256)
  end)
  return (text:gsub("\\(x?)(.)(%x?)", function(hex, one, other)
    if hex == "x" then return string.char(tonumber(one .. other, 16) or 63) end
    return (ESCAPES[one] or one) .. other
  end))
end

local Reader = {}
Reader.__index = Reader

local DEEPEST <const> = 100

function Reader:skip()
  local at
  repeat
    at = self.at
    self.at = self.text:match("^[%s,;]*()", self.at)
    self.at = self.text:match("^#[^\n]*()", self.at) or self.at
  until self.at == at
end

function Reader:take(pattern)
  self:skip()
  local found, behind = self.text:match("^(" .. pattern .. ")()", self.at)
  if found then self.at = behind end
  return found
end

function Reader:fail(what)
  local _, line = self.text:sub(1, self.at):gsub("\n", "")
  error({ malformed = ("%s in line %d"):format(what, line + 1) }, 0)
end

-- Strings side by side are one.
function Reader:string()
  local parts
  while true do
    local quote = self:take "[\"']"
    if not quote then return parts and table.concat(parts) end
    local begin = self.at
    while true do
      local at = self.text:find("[\\" .. quote .. "]", self.at)
      if not at then self:fail "a string without an end" end
      if self.text:sub(at, at) == quote then
        self.at = at + 1
        break
      end
      self.at = at + 2
    end
    parts = parts or {}
    parts[#parts + 1] = unescaped(self.text:sub(begin, self.at - 2))
  end
end

function Reader:value(depth)
  if self:take "[{<]" then return self:message(depth + 1, true) end
  return self:string() or self:take "[%w_.+-]+" or self:fail "no value"
end

function Reader:message(depth, nested)
  if depth > DEEPEST then self:fail "too many messages in one another" end
  local fields = {}
  while true do
    if nested and self:take "[}>]" then return fields end
    local name = self:take "[%a_][%w_]*" or self:take "%[[%w_./-]+%]"
    if not name then
      if not nested and self.at > #self.text then return fields end
      self:fail "no field"
    end
    self:take ":"
    local values = fields[name] or {}
    fields[name] = values
    if self:take "%[" then
      while not self:take "%]" do values[#values + 1] = self:value(depth) end
    else
      values[#values + 1] = self:value(depth)
    end
  end
end

--- The message of a text; nil and what is malformed.
return function(text)
  local ok, result = pcall(Reader.message, setmetatable({ text = text, at = 1 }, Reader), 1, false)
  if ok then return result end
  if type(result) == "table" and result.malformed then return nil, result.malformed end
  error(result, 0)
end
