#!/usr/bin/env regengine
--- Ranges for a profiler: nsys profile --trace=nvtx,cuda regengine nvtx.lua. Without a profiler they cost nothing.

local status = reg.nvtx.status()
print(status.ok and "a tool listens" or status.message)
if status.hint then print("  " .. status.hint) end

-- Two tasks take turns; their ranges overlap, and each ends where its block does.
local lengths = reg.parallel({ "0.05", "0.1" }, function(seconds)
  local _ <close> = reg.nvtx.range("sleeping " .. seconds .. " s", { category = "sleep" })
  return reg.process.run({ cmd = { "sleep", seconds } }).wall_s
end)

print(string.format("two ranges, of %.2f s and %.2f s", lengths[1], lengths[2]))
