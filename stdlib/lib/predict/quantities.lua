-- What a prediction may be about beside the compared metric: numbers of what the levels of the evidence collected. Each
-- is read from one collected table, whichever level it is of: nil where that table does not have it.

local TIMES <const> = 0.05  -- times that differ by less are the same

-- Only of a collected table that has this list.
local function with(field, read)
  return function(one)
    if type(one[field]) ~= "table" then return nil end
    return read(one)
  end
end

local function sum(rows, field)
  local total = 0
  for _, row in ipairs(rows or {}) do total = total + (row[field] or 0) end
  return total
end

local function opcode(name)
  return with("modules", function(one) return reg.hlo.count(one, name) end)
end

local function cpu_time(one) return one.user_s and one.user_s + (one.sys_s or 0) end

-- `level`: which one says why it is absent. `least`: the relative difference below which two numbers are the same; by
-- default 0, as of counts.
return {
  kernels = { level = "kernels", read = with("kernels", function(one) return sum(one.kernels, "count") end) },
  ["kernel time"] = { level = "kernels", unit = "s", least = TIMES,
    read = with("kernels", function(one) return sum(one.kernels, "total_s") end) },
  ["idle time"] = { level = "kernels", unit = "s", least = TIMES,
    read = with("kernels", function(one) return math.max(0, (one.span_s or 0) - (one.busy_s or 0)) end) },
  copies = { level = "kernels", read = with("kernels", function(one) return sum(one.copies, "count") end) },
  fusions = { level = "program", read = opcode "fusion" },
  transposes = { level = "program", read = opcode "transpose" },
  ["custom calls"] = { level = "program", read = opcode "custom-call" },
  ["compile time"] = { level = "jit", unit = "s", least = TIMES,
    read = with("compiled", function(one) return sum(one.compiled, "compile_s") end) },
  compiles = { level = "jit", read = with("compiled", function(one) return sum(one.compiled, "count") end) },
  traces = { level = "jit", read = with("compiled", function(one) return sum(one.functions, "traces") end) },
  ["import time"] = { level = "host", unit = "s", least = TIMES,
    read = function(one) return one.imports and one.imports.total_s end },
  ["CPU time"] = { level = "host", unit = "s", least = TIMES, read = cpu_time },
  ["wall time"] = { level = "host", unit = "s", least = TIMES, read = function(one) return one.wall_s end },
  ["page faults"] = { level = "host", least = TIMES,
    read = function(one) return one.minor_faults and one.minor_faults + (one.major_faults or 0) end },
  memory = { level = "host", unit = "bytes", least = TIMES, read = function(one) return one.peak_bytes end },
}
