#!/usr/bin/env regengine
--- Several measurements at the same time, each on a GPU of its own. Without a GPU it says what is missing.

local status = reg.gpu.status()
if not status.ok then
  print("no GPU here: " .. status.message)
  print("  " .. status.hint)
  return
end

-- More measurements than GPUs wait for their turn; so does another regengine that wants the same GPUs.
local lines = reg.parallel({ "a", "b", "c" }, function(name)
  local lease <close> = reg.gpu.lease { count = 1 }
  local run = reg.process.run { shell = 'echo "$CUDA_VISIBLE_DEVICES"', lease = lease }
  return string.format("%s: %s near CPUs %s", name, run.stdout:match "%S+", lease.cpus or "?")
end)
print(table.concat(lines, "\n"))
