-- What `measure` does: the bytecode of it and of every Lua function of the script that it reaches, with its constants
-- and the plain values it uses from outside. Comments, line numbers and names of local variables do not count.

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

--- What `measure` does: `parts` of the key; the `tables` that it and its functions use directly; and the `names` in
--- them, a set.
return function(measure)
  local self = setmetatable({ parts = {}, tables = {}, names = {}, seen = {} }, Code)
  self:add(measure)
  return self
end
