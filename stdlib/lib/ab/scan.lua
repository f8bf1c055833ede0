-- The commands of a scan: each template once for each combination of the parameters that it names as {name}.

local lists = require "lib/values"

local find, flat, map, sorted_names = lists.find, lists.flat, lists.map, lists.sorted_names

local scan = {}

-- The text with the values of a combination (lib/combinations) in it, and how many it took.
local function filled(text, values)
  local count = 0
  return (text:gsub("{([%w_]+)}", function(name)
    local value = name ~= "id" and values[name]
    if not value then return nil end
    count = count + 1
    return tostring(value)
  end)), count
end

-- The parameters that a template names, as text.
local function named_in(template, values)
  local found = {}
  for name, value in pairs(values) do
    local _, count = filled(template, { [name] = value })
    if count > 0 then found[name] = tostring(value) end
  end
  return found
end

local function check_used(templates, values)
  for name in pairs(values) do
    local function uses(template) return template:find("{" .. name .. "}", 1, true) end
    if name ~= "id" and not find(templates, uses) then
      core.fail("usage", "ab: no command has the parameter {" .. name .. "}",
        "Put it where it varies: 'xz -{level} FILE'")
    end
  end
end

--- The list of { command =, template =, values = (those that it has, by name) }. `all`: of
--- lib/combinations, or nil.
function scan.expanded(templates, all)
  if all then check_used(templates, all[1]) end
  return flat(templates, function(template)
    local seen = {}
    return map(all or { {} }, function(values)
      local command = filled(template, values)
      local is_new = not seen[command]
      seen[command] = true
      return is_new and { command = command, template = template, values = named_in(template, values) } or nil
    end)
  end)
end

--- Of the results of commands the names of all parameters, and by name their values in the order in which they come.
function scan.parameters(results)
  local values, seen = {}, {}
  for _, result in ipairs(results) do
    for name, value in pairs(result.parameters or {}) do
      values[name] = values[name] or {}
      if not seen[name .. "=" .. value] then table.insert(values[name], value) end
      seen[name .. "=" .. value] = true
    end
  end
  return sorted_names(values), values
end

--- A function of a text that puts these values in it.
function scan.filler(values)
  return function(text) return (filled(text, values)) end
end

return scan
