-- Completion at the prompt: names that exist, options of functions and strategies by their stubs, and files. It calls
-- nothing but what an index calls.

local strategies = require "lib/strategies"
local stubs = require "lib/help/stubs"
local usage = require "lib/options/usage"
local values = require "lib/values"

local KEYWORDS = values.matches("and break do else elseif end false for function goto if in local nil not or repeat "
  .. "return then true until while", "%a+")

local complete = {}

--- Those of `candidates` that begin with `part`, without control characters, sorted; names with a leading
--- "_" only where it is typed.
function complete.fitting(part, candidates)
  local fitting = {}
  for _, name in ipairs(candidates) do
    local hidden = name:find "%c" or (name:sub(1, 1) == "_" and part:sub(1, 1) ~= "_")
    fitting[name] = not hidden and name:sub(1, #part) == part or nil
  end
  return values.sorted_names(fitting)
end

local fitting = complete.fitting

--- The paths that begin with `part`, in the folder that it names; none if that cannot be read.
function complete.files(part)
  local folder = part:match "^.*/" or ""
  local ok, found = pcall(reg.fs.list, folder == "" and "." or folder)
  return fitting(part, values.map(ok and found or {}, function(name) return folder .. name end))
end

-- The text up to an open string, with blanks for strings and comments, and where that string begins; nil in a comment.
local function code_of(text)
  local from = 1
  text = text:gsub("\\.", "..")
  while true do
    local at, mark = text:match("()([\"'%-])", from)
    if not at then return text end
    local is_comment = text:find("^%-%-", at)
    from = at + 1
    if mark ~= "-" or is_comment then
      local stop = text:find(is_comment and "\n" or mark, from, true)
      if not stop then return not is_comment and text:sub(1, at - 1) or nil, at end
      text, from = text:sub(1, at - 1) .. (" "):rep(stop + 1 - at) .. text:sub(stop + 1), stop + 1
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

-- The fields of the table that is open at the end of the code, if a function or strategy takes it; and what is in it.
local function fields_at_end(code, env)
  local before, inside = code:gsub("%b()", ""):gsub("%b{}", ""):match "^(.*){([^{]*)$"
  local call = before and before:find "[,(]%s*$" and before:match "^(.*)%([^({]*$"
  local stub = before and stub_at_end(call or before, env)
  return values.flat(stub and stub.params or {}, function(param)
    return param.fields or values.flat(stubs.classes_of(param.type), stubs.fields)
  end), inside
end

-- In a string: the words that a field can have, topics of help, or files.
local function values_at_end(code, part, env)
  if code:find "%f[%w_]help%s*%(?%s*$" then return fitting(part, stubs.topics()) end
  local key = code:match "([%a_][%w_]*)%s*=%s*$"
  local words = values.flat(key and fields_at_end(code, env) or {}, function(field)
    return field.name == key and values.matches(field.type, '"([^"]*)"') or {}
  end)
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
    local behind = type(meta) == "table" and meta.__index
    for _, t in ipairs { value, type(behind) == "table" and behind or nil } do add_keys(names, t, separator == ":") end
  end
  return names
end

-- The options that the open table may still have.
local function option_keys(code, env)
  local fields, inside = fields_at_end(code, env)
  local begins = inside and (inside:find "^%s*$" or inside:find "[,;]%s*$")
  return values.map(begins and fields or {}, function(field)
    return not inside:find("%f[%w_]" .. field.name .. "%s*=") and field.name or nil
  end)
end

--- Completes the end of `text` with the globals `env`: the part that is there already, the possible names, sorted, and
--- what to insert after the name if there is only one.
function complete.names(text, env)
  local code, quote = code_of(text)
  if not code then return "", {}, "" end
  if quote then
    local part = text:sub(quote + 1)
    return part, values.map(values_at_end(code, part, env), function(value)
      return not value:find "[%c\\'\"]" and value or nil  -- others would end the string
    end), text:sub(quote, quote)
  end
  local before, part = code:match "^(.-)([%w_]*)$"
  if before:find "[^.][.:]%s*$" then
    local path, separator = before:match "([%a_][%w_.]*)%s*([.:])%s*$"
    local value = path and value_of(path, env)
    return part, value ~= nil and fitting(part, members(value, separator)) or {}, ""
  end
  local keys = fitting(part, option_keys(before, env))
  if #keys > 0 then return part, keys, " = " end
  local names = table.move(KEYWORDS, 1, #KEYWORDS, 1, {})
  for _, scope in ipairs { env, _G } do add_keys(names, scope) end
  for _, name in ipairs(usage.shipped()) do names[#names + 1] = strategies.name_of(env[name]) end
  return part, fitting(part, names), ""
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
