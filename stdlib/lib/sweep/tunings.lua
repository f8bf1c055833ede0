-- The tunings of reg.machine.tune that are in effect, oldest first: each trial stores their record.

local all = {}

local tunings = {}

function tunings.add(one) all[#all + 1] = one end

function tunings.remove(one)
  for i = #all, 1, -1 do
    if all[i] == one then table.remove(all, i) end
  end
end

--- The measures of all tunings in one list; nil without any.
function tunings.record()
  local list = {}
  for _, one in ipairs(all) do
    for _, measure in ipairs(one:record()) do list[#list + 1] = measure end
  end
  return #list > 0 and list or nil
end

return tunings
