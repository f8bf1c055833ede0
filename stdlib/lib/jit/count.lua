-- How often a function was traced or compiled, by its name.

local count = {}

-- "f" is also Model.f and make.<locals>.f, which have longer names.
local function is_named(row, name) return row.name == name or row.name:match "[^.]+$" == name end

-- `sum` and this field of all rows of the name.
local function add(sum, rows, name, field)
  for _, row in ipairs(rows) do
    if is_named(row, name) then sum = (sum or 0) + row[field] end
  end
  return sum
end

--- Executions of the body, summed over the functions of this name; nil if the run has none.
function count.traces(run, name) return add(nil, run.functions, name, "traces") end

--- Compilations by XLA; 0 for a function that was only traced, as part of another. nil if the run has none.
function count.compiles(run, name)
  local sum = count.traces(run, name) and 0
  for _, row in ipairs(run.compiled) do
    if row.name == name:match "[^.]+$" then sum = (sum or 0) + row.count end
  end
  return add(sum, run.recompiled, name, "count")
end

--- Why a run has no function of this name.
function count.why_not(run, name)
  if #run.functions == 0 and #run.compiled == 0 and #run.recompiled == 0 then
    return run.processes == 0 and "no process of the command imported jax with PYTHONPATH in effect (python -I and -E "
      .. "ignore it)" or "nothing was traced or compiled"
  end
  local names = {}
  for i, row in ipairs(run.functions) do names[i] = row.name end
  local listed = table.concat(names, ", ", 1, math.min(#names, 8)) .. (#names > 8 and ", ..." or "")
  return ("no function '%s' was compiled; functions: %s"):format(name, listed)
end

return count
