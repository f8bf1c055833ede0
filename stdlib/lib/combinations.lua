-- Every combination of the values of axes, the last axis changing fastest: a table with a field for each axis and `id`,
-- "dynamo=openxla test=eval". The axes are a list, { { dynamo = { "openxla", "inductor" } }, { test = { "eval" } } }.

local values = require "lib/values"

local map, merged = values.map, values.merged

local RESERVED = { id = true, skipped = true }

local function text_of(value) return type(value) == "string" and value or reg.json.encode(value) end

-- The axes of a call as { { name =, values = }, ... }.
local function axes_of(who, given)
  local axes, seen = {}, {}
  local function usage(message, hint) core.fail("usage", who .. ": " .. message, hint) end
  for at, one in ipairs(type(given) == "table" and given or {}) do
    local name, list = next(type(one) == "table" and one or {})
    if type(name) ~= "string" or next(one, name) ~= nil or type(list) ~= "table" or #list == 0 then
      usage("axis " .. at .. " must be { name = { value, ... } }", "Write one table for each axis.")
    end
    if RESERVED[name] then usage("'" .. name .. "' is not a valid axis name") end
    if seen[name] then usage("two axes are called '" .. name .. "'") end
    seen[name], axes[at] = true, { name = name, values = list }
  end
  if #axes == 0 then usage("needs axes", 'Write { { model = { "a", "b" } }, { test = { "eval", "train" } } }.') end
  return axes
end

--- `who`: the function whose option the axes are. Raises usage for an axis without values, and two of the same name.
return function(who, given)
  local axes, all = axes_of(who, given), { {} }
  for _, axis in ipairs(axes) do
    all = values.flat(all, function(one)
      return map(axis.values, function(value) return merged(one, { [axis.name] = value }) end)
    end)
  end
  for _, one in ipairs(all) do
    one.id = table.concat(map(axes, function(axis) return axis.name .. "=" .. text_of(one[axis.name]) end), " ")
  end
  return all
end
