-- What reg.machine.tune has made quiet and has not put back yet, the oldest first: each trial keeps its record.

local all = {}

local tunings = {}

function tunings.add(one) all[#all + 1] = one end

function tunings.remove(one)
  for i = #all, 1, -1 do
    if all[i] == one then table.remove(all, i) end
  end
end

--- The measures of all of them in one list; nil where there is none.
function tunings.record()
  local list = {}
  for _, one in ipairs(all) do
    for _, measure in ipairs(one:record()) do list[#list + 1] = measure end
  end
  return #list > 0 and list or nil
end

return tunings
