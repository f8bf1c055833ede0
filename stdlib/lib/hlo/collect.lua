-- Runs a command with XLA told to dump what it compiles, whatever other flags the command's environment has. A warm
-- compilation cache would leave nothing to dump, so JAX's is off.

local instrumented = require "lib/instrumented"
local load = require "lib/hlo/load"

local SHELL = 'export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_dump_to=$0 --xla_dump_hlo_as_text"; '
  .. 'export JAX_ENABLE_COMPILATION_CACHE=false;'

-- XLA splits its flags at spaces, except in quotes.
local function word(path) return path:find "%s" and "'" .. path .. "'" or path end

--- What execute(call) returns, with `hlo`: the modules as reg.hlo.read returns them. `folder`: for the dumps, removed
--- afterwards; nil where nothing runs.
return function(call, folder, execute)
  if not folder then return execute(call) end
  core.new_output(folder)
  local _ <close> = setmetatable({}, { __close = function() core.drop_output(folder) end })
  local run = instrumented(call, { folder = folder, inside = "/regengine-hlo", shell = SHELL, word = word }, execute)
  if not run.dry then run.hlo = load.read(folder) end
  return run
end
