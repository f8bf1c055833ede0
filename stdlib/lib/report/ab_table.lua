-- The numbers of an A/B's commands as a table, and those of a scan as a plot.

local direction = require "lib/direction"
local numbers = require "lib/report/numbers"
local scan = require "lib/ab/scan"
local sorted_names = require "lib/sorted_names"

local STATISTICS = { "mean", "sd", "median", "min", "max" }
local FIELDS = { sd = "stddev" }  -- of a result; the others have the name of their column

local tables = {}

--- A row for each command, in this order. `against`: of three commands or more, how each compares with the first. A
--- narrow terminal has no room for all columns.
function tables.statistics(found, order, against)
  local columns, rows, names = { "" }, {}, scan.parameters(found.results)
  table.move(names, 1, #names, 2, columns)
  columns[#columns + 1] = against and "against A"
  table.move(STATISTICS, 1, #STATISTICS, #columns + 1, columns)
  for i, side in ipairs(order) do
    local result = found.results[side]
    local row = { [""] = found.names[side], ["against A"] = against and against[side] or "" }
    for _, name in ipairs(names) do row[name] = (result.parameters or {})[name] or "" end
    for _, name in ipairs(STATISTICS) do row[name] = numbers.plain(result[FIELDS[name] or name], found) end
    rows[i] = row
  end
  local whole, shown
  repeat
    whole = reg.report.table(rows, { columns = columns, width = 0 })
    shown = reg.report.table(rows, { columns = columns })
  until shown == whole or table.remove(columns) == "mean"
  return (shown:gsub("\n$", ""))
end

-- The parameter with the most values.
local function longest(names, values)
  local axis
  for _, name in ipairs(names) do
    if not axis or #values[name] > #values[axis] then axis = name end
  end
  return axis
end

-- What tells the line of this command from the others: its template and its other parameters.
local function line_of(result, template, axis)
  local parts = { template }
  for _, name in ipairs(sorted_names(result.parameters)) do
    if name ~= axis then parts[#parts + 1] = name .. "=" .. result.parameters[name] end
  end
  return table.concat(parts, "  ")
end

--- The medians of a scan over the parameter with the most values, a line for each combination of all else; nil without
--- one that has three numbers.
function tables.plot(found)
  local names, values = scan.parameters(found.results)
  local axis = longest(names, values)
  if not axis or #values[axis] < 3 then return nil end
  local at, x = {}, {}
  for i, value in ipairs(values[axis]) do
    at[value], x[i] = i, tonumber(value)
    if not x[i] then return nil end
  end
  local series, by_name = {}, {}
  for i, result in ipairs(found.results) do
    if result.parameters and result.parameters[axis] then
      local name = line_of(result, found.templates[i], axis)
      local one = by_name[name]
      if not one then
        one = { name = name, values = {} }
        for k = 1, #x do one.values[k] = false end
        by_name[name], series[#series + 1] = one, one
      end
      one.values[at[result.parameters[axis]]] = result.median
    end
  end
  local chart = #series == 1 and { x = x, values = series[1].values } or { x = x, series = series }
  return (reg.report.plot(chart, { x_label = axis, y_label = direction.labeled(found.metric, found.unit) })
    :gsub("\n$", ""))
end

return tables
