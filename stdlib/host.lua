-- reg.host: what a command costs the host, and what of it differs between two ends.

local costs = require "lib/host/costs"
local findings = require "lib/host/findings"

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

local host = {}

function host.collect(options)
  if type(options) ~= "table" then
    core.fail("usage", "host.collect: takes a table of options, as reg.process.run or reg.container.run")
  end
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  local run = costs(call, execute)
  if run.dry then return { dry = true, missing = { command = "dry run" } } end
  if not run.ok then
    core.fail("failed_trial", "host.collect: the command " .. (run.timed_out and "timed out"
      or "failed with exit code " .. run.code), run.stderr:match "([^\n]+)%s*$")
  end
  return run.host
end

host.diff = findings

return host
