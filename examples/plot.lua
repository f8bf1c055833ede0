#!/usr/bin/env regengine
--- Plots the speed and the output size of each gzip level in the terminal.

local opt = reg.options {
  megabytes = { "how much text to compress", type = "integer", default = 4, min = 1 },
}

local levels, speeds, sizes = { 1, 3, 6, 9 }, {}, {}
reg.fs.write("numbers.txt", string.rep("0 1 2 3 5 8 13 21 34 55 89\n", opt.megabytes * 40000))
for i, level in ipairs(levels) do
  local times = {}
  for n = 1, 5 do
    local run = reg.process.run { shell = "gzip -" .. level .. " <numbers.txt | wc -c" }
    times[n], sizes[i] = run.wall_s, tonumber(run.stdout) / 1e3
  end
  table.sort(times)
  speeds[i] = opt.megabytes / times[3]
end

print(reg.report.plot({ x = levels, values = speeds }, { title = "gzip", x_label = "level", y_label = "MB/s" }))
print(reg.report.plot({ x = levels, values = sizes }, { title = "kilobytes left", x_label = "level" }))
