-- Commands traced under the fakes: a CUPTI that replays the records of a file, and a program that plays the driver.

local fakes = reg.process.run({ shell = "printf %s \"$REGENGINE_FAKES\"" }).stdout
local traced = { fakes = fakes, program = fakes .. "/cuda_program" }

-- Runs the program's words under the fake CUPTI with these records; `more` are further options.
function traced.run(records, words, more)
  reg.fs.write("records", records)
  local call = { cmd = { traced.program, table.unpack(words) },
    env = { REGENGINE_CUPTI = fakes .. "/cupti.so", REGENGINE_FAKE_CUPTI = "records" } }
  for key, value in pairs(more or {}) do call[key] = value end
  return reg.trace.run(call)
end

function traced.run_v2(records, words)
  return traced.run(records, words, { env = { REGENGINE_CUPTI = fakes .. "/cupti_v2.so", REGENGINE_FAKE_CUPTI = "records" } })
end

function traced.names(list)
  local found = {}
  for i, one in ipairs(list) do found[i] = one.name or one.kind end
  return found
end

return traced
