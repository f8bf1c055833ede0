-- Runs a command so that what it costs the host can be told, and tells it.

local attempt = require("lib/instrumented").attempt
local merged, sort_by = require("lib/values").merged, require("lib/values").sort_by

local MOST_BYTES <const> = 64 << 20  -- of stderr: a line for each import

local NUMBERS <const> = { "wall_s", "user_s", "sys_s", "peak_bytes", "minor_faults", "major_faults",
  "voluntary_switches", "involuntary_switches", "instructions" }

-- Python's import times, as PYTHONPROFILEIMPORTTIME makes it write them to stderr: a line for each module, in
-- microseconds, indented below the module that imported it.
--   import time:      1234 |       5678 |   numpy.core
-- { total_s =, modules = { { name =, self_s =, total_s = }, ... } }, longest self time first, summed over the processes
-- of the command; nil if none of them was Python.
local function imports_of(stderr)
  local by_name, modules, total = {}, {}, 0
  for own, all, indent, name in stderr:gmatch "import time:%s*(%d+) |%s*(%d+) | ( *)([^%s|][^\n]*)" do
    local module = by_name[name]
    if not module then
      module = { name = name, self_s = 0, total_s = 0 }
      by_name[name], modules[#modules + 1] = module, module
    end
    module.self_s = module.self_s + tonumber(own) / 1e6
    module.total_s = module.total_s + tonumber(all) / 1e6
    if indent == "" then total = total + tonumber(all) / 1e6 end
  end
  sort_by(modules, function(module) return -module.self_s, module.name end)
  return #modules > 0 and { total_s = total, modules = modules } or nil
end

-- The costs of a run that succeeded. Seen from outside a container, they are those of the command in it. `before` and
-- `after`: the state of the machine.
local function costs_of(run, why, before, after)
  local into = { missing = { instructions = why }, load = before.load }
  into.crowded_s = before.crowded_s and after.crowded_s and after.crowded_s - before.crowded_s
  -- Seconds in which its threads could run and waited for a CPU; nil where the kernel does not tell.
  for _, program in ipairs(run.programs or {}) do into.cpu_delay_s = (into.cpu_delay_s or 0) + program.cpu_delay_s end
  for _, name in ipairs(NUMBERS) do
    into[name] = run[name] or nil
    if not run[name] then into.missing[name] = into.missing[name] or "it could not be measured" end
  end
  into.imports = imports_of(run.stderr)
  into.missing.imports = not into.imports and "no process of the command was Python 3.7 or newer" or nil
  return into
end

--- What execute(call) returns, with `host`: its costs, unless nothing ran. Changes `call`.
return function(call, execute)
  local why = call.image and "instructions are not counted in containers"
    or select(2, attempt(core.check_instructions))
  call.env = merged(call.env, { PYTHONPROFILEIMPORTTIME = "1" })
  call.keep_bytes = call.keep_bytes or MOST_BYTES
  call[call.image and "usage" or "instructions"] = call.image and true or not why
  call.programs = not call.image or nil
  local before = core.nouns.machine.state()
  local run = execute(call)
  if not run.dry then run.host = costs_of(run, why, before, core.nouns.machine.state()) end
  return run
end
