-- Runs a command with XLA told to dump what it compiles, whatever other flags the command's environment has. A warm
-- compilation cache would leave nothing to dump, so JAX's is off.

local instrumented = require "lib/instrumented"
local load = require "lib/hlo/load"

local SHELL = 'export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_dump_to=$0 --xla_dump_hlo_as_text%s"; '
  .. 'export JAX_ENABLE_COMPILATION_CACHE=false;'

-- XLA splits its flags at spaces, except in quotes.
local function word(path) return path:find "%s" and "'" .. path .. "'" or path end

local collect = {}

--- What execute(call) returns, with `hlo`: the modules as reg.hlo.read returns them. `folder` exists; the dumps stay in
--- it. `flags`: a list of more flags for XLA.
function collect.into(call, folder, execute, flags)
  local more = #flags > 0 and " " .. table.concat(flags, " ") or ""
  local o = { folder = folder, inside = "/regengine-hlo", shell = SHELL:format(more), word = word }
  local run = instrumented(call, o, execute)
  if not run.dry then run.hlo = load.read(folder) end
  return run
end

--- The same for a command of a trial. `folder` is removed afterwards; nil where nothing runs.
function collect.of_trial(call, folder, execute)
  if not folder then return execute(call) end
  core.new_output(folder)
  local _ <close> = setmetatable({}, { __close = function() core.drop_output(folder) end })
  return collect.into(call, folder, execute, {})
end

return collect
