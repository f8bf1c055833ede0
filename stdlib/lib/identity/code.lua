-- What `measure` does: the bytecode of it and of every Lua function of the script that it reaches, with its constants
-- and the plain values it uses from outside. Comments, line numbers and names of local variables do not count. And the
-- data that it uses from outside: tables such as settings, and global variables. What it changes is state, and no part
-- of its key; nor are objects, large tables and the subjects.

local MOST = 256  -- entries, with those of the tables in it
local PLAIN = { string = true, number = true, boolean = true }

local Code = {}
Code.__index = Code

-- Functions in a table that code looks up by one of these names; they may be in tables in it, as in modules.
function Code:look_into(container, names, seen)
  if seen[container] then return end
  seen[container] = true
  for _, name in ipairs(names) do
    local value = rawget(container, name)
    if type(value) == "function" then self:add(value) end
    if type(value) == "table" and value ~= reg then self:look_into(value, names, seen) end
  end
  local meta = getmetatable(container)
  local index = type(meta) == "table" and rawget(meta, "__index")
  if type(index) == "table" then self:look_into(index, names, seen) end
  if type(index) == "function" then self:add(index) end
end

-- What a function has from outside. The engine's own functions count only for what they call of the script's.
function Code:add_upvalues(f, names, assigned)
  for i = 1, math.huge do
    local there, value = core.upvalue(f, i)
    if not there then return end
    if type(value) == "function" then
      self:add(value)
    elseif names and type(value) == "table" then
      self.tables[#self.tables + 1] = value
      self:look_into(value, names, {})
    elseif names and PLAIN[type(value)] and not assigned[i] then
      self.parts[#self.parts + 1] = { i, math.type(value) or type(value), tostring(value) }
    end
  end
end

function Code:add(f)
  if self.seen[f] then return end
  self.seen[f] = true
  local hash, names, assigned = core.bytecode(f)
  if hash == nil then return end  -- a C function
  if hash then self.parts[#self.parts + 1] = hash end
  for _, name in ipairs(names or {}) do self.names[name] = true end
  self:add_upvalues(f, names, assigned)
end

local code_of = {}

--- What `measure` does: `parts` of the key; the `tables` that it and its functions use directly; and the `names` in
--- them, a set.
function code_of.measure(measure)
  local self = setmetatable({ parts = {}, tables = {}, names = {}, seen = {} }, Code)
  self:add(measure)
  return self
end

-- A copy with every value as text and its type; nil for what does not count.
local function plain(value, skipped, room)
  if skipped[value] or getmetatable(value) ~= nil then return nil end
  local copy = {}
  for key, inner in next, value do
    room.left = room.left - 1
    local text
    if type(inner) == "table" then text = plain(inner, skipped, room) end
    if PLAIN[type(inner)] then text = (math.type(inner) or type(inner)) .. " " .. tostring(inner) end
    if room.left < 0 or text == nil then return nil end
    copy[type(key) .. " " .. tostring(key)] = text
  end
  return copy
end

local function hash(value, skipped)
  local copy = plain(value, skipped, { left = MOST })
  return copy and reg.store.key(copy) or false
end

-- Global variables by the names in the code.
local function globals(names)
  local found = {}
  for name in pairs(names) do
    local value = rawget(_G, name)
    if PLAIN[type(value)] then found[name] = value end
  end
  return found
end

--- Those of `before` that are the same in `after`, a list.
function code_of.constant(before, after)
  local list = reg.json.array {}
  for i, one in ipairs(before) do
    if one and one == after[i] then list[#list + 1] = one end
  end
  return list
end

--- The hash of each table that `code`, of code_of.measure, uses; false for one that does not count.
function code_of.data(code, subjects)
  local skipped, list = { [subjects] = true }, {}
  if core.options then skipped[core.options] = true end
  for _, subject in ipairs(subjects) do skipped[subject] = true end
  for i, one in ipairs(code.tables) do list[i] = one ~= _G and hash(one, skipped) end
  list[#list + 1] = hash(globals(code.names), skipped)
  return list
end

return code_of
