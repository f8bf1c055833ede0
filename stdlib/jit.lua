-- reg.jit: how often the bodies of a program's functions are traced, and how often they are compiled, and what of it
-- differs between two ends.

local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local record = require "lib/jit/record"
local sorted_names = require "lib/sorted_names"

local jit = {}

-- Runs the command in a folder, and returns its counts. The options of the collection are not the command's.
function jit.collect(options)
  if type(options) ~= "table" or type(options.folder) ~= "string" then
    core.fail("usage", "jit.collect: takes a table of options, as reg.process.run, with a 'folder'",
      'Pass { cmd = { "python3", "train.py" }, folder = "jit" }.')
  end
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  local folder = reg.fs.absolute(options.folder)
  call.folder, call.explain = nil, nil
  if reg.fs.exists(folder) and #reg.fs.list(folder) > 0 then
    core.fail("conflict", "jit.collect: the folder is not empty: " .. options.folder, "Pass a new folder.")
  end
  reg.fs.mkdir(folder)
  local run = instrumented.check("jit.collect: the command",
    record.into(call, folder, instrumented.execute, options.explain))
  if run.dry then return { dry = true, missing = { command = "dry run" } } end
  run.jit.missing = { functions = #run.jit.functions == 0 and record.why_not(run.jit, "") or nil }
  return run.jit
end

-- Whether it is a folder of the hook's files, or a log.
function jit.read(path)
  if type(path) ~= "string" then core.fail("usage", "jit.read: takes the path of a folder or of a log") end
  return record.read(path)
end

-- With a name alone, the metric that counts; else the count in what was given.
local function counter(what)
  return function(given, name)
    if name == nil then
      if type(given) ~= "string" or not given:find "^%S+$" then
        core.fail("usage", "jit." .. what .. ": not the name of a function: '" .. tostring(given) .. "'",
          'Pass one such as "f" or "Model.step".')
      end
      return "@jit." .. what .. ":" .. given
    end
    local run = type(given) == "string" and jit.read(given) or given
    if type(run) ~= "table" or type(run.functions) ~= "table" or type(name) ~= "string" then
      core.fail("usage", "jit." .. what .. ": takes a path, or what jit.read returns, and the name of a function")
    end
    return record[what](run, name) or core.fail("not_found", "jit." .. what .. ": " .. record.why_not(run, name))
  end
end

jit.traces, jit.compiles = counter "traces", counter "compiles"

local function times(n) return n == 1 and "once" or n .. " times" end

-- "f is traced 10 times, once before"
local function sentence(name, verb, before, after)
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

-- `more`: what is said of that which is done more often.
local COUNTS <const> = {
  { verb = "traced", list = "functions", number = "traces", more = site_of },
  { verb = "compiled", list = "compiled", number = "count" },
  { verb = "recompiled", list = "recompiled", number = "count", more = guard_of },
}

-- The counts of a run by the function's name: its place in the file moves from commit to commit.
local function by_name(run, row)
  local counts = {}
  for _, one in ipairs(run[row.list]) do counts[one.name] = (counts[one.name] or 0) + one[row.number] end
  return counts
end

local function counted(row, a, b)
  local sides, names, found = { {}, {} }, {}, {}
  for i, side in ipairs { a, b } do
    for j, run in ipairs(side) do
      sides[i][j] = by_name(run, row)
      for name in pairs(sides[i][j]) do names[name] = true end
    end
  end
  for _, name in ipairs(sorted_names(names)) do
    local function of(counts) return counts[name] or 0 end
    local before, after = ends.numbers(sides[1], of), ends.numbers(sides[2], of)
    if ends.differ(before, after, 0) then
      local one, other = before[1], after[1]
      local more = other > one and row.more and row.more(b[1], name) or ""
      found[#found + 1] = { level = "jit", what = sentence(name, row.verb, one, other) .. more, before = one,
        after = other, kind = row.verb, name = name, confidence = ends.confidence(before, after) }
    end
  end
  table.sort(found, function(x, y)
    local one, other = math.abs(x.after - x.before), math.abs(y.after - y.before)
    return one > other or one == other and x.what < y.what
  end)
  return found
end

local LEAST_S <const>, PART <const> = 0.1, 0.2  -- such times usually vary by less

local TIMES <const> = { { "tracing", "trace_s" }, { "lowering", "lower_s" }, { "compiling", "compile_s" } }

local function timed(name, field, a, b)
  local function total(run)
    local sum = 0
    for _, one in ipairs(run.compiled) do sum = sum + one[field] end
    return sum
  end
  local before, after = ends.numbers(a, total), ends.numbers(b, total)
  local one, other = before[1], after[1]
  if not ends.differ(before, after, math.max(LEAST_S, PART * math.max(one or 0, other or 0))) then return nil end
  return { level = "jit", before = one, after = other, unit = "s", confidence = ends.confidence(before, after),
    what = ("%s takes %.3g s %s"):format(name, math.abs(other - one), other > one and "more" or "less") }
end

--- Findings of two ends, each a collected run or a list of them: functions first, then the time that it took.
function jit.diff(a, b)
  a, b = ends.lists("jit.diff", a, b)
  local found = {}
  for _, row in ipairs(COUNTS) do
    local rows = counted(row, a, b)
    table.move(rows, 1, #rows, #found + 1, found)
  end
  for _, row in ipairs(TIMES) do found[#found + 1] = timed(row[1], row[2], a, b) end
  return found
end

return jit
