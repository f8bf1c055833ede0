-- Protocol buffers as XLA writes them as text: fields of a message by name, each a list of its values; a value is a
-- string or a message.

local ESCAPES <const> = { n = "\n", r = "\r", t = "\t" }
local DEEPEST <const> = 100

-- The text of a string without its quotes.
local function unescaped(text)
  text = text:gsub("\\\\", "\\134"):gsub("\\([^0-7])", function(one) return ESCAPES[one] or one end)
  return (text:gsub("\\([0-7][0-7]?[0-7]?)", function(digits) return string.char(tonumber(digits, 8) % 256) end))
end

local Reader = {}
Reader.__index = Reader

function Reader:take(pattern)
  local found, behind = self.text:match("^%s*(" .. pattern .. ")()", self.at)
  if found then self.at = behind end
  return found
end

function Reader:fail(what)
  local _, line = self.text:sub(1, self.at):gsub("\n", "")
  error({ malformed = ("%s in line %d"):format(what, line + 1) }, 0)
end

function Reader:string()
  local begin, at = self.at, self.at
  repeat
    at = self.text:find('[\\"]', at) or self:fail "a string without an end"
    local is_end = self.text:sub(at, at) == '"'
    at = is_end and at or at + 2
  until is_end
  self.at = at + 1
  return unescaped(self.text:sub(begin, at - 1))
end

function Reader:value(depth)
  if self:take "{" then return self:message(depth + 1) end
  return self:take '"' and self:string() or self:take "[%w_.+-]+" or self:fail "no value"
end

function Reader:message(depth)
  if depth > DEEPEST then self:fail "too many messages in one another" end
  local fields = {}
  while not (depth > 1 and self:take "}") do
    local name = self:take "[%a_][%w_]*" or self:take "%[[%w_./-]+%]"
    if not name then
      if depth == 1 and not self.text:find("%S", self.at) then break end
      self:fail "no field"
    end
    self:take ":"
    fields[name] = fields[name] or {}
    table.insert(fields[name], self:value(depth))
  end
  return fields
end

--- The message of a text; nil and what is malformed.
return function(text)
  local ok, result = pcall(Reader.message, setmetatable({ text = text, at = 1 }, Reader), 1)
  if ok then return result end
  if type(result) == "table" and result.malformed then return nil, result.malformed end
  error(result, 0)
end
