-- reg.jit: how often the bodies of a program's functions are traced, and how often they are compiled, and what of it
-- differs between two ends.

local collect = require "lib/jit/collect"
local count = require "lib/jit/count"
local findings = require "lib/jit/findings"
local read = require "lib/jit/read"

local NO_MISSES = "the log has no explained cache miss; run JAX 0.4.24 or newer with JAX_EXPLAIN_CACHE_MISSES=1"

local jit = {}

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

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
  local run = collect.into(call, folder, execute, options.explain)
  if run.dry then return { dry = true, missing = { command = "dry run" } } end
  if not run.ok then
    core.fail("failed_trial", "jit.collect: the command " .. (run.timed_out and "timed out"
      or "failed with exit code " .. run.code), run.stderr:match "([^\n]+)%s*$")
  end
  run.jit.missing = { functions = #run.jit.functions == 0 and count.why_not(run.jit, "") or nil }
  return run.jit
end

-- Whether it is a folder of the hook's files, or a log.
function jit.read(path)
  if type(path) ~= "string" then core.fail("usage", "jit.read: takes the path of a folder or of a log") end
  if core.is_regular_file(path) then
    local run = read.log(reg.fs.read(path))
    run.missing = { misses = #run.misses == 0 and NO_MISSES or nil }
    return run
  end
  return read.folder(path)
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
    return count[what](run, name) or core.fail("not_found", "jit." .. what .. ": " .. count.why_not(run, name))
  end
end

jit.traces, jit.compiles = counter "traces", counter "compiles"
jit.diff = findings

return jit
