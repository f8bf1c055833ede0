-- The type of an expression without running it: existing values, and for a call the type that the stubs say it returns.
-- A thing is { value =, entry = } (entry: the stub of a function), { class = } or { list = class }.

local strategies = require "lib/strategies"
local stubs = require "lib/help/stubs"
local types = {}

local function class_of_object(value)
  return type(value) == "userdata" and stubs.all().classes[getmetatable(value)] or nil
end

local entry_by_function
-- The stub of a function of reg, or of a callable noun.
local function entry_of(value)
  if type(value) ~= "function" and type(value) ~= "table" then return nil end
  if not entry_by_function then
    entry_by_function = {}
    for name, member in pairs(stubs.visible()) do entry_by_function[member] = stubs.all().functions[name] end
  end
  return entry_by_function[value] or strategies.entry(value)
end

--- The thing of a stub type: its first class, or a list of that.
function types.of_type(text)
  local element = text:match "table<[^,]+,%s*(.-)>"
  local class = stubs.classes_of(element or text)[1]
  if not class then return nil end
  local is_list = element or text:find "%[%]"
  return is_list and { list = class } or { class = class }
end

local function of_value(value) return value ~= nil and { value = value, entry = entry_of(value) } or nil end

local function read(value, key)
  local ok, inner = pcall(function() return value[key] end)
  if ok then return inner end
end

--- The field or method `name` of a thing.
function types.member(thing, name)
  if thing.list then return { class = thing.list } end
  local class = thing.class or class_of_object(thing.value)
  local entry = class and stubs.all().functions[class.name .. "." .. name]
  if entry then return { entry = entry, owner = thing } end
  if thing.value ~= nil then return of_value(read(thing.value, name)) end
  for _, field in ipairs(class and stubs.fields(class) or {}) do
    if field.name == name then return types.of_type(field.type) end
  end
end

local function called(thing)
  local result = thing.entry and thing.entry.returns[1]
  return result and types.of_type(result.type)
end

local function indexed(thing, tokens, from, to)
  if thing.list then return { class = thing.list } end
  local key = to == from + 2 and tokens[from + 1]
  if thing.value == nil or not key then return nil end
  if key.kind == "number" then return of_value(read(thing.value, tonumber(key.text))) end
  if key.kind == "string" then return of_value(read(thing.value, key.text:sub(2, -2))) end
end

local CLOSERS, OPENERS = { [")"] = "(", ["}"] = "{", ["]"] = "[" }, { ["("] = true, ["{"] = true, ["["] = true }

local function opener_of(tokens, at)
  local depth = 0
  for i = at, 1, -1 do
    if tokens[i].kind == "symbol" then
      if CLOSERS[tokens[i].text] then depth = depth + 1 end
      if OPENERS[tokens[i].text] then depth = depth - 1 end
    end
    if depth == 0 then return i end
  end
end

local function ends_value(token)
  return token and (token.kind == "name" or token.kind == "string" or token.kind == "symbol" and CLOSERS[token.text])
end

-- The number of the first token of the expression that ends with token number `last`.
local function start_of(tokens, last)
  local at = last
  while at and at > 0 do
    local token, before = tokens[at], tokens[at - 1]
    if token.kind == "symbol" and CLOSERS[token.text] then
      at = opener_of(tokens, at)
      if not at then return nil end
      if not ends_value(tokens[at - 1]) then return at end
      at = at - 1
    elseif token.kind == "string" then
      if not ends_value(before) then return at end
      at = at - 1
    elseif token.kind ~= "name" then
      return nil
    elseif before and (before.text == "." or before.text == ":") then
      at = at - 2
    else
      return at
    end
  end
end

local function closer_of(tokens, at)
  for i = at + 1, #tokens do
    if tokens[i].kind == "symbol" and CLOSERS[tokens[i].text] and opener_of(tokens, i) == at then return i end
  end
end

--- The thing of the expression that ends with token number `last`; nil if it is unknown.
function types.of_expression(tokens, last, env)
  local at = start_of(tokens, last)
  if not at then return nil end
  local thing
  if tokens[at].kind == "string" then
    thing = { value = "" }
  elseif tokens[at].kind == "name" then
    thing = of_value(read(env, tokens[at].text))
  end
  at = at + 1
  while thing and at <= last do
    local token = tokens[at]
    if token.text == "." or token.text == ":" then
      thing = types.member(thing, tokens[at + 1].text)
      at = at + 2
    elseif token.kind == "string" then
      thing, at = called(thing), at + 1
    else
      local stop = closer_of(tokens, at)
      thing = token.text == "[" and indexed(thing, tokens, at, stop) or token.text ~= "[" and called(thing) or nil
      at = stop + 1
    end
  end
  return thing
end

local function add_keys(names, t, only_functions)
  for key, value in pairs(t) do
    if type(key) == "string" and (not only_functions or type(value) == "function") then names[#names + 1] = key end
  end
end

--- The names that can follow the thing and "." or ":".
function types.member_names(thing, separator)
  local names, value = {}, thing.value
  local class = thing.class or class_of_object(value)
  if class then
    for name, entry in pairs(stubs.all().functions) do
      local owner, member = name:match "^(.*)%.([^%.]+)$"
      if owner == class.name and entry.method == (separator == ":") then names[#names + 1] = member end
    end
    if separator == "." then
      for _, field in ipairs(stubs.fields(class)) do names[#names + 1] = field.name end
    end
  elseif type(value) == "string" then
    add_keys(names, string, true)
  elseif type(value) == "table" then
    add_keys(names, value, separator == ":")
    local meta = getmetatable(value)
    local behind = type(meta) == "table" and meta.__index
    if type(behind) == "table" then add_keys(names, behind, separator == ":") end
  end
  return names
end

return types
