-- reg.trace: what an unmodified command does on the GPU, recorded by the injection library that the CUDA driver loads
-- into it. C++ finds the library and reads its files (core.nouns.trace); lib/tracing runs the command.

local native = core.nouns.trace
local tracing = require "lib/tracing"

local trace = { status = native.status, read = native.read }

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

function trace.run(options)
  if type(options) ~= "table" then
    core.fail("usage", "trace.run: takes a table of options, as reg.process.run or reg.container.run")
  end
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  call.folder = nil
  return tracing.run(call, execute, call.image ~= nil and tracing.in_container(call.runtime), options.folder)
end

return trace
