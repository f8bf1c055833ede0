#!/usr/bin/env regengine
--- Commands run well: what they used, a time-out that reaches the whole tree, several at a time.

reg.needs { process = { "sort", "sh" } }

local run = reg.process.run { cmd = { "sort", "-R" }, stdin = ("a line\n"):rep(10000) }
print(string.format("sort: code %d, %.0f ms, %.1f MB", run.code, 1000 * run.wall_s, run.peak_bytes / 1e6))

local late = reg.process.run { shell = "sleep 60 & sleep 60", timeout_s = 0.2 }
print("too slow:", late.timed_out, "killed by signal " .. late.signal)

local sums = reg.parallel({ 1000, 2000, 3000 }, function(n)
  return reg.metric.find(reg.process.run { shell = "seq " .. n .. " | wc -l" }.stdout, "{number}")
end)
print("side by side:", table.concat(sums, " "))
