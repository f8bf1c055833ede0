-- CUDA graphs of so many kernels that CUPTI lost the times of their records (line 10), or as many as a minute has room
-- for: the trace has all of them, or says why it is not believed.

local t = require "rows"

local PER_GRAPH, LIMIT_S = 1000, 60
local graphs = tonumber(t.shell "printf %s \"$REGENGINE_GPU_GRAPHS\"") or 30000  -- the tests'

t.script("graphs.lua", string.format([==[
local graph <close> = gpu:graph(function() for _ = 1, %d do nothing:run() end end)
local launched, started = 0, reg.time.now()
repeat
  graph:launch()
  launched = launched + 1
  if launched %% 100 == 0 then gpu:synchronize() end
until launched == %d or reg.time.now() - started > %d
gpu:synchronize()
print(launched)
]==], PER_GRAPH, graphs, LIMIT_S))

t.part("graphs", function()
  local run = reg.trace.run { cmd = { t.engine(), "graphs.lua" } }
  assert(run.ok, run.stderr)
  local trace, wanted = run.trace, tonumber(run.stdout) * PER_GRAPH
  local seen = t.launches(trace, "nothing")
  local refused = not trace.ok and trace.why ~= nil
  t.row(wanted .. " kernels in graphs: traced", refused and trace.why or tostring(seen), wanted .. ", or a reason",
    refused or seen == wanted)
end)

return t.finish()
