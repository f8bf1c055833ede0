-- reg.host: what a command costs the host, and what of it differs between two ends.

local findings = require "lib/host/findings"
local imports = require "lib/host/imports"

local MOST_BYTES <const> = 64 << 20  -- of stderr: a line for each import

local NUMBERS <const> = { "wall_s", "user_s", "sys_s", "peak_bytes", "minor_faults", "major_faults",
  "voluntary_switches", "involuntary_switches", "instructions" }

local function copy(from)
  local into = {}
  for key, value in pairs(from or {}) do into[key] = value end
  return into
end

-- Why instructions cannot be counted; nil if they can.
local function refused(options)
  if options.image then return "instructions are not counted in containers" end
  local ok, why = pcall(core.check_instructions)
  if ok then return nil end
  if type(why) ~= "table" or why.kind ~= "unavailable" then error(why, 0) end
  return why.message
end

local function execute(options, count)
  local call = copy(options)
  call.env = copy(options.env)
  call.env.PYTHONPROFILEIMPORTTIME = "1"
  call.keep_bytes = call.keep_bytes or MOST_BYTES
  if options.image then
    call.usage = true
    return reg.container.run(call)
  end
  call.instructions = count
  return reg.process.run(call)
end

local host = {}

function host.collect(options)
  if type(options) ~= "table" then
    core.fail("usage", "host.collect: takes a table of options, as reg.process.run or reg.container.run")
  end
  local why = refused(options)
  local into = { missing = { instructions = why }, load = core.nouns.machine.state().load }
  local run = execute(options, not why)
  if run.dry then return { dry = true, missing = { command = "dry run" } } end
  if not run.ok then
    core.fail("failed_trial", "host.collect: the command " .. (run.timed_out and "timed out"
      or "failed with exit code " .. run.code), run.stderr:match "([^\n]+)%s*$")
  end
  for _, name in ipairs(NUMBERS) do
    into[name] = run[name] or nil
    if not run[name] then into.missing[name] = into.missing[name] or "it could not be measured" end
  end
  into.imports = imports.parse(run.stderr)
  into.missing.imports = not into.imports and "no process of the command was Python 3.7 or newer" or nil
  return into
end

host.diff = findings

return host
