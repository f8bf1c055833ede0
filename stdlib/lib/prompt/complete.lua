-- Completion at the prompt: names that exist, options of functions and strategies by their stubs, and files. It calls
-- nothing but what an index calls.

local strategies = require "lib/strategies"
local stubs = require "lib/help/stubs"
local usage = require "lib/options/usage"

local KEYWORDS = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in",
  "local", "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" }

local complete = {}

--- Those of `candidates` that begin with `part`, without control characters, sorted; names with a leading
--- "_" only where it is typed.
function complete.fitting(part, candidates)
  local names, seen = {}, {}
  for _, name in ipairs(candidates) do
    local hidden = name:find "%c" or (name:sub(1, 1) == "_" and part:sub(1, 1) ~= "_")
    if name:sub(1, #part) == part and not seen[name] and not hidden then names[#names + 1] = name end
    seen[name] = true
  end
  table.sort(names)
  return names
end

local fitting = complete.fitting

--- The paths that begin with `part`, in the folder that it names; none if that cannot be read.
function complete.files(part)
  local folder = part:match "^.*/" or ""
  local ok, found = pcall(reg.fs.list, folder == "" and "." or folder)
  local names = {}
  for i, name in ipairs(ok and found or {}) do names[i] = folder .. name end
  return fitting(part, names)
end

-- The positions of the brackets that are open at the end of the text, and of the quote of an open string; or nil in a
-- comment.
local function open_at_end(text)
  local open, at = {}, 1
  while true do
    local from = text:find("[\"'%-%[%](){}]", at)
    if not from then return open end
    local char = text:sub(from, from)
    at = from + 1
    if char == '"' or char == "'" then
      repeat
        local stop = text:find("[\\" .. char .. "]", at)
        if not stop then return open, from end
        local escapes = text:sub(stop, stop) == "\\"
        at = stop + (escapes and 2 or 1)
      until not escapes
    elseif char == "-" then
      local is_comment = text:sub(at, at) == "-"
      local stop = is_comment and text:find("\n", at, true)
      if is_comment and not stop then return nil end
      at = stop or at
    elseif char:find "[%[({]" then
      open[#open + 1] = from
    else
      table.remove(open)
    end
  end
end

-- The value of "reg.container.run", by the globals `env`.
local function value_of(path, env)
  local value = env
  for name in path:gmatch "[^.]+" do
    local ok, inner = pcall(function() return value[name] end)
    if not ok or inner == nil then return nil end
    value = inner
  end
  return value
end

local function class_of(value) return type(value) == "userdata" and stubs.all().classes[getmetatable(value)] or nil end

local entries
-- The stub of the function or strategy that the text names at its end.
local function stub_at_end(text, env)
  local object, method = text:match "([%a_][%w_.]*):([%a_][%w_]*)%s*$"
  local class = object and class_of(value_of(object, env))
  if class then return stubs.all().functions[class.name .. "." .. method] end
  local value = value_of(text:match "([%a_][%w_.]*)%s*$" or "", env)
  if not entries then
    entries = {}
    for name, member in pairs(stubs.visible()) do entries[member] = stubs.all().functions[name] end
  end
  return value ~= nil and (entries[value] or strategies.entry(value)) or nil
end

-- The fields of the table that is open at the end of the text, if a function or strategy takes it.
local function fields_at_end(text, open, env)
  local at = open[#open]
  if not at or text:sub(at, at) ~= "{" then return {} end
  local before = text:sub(1, at - 1)
  local outer = open[#open - 1]
  local in_call = outer and text:sub(outer, outer) == "(" and before:find "[,(]%s*$"
  local stub = stub_at_end(in_call and text:sub(1, outer - 1) or before, env)
  local fields = {}
  for _, param in ipairs(stub and stub.params or {}) do
    table.move(param.fields or {}, 1, #(param.fields or {}), #fields + 1, fields)
    for _, class in ipairs(stubs.classes_of(param.type)) do
      local own = stubs.fields(class)
      table.move(own, 1, #own, #fields + 1, fields)
    end
  end
  return fields
end

-- In a string: the words that a field can have, topics of help, or files.
local function values_at_end(text, quote, open, env)
  local before, part = text:sub(1, quote - 1), text:sub(quote + 1)
  if before:find "%f[%w_]help%s*%(?%s*$" then return fitting(part, stubs.topics()) end
  local key = before:match "([%a_][%w_]*)%s*=%s*$"
  local words = {}
  for _, field in ipairs(key and fields_at_end(text, open, env) or {}) do
    for word in (field.name == key and field.type or ""):gmatch '"([^"]*)"' do words[#words + 1] = word end
  end
  return #words > 0 and fitting(part, words) or complete.files(part)
end

local function add_keys(names, t, only_functions)
  for key, value in pairs(t) do
    if type(key) == "string" and (not only_functions or type(value) == "function") then names[#names + 1] = key end
  end
end

-- The names that can follow the value and "." or ":".
local function members(value, separator)
  local names, class, meta = {}, class_of(value), getmetatable(value)
  if class then
    for name, entry in pairs(stubs.all().functions) do
      local owner, member = name:match "^(.*)%.([^%.]+)$"
      if owner == class.name and entry.method == (separator == ":") then names[#names + 1] = member end
    end
    for _, field in ipairs(separator == "." and stubs.fields(class) or {}) do names[#names + 1] = field.name end
  elseif type(value) == "string" then
    add_keys(names, string, true)
  elseif type(value) == "table" then
    add_keys(names, value, separator == ":")
    local behind = type(meta) == "table" and meta.__index
    if type(behind) == "table" then add_keys(names, behind, separator == ":") end
  end
  return names
end

local function option_keys(text, open, env)
  local names, at = {}, open[#open]
  for _, field in ipairs(text:find "[{,;]%s*$" and fields_at_end(text, open, env) or {}) do
    local is_given = text:find("%f[%w_]" .. field.name .. "%s*=", at)
    if not is_given then names[#names + 1] = field.name end
  end
  return names
end

local function plain_names(env)
  local names = table.move(KEYWORDS, 1, #KEYWORDS, 1, {})
  for _, scope in ipairs { env, _G } do add_keys(names, scope) end
  for _, name in ipairs(usage.shipped()) do names[#names + 1] = strategies.name_of(env[name]) end
  return names
end

--- Completes the end of `text` with the globals `env`: the part that is there already, the possible names, sorted, and
--- what to insert after the name if there is only one.
function complete.names(text, env)
  local open, quote = open_at_end(text)
  if not open then return "", {}, "" end
  env = env or _G
  if quote then
    local names = {}
    for _, value in ipairs(values_at_end(text, quote, open, env)) do
      if not value:find "[%c\\'\"]" then names[#names + 1] = value end  -- others would end the string
    end
    return text:sub(quote + 1), names, text:sub(quote, quote)
  end
  local before, part = text:match "^(.-)([%w_]*)$"
  local path, separator = before:match "([%a_][%w_.]*)%s*([.:])%s*$"
  if before:find "[^.][.:]%s*$" then
    local value = path and value_of(path, env)
    return part, value ~= nil and fitting(part, members(value, separator)) or {}, ""
  end
  local keys = fitting(part, option_keys(before, open, env))
  if #keys > 0 then return part, keys, " = " end
  return part, fitting(part, plain_names(env)), ""
end

--- What Tab adds to a part with these possible names; "" and the names in columns if it can add nothing.
function complete.added(part, names, suffix)
  local common, widest = names[1] or "", 0
  for _, name in ipairs(names) do
    while name:sub(1, #common) ~= common do common = common:sub(1, -2) end
    widest = math.max(widest, #name + 2)
  end
  if #names == 1 then common = common .. suffix end
  if #common > #part or #names < 2 then return common:sub(#part + 1), "" end
  local _, columns = core.nouns.report.room()
  local across = math.max(1, columns // widest)
  for i, name in ipairs(names) do
    names[i] = (i % across == 0 or i == #names) and name .. "\n" or name .. (" "):rep(widest - #name)
  end
  return "", table.concat(names)
end

return complete
