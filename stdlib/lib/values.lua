-- Lists of numbers and tables of fields, as several modules need them.

local values = {}

--- The median of a list of numbers, which stays as it is.
function values.median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

--- The geometric mean of positive numbers. Of equal numbers it is the number itself, without an error of rounding.
function values.geometric_mean(list)
  local sum = 0.0
  for _, value in ipairs(list) do sum = sum + math.log(value / list[1]) end
  return list[1] * math.exp(sum / #list)
end

--- The names in a table, sorted; what has a number has no name.
function values.sorted_names(of)
  local names = {}
  for name in pairs(of) do names[#names + 1] = type(name) == "string" and name or nil end
  table.sort(names)
  return names
end

--- A new table with the fields of several tables, each of which may be nil. Of fields with the same name the last
--- counts.
function values.merged(...)
  local all = {}
  for i = 1, select("#", ...) do
    for name, value in pairs((select(i, ...)) or {}) do all[name] = value end
  end
  return all
end

return values
