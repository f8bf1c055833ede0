-- Runs a command with XLA told to dump what it compiles, whatever other flags the command's environment has. A warm
-- compilation cache would leave nothing to dump, so JAX's is off.

local load = require "lib/hlo/load"

local INSIDE = "/regengine-hlo"
local RUN = 'export XLA_FLAGS="${XLA_FLAGS:+$XLA_FLAGS }--xla_dump_to=$0 --xla_dump_hlo_as_text"; '
  .. 'export JAX_ENABLE_COMPILATION_CACHE=false; exec "$@"'

-- Whether the command runs in a container, which has other paths.
local function in_container(call)
  return call.image ~= nil and (call.runtime or reg.container.use {}) ~= "local"
end

--- What execute(call) returns, with `hlo`: the modules as reg.hlo.read returns them. `folder`: for the dumps, removed
--- afterwards; nil where nothing runs.
return function(call, folder, execute)
  if not folder then return execute(call) end
  local words, inside = call.cmd or { "/bin/sh", "-c", call.shell }, in_container(call)
  core.new_output(folder)
  local _ <close> = setmetatable({}, { __close = function() core.drop_output(folder) end })
  if inside then
    local mounts = { [folder] = INSIDE }
    for host, path in pairs(call.mounts or {}) do mounts[host] = path end
    call.mounts = mounts
  end
  -- XLA splits its flags at spaces, except in quotes.
  local target = inside and INSIDE or folder:find "%s" and "'" .. folder .. "'" or folder
  call.shell, call.cmd = nil, table.move(words, 1, #words, 5, { "/bin/sh", "-c", RUN, target })
  local run = execute(call)
  if not run.dry then run.hlo = load.read(folder) end
  return run
end
