#!/usr/bin/env regengine
--- Is a faster way to the same numbers still right? Sums of three columns, exact and rounded to a decimal.

local data = {}
for i = 1, 300 do data[i] = string.format("%.6f %.6f %.6f", math.sin(i) + 2, math.cos(i) + 3, i / 100) end
reg.fs.write("columns.txt", table.concat(data, "\n") .. "\n")

-- A command that dumps its result; `number` is how it writes a number down before it adds it.
local function dump(file, number)
  local add = 'for (k = 1; k <= 3; k++) s[k] += sprintf("' .. number .. '", $k)'
  local print_sums = [[printf "[%.9g, %.9g, %.9g]", s[1], s[2], s[3] ]]
  local program = "{ " .. add .. " } END { " .. print_sums .. " }"
  reg.fs.write(file, reg.process.run({ cmd = { "awk", program, "columns.txt" } }).stdout)
  return file
end

local eager, again = dump("eager.json", "%.6f"), dump("again.json", "%.6f")
for _, digits in ipairs { "%.3f", "%.1f", "%.0f" } do
  local result = dump("result.json", digits)
  local answer = reg.verify { reference = eager, repeat_reference = again, result = result, tolerance = 1e-3 }
  print(string.format("%-5s %-4s %.2g  %s", digits, answer.code, answer.value, answer.message))
end
