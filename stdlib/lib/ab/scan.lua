-- The commands of a scan: each template once for each combination of the parameters that it names as {name}.

local lists = require "lib/values"

local find, flat, map, sorted_names = lists.find, lists.flat, lists.map, lists.sorted_names

local scan = {}

local PARAMETER = "{([%w_]+)}"

-- The values of a combination (lib/combinations) that a template names, as text.
local function named_in(template, values)
  local found = {}
  for name in template:gmatch(PARAMETER) do
    if name ~= "id" and values[name] then found[name] = tostring(values[name]) end
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

--- The list of { command =, template =, values = (those that it has, by name), fill = (puts them into a text) }. `all`:
--- of lib/combinations, or nil.
function scan.expanded(templates, all)
  if all then check_used(templates, all[1]) end
  return flat(templates, function(template)
    local commands = map(all or { {} }, function(values)
      local named = named_in(template, values)
      local function fill(text) return (text:gsub(PARAMETER, named)) end
      return { command = fill(template), template = template, values = named, fill = fill }
    end)
    return lists.unique(commands, function(one) return one.command end)
  end)
end

--- The names of all parameters that the results of commands have.
function scan.parameters(results)
  return sorted_names(lists.merged(table.unpack(map(results, function(result) return result.parameters or {} end))))
end

return scan
