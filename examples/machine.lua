#!/usr/bin/env regengine
--- Tunes the machine for a measurement, and prints the outcome of each measure, with the command for what needs root.

local quiet <close> = reg.machine.tune {
  governor = "performance", turbo = false, c_states = false,
  env = { CUDA_AUTO_BOOST = "0" },
}
print(reg.report.table(quiet:record(), { columns = { "measure", "wanted", "state", "was", "now", "command" } }))

local times = {}
for i = 1, 5 do times[i] = reg.process.run({ shell = "seq 300000 | sort -R | tail -n 1" }).wall_s end
table.sort(times)
print(string.format("median of 5 runs: %.0f ms, from %.0f to %.0f", 1000 * times[3], 1000 * times[1], 1000 * times[5]))
-- Here, and also on an error, on Ctrl-C and after kill -9, everything is as it was.
