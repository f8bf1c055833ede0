-- Commands traced under the fakes: a CUPTI that replays the records of a file, and a program that plays the driver.

local test = require "harness"
local fakes = test.variable "REGENGINE_FAKES"
local traced = { fakes = fakes, program = fakes .. "/cuda_program" }

-- Runs the program's words, "init play", under the fake CUPTI with these records; `more` are further options.
function traced.run(records, words, more)
  reg.fs.write("records", records)
  local cmd = { traced.program }
  for word in words:gmatch "%S+" do cmd[#cmd + 1] = word end
  local call = test.merged({ cmd = cmd,
    env = { REGENGINE_CUPTI = fakes .. "/cupti.so", REGENGINE_FAKE_CUPTI = "records" } }, more)
  return reg.trace.run(call)
end

function traced.run_v2(records, words)
  return traced.run(records, words, { env = { REGENGINE_CUPTI = fakes .. "/cupti_v2.so", REGENGINE_FAKE_CUPTI = "records" } })
end

function traced.names(list) return test.map(list, function(one) return one.name or one.kind end) end

return traced
