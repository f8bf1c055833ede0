-- Runs a command so that what it costs the host can be told, and tells it.

local imports = require "lib/host/imports"

local MOST_BYTES <const> = 64 << 20  -- of stderr: a line for each import

local NUMBERS <const> = { "wall_s", "user_s", "sys_s", "peak_bytes", "minor_faults", "major_faults",
  "voluntary_switches", "involuntary_switches", "instructions" }

-- Why instructions cannot be counted; nil if they can.
local function refused(call)
  if call.image then return "instructions are not counted in containers" end
  local ok, why = pcall(core.check_instructions)
  if ok then return nil end
  if type(why) ~= "table" or why.kind ~= "unavailable" then error(why, 0) end
  return why.message
end

-- Seconds in which threads of the command could run and waited for a CPU; nil where the kernel does not tell.
local function delay_of(run)
  local sum
  for _, program in ipairs(run.programs or {}) do sum = (sum or 0) + program.cpu_delay_s end
  return sum
end

-- The costs of a run that succeeded. Seen from outside a container, they are those of the command in it. `before` and
-- `after`: the state of the machine.
local function costs_of(run, why, before, after)
  local into = { missing = { instructions = why }, load = before.load }
  into.crowded_s = before.crowded_s and after.crowded_s and after.crowded_s - before.crowded_s
  into.cpu_delay_s = delay_of(run)
  for _, name in ipairs(NUMBERS) do
    into[name] = run[name] or nil
    if not run[name] then into.missing[name] = into.missing[name] or "it could not be measured" end
  end
  into.imports = imports.parse(run.stderr)
  into.missing.imports = not into.imports and "no process of the command was Python 3.7 or newer" or nil
  return into
end

--- What execute(call) returns, with `host`: its costs, unless nothing ran. Changes `call`.
return function(call, execute)
  local why, env = refused(call), {}
  for name, value in pairs(call.env or {}) do env[name] = value end
  env.PYTHONPROFILEIMPORTTIME = "1"
  call.env, call.keep_bytes = env, call.keep_bytes or MOST_BYTES
  call[call.image and "usage" or "instructions"] = call.image and true or not why
  call.programs = not call.image or nil
  local before = core.nouns.machine.state()
  local run = execute(call)
  if not run.dry then run.host = costs_of(run, why, before, core.nouns.machine.state()) end
  return run
end
