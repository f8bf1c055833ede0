-- The state that a function of a script can change: variables outside of it, and tables. It is restored after a
-- rehearsal, which must leave no trace.

local Snapshot = {}
Snapshot.__index = Snapshot

-- What scripts cannot change.
local function is_fixed(value) return value == reg or value == string or value == math or value == table end

function Snapshot:keep_table(value)
  local copy = {}
  self.tables[value] = copy
  for key, inner in next, value do
    copy[key] = inner
    self:keep(inner)
  end
end

function Snapshot:keep_function(f)
  local values = {}
  self.functions[f] = values
  for i = 1, math.huge do
    local there, value = core.upvalue(f, i)
    if not there then return end
    values[i] = { value }
    self:keep(value)
  end
end

--- Keeps the state of a function or a table, and of everything it leads to.
function Snapshot:keep(value)
  if self.tables[value] or self.functions[value] then return end
  if type(value) == "function" then self:keep_function(value) end
  if type(value) == "table" and not is_fixed(value) then self:keep_table(value) end
end

function Snapshot:restore()
  for f, values in pairs(self.functions) do
    for i, kept in ipairs(values) do
      local _, now = core.upvalue(f, i)
      if now ~= kept[1] then core.set_upvalue(f, i, kept[1]) end
    end
  end
  for changed, copy in pairs(self.tables) do
    for key in next, changed do
      if copy[key] == nil then rawset(changed, key, nil) end
    end
    for key, value in next, copy do
      if rawget(changed, key) ~= value then rawset(changed, key, value) end
    end
  end
end

return function() return setmetatable({ tables = {}, functions = {} }, Snapshot) end
