-- What tests installed themselves: the Python packages whose version is not the same for all subjects.

local sorted_names = require "lib/sorted_names"

local installed = {}

-- The runs with a record of what they installed, one for each place, in the order of the places.
local function recorded(asked)
  local runs, seen = {}, {}
  for _, entry in ipairs(asked) do
    if entry.installed and not seen[entry.place] then
      seen[entry.place], runs[#runs + 1] = true, entry
    end
  end
  table.sort(runs, function(a, b) return a.place < b.place end)
  return runs
end

-- The stretches of neighbors for which a package has one version, each { version =, from =, upto = }.
local function stretches(name, runs)
  local list = {}
  for _, run in ipairs(runs) do
    local version, last = run.installed[name], list[#list]
    if version and last and last.version == version then
      last.upto = run.label
    elseif version then
      list[#list + 1] = { version = version, from = run.label, upto = run.label }
    end
  end
  return list
end

--- A list of { name =, stretches = { { version =, from = label, upto = label }, ... } }; nil where there is nothing to
--- tell. A subject for which a package was not installed, as its image has it, says nothing about it.
function installed.differing(asked)
  local runs, names, list = recorded(asked), {}, {}
  for _, run in ipairs(runs) do
    for name in pairs(run.installed) do names[name] = true end
  end
  for _, name in ipairs(sorted_names(names)) do
    local found = stretches(name, runs)
    if #found > 1 then list[#list + 1] = { name = name, stretches = found } end
  end
  return #list > 0 and list or nil
end

return installed
