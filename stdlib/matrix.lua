-- reg.matrix: combinations of axes. A matrix is a list of configurations; each method returns a new one.

local lists = require "lib/values"

local find, map, merged = lists.find, lists.map, lists.merged

--- One configuration: a field for each axis with its value, and these two.
---@class matrix.Configuration
---@field id string "dynamo=openxla test=eval", values in the order of the axes
---@field skipped? string why it is recorded as skipped and does not run

--- A list of configurations, for # and ipairs. Every method returns a new one.
--- ```lua
--- local all = reg.matrix { { program = { "gzip", "xz" } }, { level = { 1, 9 } } }
--- print(#all:where(function(c) return c.program == "gzip" or c.level > 1 end))
--- print(all:skip(function(c) return c.program == "xz" and c.level == 9 end, "takes an hour")[4].skipped)
--- print(#all:filter("^gz", "program"), #all:exclude({ "^xz$" }, "program"), #all:only({ "gzip" }, "program"))
--- print(all:shard(1, 4)[1].id)
--- ```
---@class matrix.Matrix
local Matrix = { __name = "matrix" }
Matrix.__index = Matrix

local axes_by_matrix = setmetatable({}, { __mode = "k" })

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

local function new(axes, configurations)
  axes_by_matrix[configurations] = axes
  return setmetatable(configurations, Matrix)
end

-- The configurations for which keep(configuration, index) is true, or the ones that it returns instead.
local function select_by(matrix, keep)
  local result = {}
  for at, configuration in ipairs(matrix) do
    local kept = keep(configuration, at)
    if kept then result[#result + 1] = type(kept) == "table" and kept or configuration end
  end
  return new(axes_by_matrix[matrix], result)
end

local function check_function(f, method)
  if type(f) ~= "function" then usage(method .. " takes a function of a configuration") end
end

--- The configurations for which f is true: the others are not supported and are not recorded. Raises what f raises.
---@param f fun(configuration: matrix.Configuration): boolean
---@return matrix.Matrix matrix
function Matrix:where(f)
  check_function(f, "where")
  return select_by(self, function(configuration) return f(configuration) and true end)
end

--- All configurations; those for which f is true are marked as skipped: they are recorded with the reason and do not
--- run. One that is already marked keeps its reason. Raises usage without a reason.
---@param f fun(configuration: matrix.Configuration): boolean
---@param why string
---@return matrix.Matrix matrix
function Matrix:skip(f, why)
  check_function(f, "skip")
  if type(why) ~= "string" or why == "" then usage("skip needs a reason, a string") end
  return select_by(self, function(configuration)
    if configuration.skipped or not f(configuration) then return true end
    return merged(configuration, { skipped = why })
  end)
end

local function axis_named(matrix, name)
  local axes = axes_by_matrix[matrix]
  if name == nil then return axes[1].name end
  if find(axes, function(axis) return axis.name == name end) then return name end
  local names = map(axes, function(axis) return axis.name end)
  usage("no such axis: '" .. tostring(name) .. "'" .. core.did_you_mean(tostring(name), names))
end

-- f(configuration): whether one of the regular expressions matches in its value of the axis; nil without expressions.
local function matcher(matrix, expressions, axis)
  local name, list = axis_named(matrix, axis), type(expressions) == "table" and expressions or { expressions }
  local either = "(?:" .. table.concat(list, ")|(?:") .. ")"
  return #list > 0 and function(one) return core.regex_found(either, text_of(one[name])) end or nil
end

--- The configurations whose value of the axis matches one of the regular expressions (PCRE), anywhere and ignoring
--- case. The default axis is the first. Without expressions all match. Raises usage for an invalid expression.
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:filter(expressions, axis)
  return select_by(self, matcher(self, expressions, axis) or function() return true end)
end

--- The configurations whose value of the axis matches none of the regular expressions. Raises as filter does.
---@param expressions string|string[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:exclude(expressions, axis)
  local matches = matcher(self, expressions, axis)
  return select_by(self, function(configuration) return not matches or not matches(configuration) end)
end

--- The configurations whose value of the axis is in the list, such as a tier. The default axis is the first. Raises
--- usage for an unknown axis.
---@param values any[]
---@param axis? string
---@return matrix.Matrix matrix
function Matrix:only(values, axis)
  local name, wanted = axis_named(self, axis), lists.set(values)
  return select_by(self, function(configuration) return wanted[configuration[name]] end)
end

--- Part i of n: every n-th configuration, so that the parts are alike; the n parts together are all of them. Raises
--- usage unless 1 <= i <= n.
---@param i integer
---@param n integer
---@return matrix.Matrix matrix
function Matrix:shard(i, n)
  if math.type(i) ~= "integer" or math.type(n) ~= "integer" or n < 1 or i < 1 or i > n then
    usage(string.format("not a valid shard: %s of %s", i, n), "Pass i and n with 1 <= i <= n.")
  end
  return select_by(self, function(_, at) return (at - 1) % n == i - 1 end)
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
  return new(axes, configurations)
end
