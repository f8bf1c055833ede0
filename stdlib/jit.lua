-- reg.jit: how often functions are traced and compiled.

local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local record = require "lib/jit/record"
local values = require "lib/values"

local find, map, merged = values.find, values.map, values.merged

local NO_MISSES = "the log has no explained cache miss; run JAX 0.4.24 or newer with JAX_EXPLAIN_CACHE_MISSES=1"

--- How often a program's functions are traced and compiled: of JAX, in every release from 0.2.27 on, by counting how
--- often the functions' bodies run; and what JAX and torch log.
--- ```lua
--- local run = reg.jit.collect { cmd = { "python3", "train.py" }, folder = "jit" }
--- for _, f in ipairs(run.functions) do print(f.name, f.traces, f.sites[1] and f.sites[1].at) end
--- for _, row in ipairs(reg.jit.read("train.log").recompiled) do print(row.name, row.count, row.why[1]) end
--- print(reg.jit.traces("jit", "f"), reg.jit.compiles("jit", "f"))  -- with the name alone, metrics for a sweep
--- for _, finding in ipairs(reg.jit.diff(reg.jit.read "before", reg.jit.read "after")) do print(finding.what) end
--- ```
---@class reg.jit
local jit = {}

---@class jit.CollectOptions: process.RunOptions, container.RunOptions
---@field folder string new or empty folder for what the processes write; it is kept
---@field explain? boolean let JAX 0.4.24 and newer say why it traces a function again

---@class jit.Site
---@field at string "FILE:LINE" that called the function
---@field count integer executions of the body for it

---@class jit.Function
---@field name string as Python qualifies it, such as "Model.step" or "make.<locals>.f"
---@field at? string "FILE:LINE" of the function; absent in what was read from a log
---@field traces integer how often its body ran; in a log, how often JAX says that it traced it
---@field sites jit.Site[]

---@class jit.Compiled
---@field name string of the function, or of an operation outside of any
---@field count integer how often XLA compiled it; a hit in a persistent cache does not count
---@field cached integer hits in a persistent cache
---@field trace_s number seconds
---@field lower_s number seconds
---@field compile_s number seconds

---@class jit.Miss
---@field at? string "FILE:LINE" of the call
---@field why? string as JAX explains it

---@class jit.Recompiled
---@field name string function that torch.compile compiled again
---@field at string "FILE:LINE"
---@field count integer
---@field why string[] the guards that failed

---@class jit.Run
---@field jax string[] versions
---@field processes integer that imported jax
---@field functions jit.Function[] those passed to jax.jit, pjit, pmap and xmap; most traces first
---@field compiled jit.Compiled[] longest first
---@field misses jit.Miss[] with `explain`, the first 200 of each process
---@field recompiled jit.Recompiled[]
---@field recompiles_logged? boolean whether the command ran with TORCH_LOGS=recompiles
---@field variables table<string, string> of XLA, CUDA and the like, which the program set before it imported jax
---@field problems string[] what could not be read or counted
---@field missing? table<string, string> why a part is absent, by its name
---@field dry? boolean true in a dry run: nothing ran

--- Runs a command as reg.process.run does, or with `image` as reg.container.run does, and counts in all its Python
--- processes. PYTHONPATH begins with a folder whose sitecustomize.py wraps jax.jit and the like; a sitecustomize that
--- it hides still runs. Each process appends to a file of its own, so that a process that is killed loses nothing. The
--- program runs as without it, with a few microseconds for each tracing. What torch compiles again is counted where the
--- command runs with TORCH_LOGS=recompiles. Raises as those two do, failed_trial if the command fails, conflict if
--- `folder` is not empty, and usage.
---@param options jit.CollectOptions
---@return jit.Run run
function jit.collect(options)
  if type(options) ~= "table" or type(options.folder) ~= "string" then
    core.fail("usage", "jit.collect: takes a table of options, as reg.process.run, with a 'folder'",
      'Pass { cmd = { "python3", "train.py" }, folder = "jit" }.')
  end
  local call = merged(options)
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

--- Reads a folder of reg.jit.collect, or a log: what JAX writes with JAX_LOG_COMPILES=1 or
--- JAX_EXPLAIN_CACHE_MISSES=1, and torch with TORCH_LOGS=recompiles. Logs of JAX 0.10 and newer have only the outermost
--- traces: `problems` says so. `missing.misses` says that a log has no explained cache miss. Raises not_found for a
--- missing path, and usage.
---@param path string
---@return jit.Run run
function jit.read(path)
  if type(path) ~= "string" then core.fail("usage", "jit.read: takes the path of a folder or of a log") end
  local run = record.read(path)
  if core.is_regular_file(path) then run.missing = { misses = #run.misses == 0 and NO_MISSES or nil } end
  return run
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

--- How often the body of a function ran, over all processes and functions of that name. "f" is also Model.f. With
--- the name alone it returns the metric that counts this in the test of a search, an exact integer: trial:test runs it
--- with the variables of reg.jit.collect. `--metric @jit.traces:f` is the same. Raises not_found for a name that the
--- run does not have, and usage.
---@param given string|jit.Run path, or what was read; or the name
---@param name? string
---@return integer|string count or metric
jit.traces = counter "traces"

--- How often XLA compiled a function; 0 if it was only traced, as a part of another. With the name alone, the metric,
--- which is `--metric @jit.compiles:f`. Raises as reg.jit.traces does.
---@param given string|jit.Run path, or what was read; or the name
---@param name? string
---@return integer|string count or metric
jit.compiles = counter "compiles"

-- "f is traced 10 times, once before"
local function sentence(name, verb, before, after)
  local function times(n) return n == 1 and "once" or n .. " times" end
  return ("%s is %s, %s before"):format(name, after == 0 and "not " .. verb or verb .. " " .. times(after),
    before == 0 and "never" or times(before))
end

-- The guard that failed first where this function was recompiled; "" if the log does not say.
local function guard_of(run, name)
  local known = find(run.recompiled, function(row) return row.name == name and row.why[1] end)
  return known and ": " .. known.why[1]:match("[^\n]*"):gsub("^%d+/%d+: ", "") or ""
end

-- The call for which most of a function's traces were made; "" if the run does not say.
local function site_of(run, name)
  local sites = values.flat(run.functions, function(row) return row.name == name and row.sites or {} end)
  local most = values.sort_by(sites, function(site) return -site.count end)[1]
  return most and ", called at " .. most.at:match "[^/]*$" or ""
end

-- `more`: what is said of that which is done more often.
local COUNTS <const> = {
  { verb = "traced", list = "functions", number = "traces", more = site_of },
  { verb = "compiled", list = "compiled", number = "count" },
  { verb = "recompiled", list = "recompiled", number = "count", more = guard_of },
}

local function counted(row, a, b)
  local function counts_of(run)  -- by the function's name: its place in the file moves from commit to commit
    local counts = {}
    for _, one in ipairs(run[row.list]) do counts[one.name] = (counts[one.name] or 0) + one[row.number] end
    return counts
  end
  local old, new = map(a, counts_of), map(b, counts_of)
  return ends.by_name(old, new, function(name)
    local function of(counts) return counts[name] or 0 end
    local before, after = map(old, of), map(new, of)
    if not ends.differ(before, after, 0) then return nil end
    local one, other = before[1], after[1]
    local more = other > one and row.more and row.more(b[1], name) or ""
    return { level = "jit", what = sentence(name, row.verb, one, other) .. more, before = one, after = other,
      kind = row.verb, name = name, confidence = ends.confidence(before, after) }
  end)
end

local LEAST_S <const>, PART <const> = 0.1, 0.2  -- such times usually vary by less

local TIMES <const> = { { "tracing", "trace_s" }, { "lowering", "lower_s" }, { "compiling", "compile_s" } }

---@class jit.Finding: environment.Finding
---@field kind? "traced"|"compiled"|"recompiled" of counts; times have none
---@field name? string of counts: the function

--- What differs between two ends, each a run or a list of runs: functions that are traced, compiled or recompiled more
--- or less often, the largest difference first, then the time that it takes. A difference counts if it exceeds 1.5
--- times the largest within an end; of times, also 0.1 s and 20 %. Raises usage.
---@param before jit.Run|jit.Run[]
---@param after jit.Run|jit.Run[]
---@return jit.Finding[] findings
function jit.diff(a, b)
  a, b = ends.lists("jit.diff", a, b)
  local found = map(TIMES, function(row)
    local function total(run) return values.sum(run.compiled, function(one) return one[row[2]] end) end
    local one, other, confidence = ends.moved(a, b, total, LEAST_S, PART)
    return one and { level = "jit", before = one, after = other, unit = "s", confidence = confidence,
      what = ("%s takes %.3g s %s"):format(row[1], math.abs(other - one), other > one and "more" or "less") }
  end)
  return values.flat { values.flat(COUNTS, function(row) return counted(row, a, b) end), found }
end

return jit
