-- reg.matrix: combinations of axes. A matrix is a list of configurations; each method returns a new one.

local lists = require "lib/values"

local map, merged, only = lists.map, lists.merged, lists.only

--- One configuration: a field for each axis with its value, and these two.
---@class matrix.Configuration
---@field id string "dynamo=openxla test=eval", values in the order of the axes
---@field skipped? string why it is recorded as skipped and does not run

--- A list of configurations, for # and ipairs. Every method returns a new one.
--- ```lua
--- local all = reg.matrix { { program = { "gzip", "xz" } }, { level = { 1, 9 } } }
--- print(#all:where(function(c) return c.program == "gzip" or c.level > 1 end))
--- print(all:skip(function(c) return c.program == "xz" and c.level == 9 end, "takes an hour")[4].skipped)
--- ```
---@class matrix.Matrix
local Matrix = { __name = "matrix" }
Matrix.__index = Matrix

local RESERVED = { id = true, skipped = true }

local function text_of(value) return type(value) == "string" and value or reg.json.encode(value) end

local function usage(message, hint) core.fail("usage", "matrix: " .. message, hint) end

-- The axes of a call as { { name =, values = }, ... }.
local function axes_of(given)
  local axes, seen = {}, {}
  for at, one in ipairs(type(given) == "table" and given or {}) do
    local name, values = next(type(one) == "table" and one or {})
    if type(name) ~= "string" or next(one, name) ~= nil or type(values) ~= "table" or #values == 0 then
      usage("axis " .. at .. " must be { name = { value, ... } }", "Write one table for each axis.")
    end
    if RESERVED[name] then usage("'" .. name .. "' is not a valid axis name") end
    if seen[name] then usage("two axes are called '" .. name .. "'") end
    seen[name] = true
    axes[at] = { name = name, values = values }
  end
  if #axes == 0 then usage("needs axes", 'Write { { model = { "a", "b" } }, { test = { "eval", "train" } } }.') end
  return axes
end

local function check_function(f, method)
  if type(f) ~= "function" then usage(method .. " takes a function of a configuration") end
end

--- The configurations for which f is true: the others are not supported and are not recorded. Raises what f raises.
---@param f fun(configuration: matrix.Configuration, place: integer): boolean
---@return matrix.Matrix matrix
function Matrix:where(f)
  check_function(f, "where")
  return setmetatable(only(self, f), Matrix)
end

--- All configurations; those for which f is true are marked as skipped: they are recorded with the reason and do not
--- run. One that is already marked keeps its reason. Raises usage without a reason.
---@param f fun(configuration: matrix.Configuration): boolean
---@param why string
---@return matrix.Matrix matrix
function Matrix:skip(f, why)
  check_function(f, "skip")
  if type(why) ~= "string" or why == "" then usage("skip needs a reason, a string") end
  return setmetatable(map(self, function(one)
    return (one.skipped or not f(one)) and one or merged(one, { skipped = why })
  end), Matrix)
end

--- Every combination of the axes' values, the last axis changing fastest. The axes are a list to keep their order. The
--- value reg.json.null stands for null in records. Raises usage for an axis without values and for two axes of the same
--- name.
--- ```lua
--- local matrix = reg.matrix {
---   { dynamo = { "openxla", "inductor" } },
---   { xla = { "PJRT", reg.json.null } },
---   { test = { "eval", "train" } },
--- }:where(function(c) return (c.dynamo == "openxla") == (c.xla == "PJRT") end)
--- for _, configuration in ipairs(matrix) do print(configuration.id) end
--- ```
---@param axes table<string, any[]>[]
---@return matrix.Matrix matrix
return function(given)
  local axes = axes_of(given)
  local configurations = { {} }
  for _, axis in ipairs(axes) do
    local longer = {}
    for _, configuration in ipairs(configurations) do
      for _, value in ipairs(axis.values) do longer[#longer + 1] = merged(configuration, { [axis.name] = value }) end
    end
    configurations = longer
  end
  for _, one in ipairs(configurations) do
    one.id = table.concat(map(axes, function(axis) return axis.name .. "=" .. text_of(one[axis.name]) end), " ")
  end
  return setmetatable(configurations, Matrix)
end
