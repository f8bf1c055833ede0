#!/usr/bin/env regengine
--- Is a faster way to the same numbers still right? Sums of three columns, exact and rounded to a decimal.

local data = {}
for i = 1, 300 do data[i] = string.format("%.6f %.6f %.6f", math.sin(i) + 2, math.cos(i) + 3, i / 100) end
reg.fs.write("columns.txt", table.concat(data, "\n") .. "\n")

-- Writes the sums to a file, as numpy.save would; `number` is how awk writes a number down before it adds it.
local function dump(file, number)
  local add = 'for (k = 1; k <= 3; k++) s[k] += sprintf("' .. number .. '", $k)'
  local program = "{ " .. add .. [[ } END { printf "%.9g %.9g %.9g", s[1], s[2], s[3] }]]
  local sums = {}
  for sum in reg.process.run({ cmd = { "awk", program, "columns.txt" } }).stdout:gmatch "%S+" do
    sums[#sums + 1] = tonumber(sum)
  end
  local header = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }\n"
  reg.fs.write(file, string.pack("<c8s2ddd", "\x93NUMPY\1\0", header, table.unpack(sums)))
  return file
end

local eager, again = dump("eager.npy", "%.6f"), dump("again.npy", "%.6f")
for _, digits in ipairs { "%.3f", "%.1f", "%.0f" } do
  local result = dump("result.npy", digits)
  local answer = reg.verify { reference = eager, repeat_reference = again, result = result, tolerance = 1e-3 }
  print(string.format("%-5s %-4s %.2g  %s", digits, answer.code, answer.value, answer.message))
end
