-- The data that `measure` uses from outside: tables such as settings, and global variables. What it changes is state,
-- and no part of its key; nor are objects, large tables and the subjects.

local MOST = 256  -- entries, with those of the tables in it
local PLAIN = { string = true, number = true, boolean = true }

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

local data = {}

--- Those of `before` that are the same in `after`, a list.
function data.constant(before, after)
  local list = reg.json.array {}
  for i, one in ipairs(before) do
    if one and one == after[i] then list[#list + 1] = one end
  end
  return list
end

--- The hash of each table that `code` uses (lib/identity/code), false for one that does not count.
return setmetatable(data, { __call = function(_, code, subjects)
  local skipped, list = { [subjects] = true }, {}
  if core.options then skipped[core.options] = true end
  for _, subject in ipairs(subjects) do skipped[subject] = true end
  for i, one in ipairs(code.tables) do list[i] = one ~= _G and hash(one, skipped) end
  list[#list + 1] = hash(globals(code.names), skipped)
  return list
end })
