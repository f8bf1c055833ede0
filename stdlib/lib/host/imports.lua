-- Python's import times, as PYTHONPROFILEIMPORTTIME makes it write them to stderr: a line for each module, in
-- microseconds, indented below the module that imported it.
--   import time:      1234 |       5678 |   numpy.core

local imports = {}

local SECONDS <const> = 1e-6

--- Of the stderr of a command: { total_s =, modules = { { name =, self_s =, total_s = }, ... } }, longest self time
--- first, summed over its processes; nil if none of them was Python.
function imports.parse(stderr)
  local by_name, modules, total = {}, {}, 0
  for own, all, indent, name in stderr:gmatch "import time:%s*(%d+) |%s*(%d+) | ( *)([^%s|][^\n]*)" do
    local module = by_name[name]
    if not module then
      module = { name = name, self_s = 0, total_s = 0 }
      by_name[name], modules[#modules + 1] = module, module
    end
    module.self_s = module.self_s + tonumber(own) * SECONDS
    module.total_s = module.total_s + tonumber(all) * SECONDS
    if indent == "" then total = total + tonumber(all) * SECONDS end
  end
  if #modules == 0 then return nil end
  table.sort(modules, function(a, b)
    if a.self_s ~= b.self_s then return a.self_s > b.self_s end
    return a.name < b.name
  end)
  return { total_s = total, modules = modules }
end

-- Seconds of one module by itself; 0 where it is not imported.
local function self_of(collected, name)
  for _, module in ipairs(collected.imports.modules) do
    if module.name == name then return module.self_s end
  end
  return 0
end

--- The module whose own time grew, or shrank, by most between two collected runs, and by how many seconds.
function imports.most_changed(before, after)
  local name, most = nil, 0
  for _, side in ipairs { before, after } do
    for _, module in ipairs(side.imports.modules) do
      local change = self_of(after, module.name) - self_of(before, module.name)
      if math.abs(change) > math.abs(most) then name, most = module.name, change end
    end
  end
  return name, most
end

return imports
