#!/usr/bin/env regengine
--- Which one adds up numbers faster, awk or the shell? Two commands, run in turn until it is clear.

reg.needs { process = "sh" }
local awk = "seq 30000 | awk '{ sum += $1 } END { print sum }'"
local shell = "sum=0; for i in $(seq 30000); do sum=$((sum + i)); done; echo $sum"

local found = reg.ab(awk, shell, { min_effect = 0.05 })
print(found.text)
print(string.format("awk %.3g s, the shell %.3g s, a noise of %.2g %% per run", found.a, found.b, 100 * found.noise))
