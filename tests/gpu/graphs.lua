-- CUDA graphs of so many kernels that CUPTI lost the times of their records (line 10), or as many as a minute has room
-- for: the trace has all of them, or says why it is not believed.

local t = require "rows"

local PER_GRAPH, LIMIT_S = 1000, 60
local graphs = t.shell "printf %s \"${REGENGINE_GPU_GRAPHS:-30000}\""  -- the tests'

if not t.build_launches() then
  t.row("graphs", "no C compiler here")
  return t.finish()
end

t.part("graphs", function()
  local run = reg.trace.run { cmd = { "./launches", tostring(LIMIT_S), graphs, "graphs" } }
  assert(run.ok, run.stderr)
  local trace, wanted = run.trace, tonumber(run.stdout) * PER_GRAPH
  local seen = t.launches(trace, "nothing")
  local refused = not trace.ok and trace.why ~= nil
  t.row(wanted .. " kernels in graphs: traced", refused and trace.why or tostring(seen), wanted .. ", or a reason",
    refused or seen == wanted)
end)

return t.finish()
