-- What two ends traced and compiled, as findings: functions first, then the time that it took.

local ends = require "lib/why/ends"
local sorted_names = require "lib/sorted_names"

local function times(n) return n == 1 and "once" or n .. " times" end

-- "f is traced 10 times, once before"
local function words(name, verb, before, after)
  local was = before == 0 and "never" or times(before)
  if after == 0 then return ("%s is not %s, %s before"):format(name, verb, was) end
  return ("%s is %s %s, %s before"):format(name, verb, times(after), was)
end

-- The guard that failed first where this function was recompiled; "" if the log does not say.
local function guard_of(run, name)
  for _, row in ipairs(run.recompiled) do
    local why = row.name == name and row.why[1]
    if why then return ": " .. why:match("[^\n]*"):gsub("^%d+/%d+: ", "") end
  end
  return ""
end

-- The call for which most of a function's traces were made; "" if the run does not say.
local function site_of(run, name)
  local most
  for _, row in ipairs(run.functions) do
    for _, site in ipairs(row.name == name and row.sites or {}) do
      if not most or site.count > most.count then most = site end
    end
  end
  return most and ", called at " .. most.at:match "[^/]*$" or ""
end

local MORE <const> = { traced = site_of, recompiled = guard_of }  -- of what is done more often

-- The counts of a run by the function's name: its place in the file moves from commit to commit.
local COUNTS <const> = {
  { verb = "traced", list = "functions", number = "traces" },
  { verb = "compiled", list = "compiled", number = "count" },
  { verb = "recompiled", list = "recompiled", number = "count" },
}

local function by_name(run, row)
  local counts = {}
  for _, one in ipairs(run[row.list]) do counts[one.name] = (counts[one.name] or 0) + one[row.number] end
  return counts
end

local function counted(found, row, a, b)
  local sides, names = { {}, {} }, {}
  for i, side in ipairs { a, b } do
    for j, run in ipairs(side) do
      sides[i][j] = by_name(run, row)
      for name in pairs(sides[i][j]) do names[name] = true end
    end
  end
  local rows = {}
  for _, name in ipairs(sorted_names(names)) do
    local function of(counts) return counts[name] or 0 end
    local before, after = ends.numbers(sides[1], of), ends.numbers(sides[2], of)
    if ends.differ(before, after, 0) then
      local one, other = before[1], after[1]
      local more = other > one and MORE[row.verb] and MORE[row.verb](b[1], name) or ""
      rows[#rows + 1] = { level = "jit", what = words(name, row.verb, one, other) .. more, before = one, after = other,
        kind = row.verb, name = name, confidence = ends.confidence(before, after) }
    end
  end
  table.sort(rows, function(x, y)
    local one, other = math.abs(x.after - x.before), math.abs(y.after - y.before)
    return one > other or one == other and x.what < y.what
  end)
  table.move(rows, 1, #rows, #found + 1, found)
end

local LEAST_S <const>, PART <const> = 0.1, 0.2  -- such times usually vary by less

local TIMES <const> = {
  { name = "tracing", field = "trace_s" }, { name = "lowering", field = "lower_s" },
  { name = "compiling", field = "compile_s" },
}

local function timed(found, row, a, b)
  local function total(run)
    local sum = 0
    for _, one in ipairs(run.compiled) do sum = sum + one[row.field] end
    return sum
  end
  local before, after = ends.numbers(a, total), ends.numbers(b, total)
  local one, other = before[1], after[1]
  local least = math.max(LEAST_S, PART * math.max(one or 0, other or 0))
  if not ends.differ(before, after, least) then return end
  found[#found + 1] = { level = "jit", before = one, after = other, unit = "s",
    confidence = ends.confidence(before, after),
    what = ("%s takes %.3g s %s"):format(row.name, math.abs(other - one), other > one and "more" or "less") }
end

--- Findings of two ends, each a collected run or a list of them.
return function(a, b)
  a, b = ends.lists("jit.diff", a, b)
  local found = {}
  for _, row in ipairs(COUNTS) do counted(found, row, a, b) end
  for _, row in ipairs(TIMES) do timed(found, row, a, b) end
  return found
end
