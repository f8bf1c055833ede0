#!/usr/bin/env regengine
--- Plots the speed and the output size of each gzip level: as lines and as bars,
--- in the terminal and, where gnuplot is installed, as images.

local opt = reg.options {
  megabytes = { "how much text to compress", type = "integer", default = 4, min = 1 },
  out       = { "folder for levels.svg and sizes.png", type = "string" },
}

local levels, speeds, errors, sizes = { "1", "3", "6", "9" }, {}, {}, {}
reg.fs.write("numbers.txt", string.rep("0 1 2 3 5 8 13 21 34 55 89\n", opt.megabytes * 40000))
for i, level in ipairs(levels) do
  local times = {}
  for n = 1, 5 do
    local run = reg.process.run { shell = "gzip -" .. level .. " <numbers.txt | wc -c" }
    times[n], sizes[i] = run.wall_s, tonumber(run.stdout) / 1e3
  end
  table.sort(times)
  speeds[i], errors[i] = opt.megabytes / times[3], opt.megabytes * (1 / times[1] - 1 / times[5]) / 2
end

-- Without --out there is no file: the plots are only text.
local function file(name) return opt.out and opt.out .. "/" .. name end
print(reg.report.plot(
  { x = { 1, 3, 6, 9 }, series = { { name = "median of five", values = speeds, errors = errors } } },
  { title = "gzip", x_label = "level", y_label = "MB/s", file = file "levels.svg" }))
print(reg.report.plot({ labels = levels, values = sizes },
  { style = "bar", title = "kilobytes left", file = file "sizes.png" }))
