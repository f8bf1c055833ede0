-- What may stand at the end of a line, for the prompt.

local stubs = require "help/stubs"

-- The global `path` ("reg.git", "repo") without calling anything but reg's own index; nil where there is none.
local function value_of(path)
  local value = _G
  for part in path:gmatch "[%w_]+" do
    local ok, inner = pcall(function() return value[part] end)
    if not ok or inner == nil then return nil end
    value = inner
  end
  return value
end

local function member_names(value)
  local names = {}
  if type(value) == "string" then value = string end
  if type(value) == "userdata" then
    local prefix = tostring(getmetatable(value)) .. "."
    for _, entry in ipairs(core.registered()) do
      if entry.name:sub(1, #prefix) == prefix then names[#names + 1] = entry.name:sub(#prefix + 1) end
    end
  elseif type(value) == "table" then
    for key in pairs(value) do
      if type(key) == "string" then names[#names + 1] = key end
    end
  end
  return names
end

-- The option keys of the call whose table of options is open at the end of `text`.
local function open_options(text)
  local path = text:match "([%w_%.:]+)%s*%(?[^{}()]*{[^{}]*$"
  if not path then return {} end
  local owner, method = path:match "^([%w_%.]+):([%w_]+)$"
  local name = stubs.short(path)
  if owner then
    local object = value_of(owner)
    name = type(object) == "userdata" and getmetatable(object) .. "." .. method or name
  end
  for _, entry in ipairs(core.registered()) do
    if entry.name == name and entry.options then return entry.options end
  end
  local keys = {}
  local stub = stubs.all().functions[name]
  for _, param in ipairs(stub and stub.params or {}) do
    for _, class in ipairs(stubs.classes_of(param.type)) do
      for _, field in ipairs(stubs.fields(class)) do keys[#keys + 1] = field.name end
    end
  end
  return keys
end

local keywords = { "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "goto", "if", "in", "local",
                   "nil", "not", "or", "repeat", "return", "then", "true", "until", "while" }

--- What may stand at the end of `text`: the part of a name that is there already, and the whole names, sorted.
return function(text)
  local path, part = text:match "([%w_%.:]*[%.:])([%w_]*)$"
  local candidates
  if path then
    candidates = member_names(value_of(path))
  else
    part = text:match "[%w_]*$"
    candidates = open_options(text:sub(1, #text - #part))
    if #candidates == 0 then
      candidates = member_names(_G)
      table.move(keywords, 1, #keywords, #candidates + 1, candidates)
    end
  end
  local fitting, seen = {}, {}
  for _, name in ipairs(candidates) do
    local private = name:sub(1, 1) == "_" and part:sub(1, 1) ~= "_"
    if name:sub(1, #part) == part and not seen[name] and not private then fitting[#fitting + 1] = name end
    seen[name] = true
  end
  table.sort(fitting)
  return part, fitting
end
