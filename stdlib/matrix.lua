-- reg.matrix{ { axis = { value, ... } }, ... }: every combination, in order, and the ways to take some of them out. A matrix is a
-- list of configurations; each method gives a new one and leaves the old as it was.

local Matrix = { __name = "matrix" }
Matrix.__index = Matrix

local axes_by_matrix = setmetatable({}, { __mode = "k" })

local RESERVED = { id = true, skipped = true }

local function text_of(value) return type(value) == "string" and value or reg.json.encode(value) end

local function usage(message, hint) core.fail("usage", "matrix: " .. message, hint) end

-- { { name =, values = }, ... } of the lists in a call.
local function axes_of(given)
  local axes, seen = {}, {}
  for at, one in ipairs(type(given) == "table" and given or {}) do
    local name, values = next(type(one) == "table" and one or {})
    if type(name) ~= "string" or next(one, name) ~= nil or type(values) ~= "table" or #values == 0 then
      usage("axis " .. at .. " must be { name = { value, ... } }", "a table of its own for each axis keeps their order")
    end
    if RESERVED[name] then usage("an axis cannot be called '" .. name .. "'") end
    if seen[name] then usage("two axes are called '" .. name .. "'") end
    seen[name] = true
    axes[at] = { name = name, values = values }
  end
  if #axes == 0 then usage("needs axes, for instance { { model = { \"a\", \"b\" } }, { test = { \"eval\", \"train\" } } }") end
  return axes
end

local function id_of(axes, configuration)
  local words = {}
  for i, axis in ipairs(axes) do words[i] = axis.name .. "=" .. text_of(configuration[axis.name]) end
  return table.concat(words, " ")
end

local function new(axes, configurations)
  axes_by_matrix[configurations] = axes
  return setmetatable(configurations, Matrix)
end

-- Those for which keep(configuration, place) says so; it may also give another configuration in its stead.
local function those(matrix, keep)
  local result = {}
  for at, configuration in ipairs(matrix) do
    local kept = keep(configuration, at)
    if kept then result[#result + 1] = type(kept) == "table" and kept or configuration end
  end
  return new(axes_by_matrix[matrix], result)
end

local function check_function(f, method)
  if type(f) ~= "function" then usage(method .. " takes a function of the configuration") end
end

--- Those that f says are supported; the others are dropped as if they had never been.
function Matrix:where(f)
  check_function(f, "where")
  return those(self, function(configuration) return f(configuration) and true end)
end

--- All, but those for which f says so are marked: they are recorded as skipped, with the reason, and not run.
function Matrix:skip(f, why)
  check_function(f, "skip")
  if type(why) ~= "string" or why == "" then usage("skip needs the reason, a text") end
  return those(self, function(configuration)
    if configuration.skipped or not f(configuration) then return true end
    local marked = {}
    for name, value in pairs(configuration) do marked[name] = value end
    marked.skipped = why
    return marked
  end)
end

local function axis_named(matrix, name)
  local axes = axes_by_matrix[matrix]
  if name == nil then return axes[1].name end
  local names = {}
  for i, axis in ipairs(axes) do names[i] = axis.name end
  for _, known in ipairs(names) do
    if known == name then return name end
  end
  usage("there is no axis '" .. tostring(name) .. "'" .. core.did_you_mean(tostring(name), names))
end

-- f(text): whether one of the expressions is in the text, without regard to case.
local function any_of(expressions)
  local list = type(expressions) == "table" and expressions or { expressions }
  if #list == 0 then return nil end
  local either = "(?:" .. table.concat(list, ")|(?:") .. ")"
  return function(text) return core.regex_found(either, text) end
end

--- Those whose value of the axis holds one of the regular expressions, wherever and in whatever case; no expression: all.
function Matrix:filter(expressions, axis)
  local name, matches = axis_named(self, axis), any_of(expressions)
  return those(self, function(configuration) return not matches or matches(text_of(configuration[name])) end)
end

--- Those whose value of the axis holds none of them.
function Matrix:exclude(expressions, axis)
  local name, matches = axis_named(self, axis), any_of(expressions)
  return those(self, function(configuration) return not matches or not matches(text_of(configuration[name])) end)
end

--- Those whose value of the axis is in the list: a tier.
function Matrix:only(values, axis)
  local name, wanted = axis_named(self, axis), {}
  for _, value in ipairs(values) do wanted[value] = true end
  return those(self, function(configuration) return wanted[configuration[name]] end)
end

--- Part i of n, 1..n: every n-th, so that the parts are alike, and together they are the whole.
function Matrix:shard(i, n)
  if math.type(i) ~= "integer" or math.type(n) ~= "integer" or n < 1 or i < 1 or i > n then
    usage(string.format("shard %s of %s", i, n), "part i of n with 1 <= i <= n")
  end
  return those(self, function(_, at) return (at - 1) % n == i - 1 end)
end

return function(given)
  local axes = axes_of(given)
  local configurations = { {} }
  for _, axis in ipairs(axes) do
    local longer = {}
    for _, configuration in ipairs(configurations) do
      for _, value in ipairs(axis.values) do
        local next_one = {}
        for name, known in pairs(configuration) do next_one[name] = known end
        next_one[axis.name] = value
        longer[#longer + 1] = next_one
      end
    end
    configurations = longer
  end
  for _, configuration in ipairs(configurations) do configuration.id = id_of(axes, configuration) end
  return new(axes, configurations)
end
