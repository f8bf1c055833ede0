-- Numbers that are measured of a command and need no pattern: --metric @wall. Of each its `name` and `unit`; `of(run)`,
-- the number out of what Trial:run returns, nil if it was not measured; `ask`, what to add to the options of Trial:run;
-- `check(place)`, which raises if this machine cannot measure it there; and `not_in`, places where it is never measured
-- and what to do. Places: "host", "container" (one for each run), "kept" (one for several) and "local" (that runtime).
-- `better` and `counted`: what lib/direction cannot tell from the name.

local PRINT_IT = "Print it in the test, and pass its pattern to --metric."
local HOST_ALONE = { container = PRINT_IT, kept = PRINT_IT, ["local"] = PRINT_IT }

local function available(status)
  if not status.ok then core.fail("unavailable", status.message, status.hint) end
end

local function check_trace() available(reg.trace.status()) end

local function check_usage(place)
  if place == "container" or place == "kept" then core.container_usage_program() end
end

-- The trace of a run; raises the failed trial where the test did not use the GPU, or could not be traced.
local function traced(run)
  if run.trace and not run.trace.ok then
    error(reg.skip("the GPU time was not measured: " .. tostring(run.trace.why)), 0)
  end
  return run.trace
end

-- The sum of all kernels but NCCL's, which wait for other GPUs.
local function kernel_time(run)
  local trace, sum = traced(run), 0
  for _, kernel in ipairs(trace and trace.kernels or {}) do
    if not kernel.name:find "^nccl" then sum = sum + kernel.total_s end
  end
  return trace and sum
end

-- Reads a number of a run that is false where it could not be measured: then it fails the trial.
local function number(field, why)
  return function(run)
    if run[field] == false then error(reg.skip(why), 0) end
    return run[field]
  end
end

local clock_of = number("gpu_mhz", "the GPU cycles were not measured: nothing was seen running on a GPU")

local NO_RESULT = " was not measured: regengine-usage, which measures it in the container, wrote no result"

local user_time_of = number("user_s", "the CPU time" .. NO_RESULT)

-- "@hlo:fusion" and the like, of reg.hlo.count.
local function hlo_count(what)
  local function of(run)
    if not run.hlo then return nil end
    if #run.hlo.modules == 0 then
      error(reg.skip("the HLO was not counted: the test compiled nothing with XLA, or sets its own --xla_dump_to"), 0)
    end
    return require("lib/hlo/content").total(run.hlo.modules, what)
  end
  return { name = what .. " count", ask = { hlo = true }, of = of, not_in = { kept = PRINT_IT } }
end

-- "@jit.traces:f" and the like, of reg.jit.
local function jit_count_of(what, name)
  local function of(run)
    if not run.jit then return nil end
    local record = require "lib/jit/record"
    return record[what](run.jit, name) or error(reg.skip(record.why_not(run.jit, name)), 0)
  end
  return { name = name .. " " .. what, better = "lower", counted = true, ask = { jit = true }, of = of,
    not_in = { kept = PRINT_IT } }
end

local measured = {
  ["@wall"] = { name = "wall time", unit = "s", of = function(run) return run.wall_s end },
  ["@cpu"] = { name = "CPU time", unit = "s", ask = { usage = true }, check = check_usage,
    of = function(run) return user_time_of(run) and run.user_s + run.sys_s end },
  ["@peak_memory"] = { name = "peak memory", unit = "bytes", ask = { usage = true }, check = check_usage,
    of = number("peak_bytes", "the peak memory" .. NO_RESULT) },
  ["@instructions"] = { name = "instructions", not_in = HOST_ALONE, ask = { instructions = true },
    check = core.check_instructions,
    of = number("instructions", "the instructions were not counted: other programs used the processor's counters") },
  ["@gpu_busy"] = { name = "GPU busy time", unit = "s", ask = { trace = true }, check = check_trace,
    of = function(run) return traced(run) and run.trace.busy_s end },
  ["@gpu_time"] = { name = "GPU time", unit = "s", ask = { trace = true }, check = check_trace, of = kernel_time },
  ["@gpu_cycles"] = { name = "GPU cycles", unit = "cycles", ask = { trace = true, gpu_clock = true },
    check = function() available(reg.gpu.status()) check_trace() end,
    of = function(run)  -- kernel time in cycles of the SMs, by the mean of their clock while something ran
      local mhz, seconds = clock_of(run), kernel_time(run)
      return mhz and seconds and seconds * mhz * 1e6
    end },
  ["@gpu_memory"] = { name = "GPU memory", unit = "bytes", ask = { gpu_memory = true },
    check = function() available(reg.gpu.status()) end,
    of = number("gpu_memory", "the GPU memory was not measured: no process of the test was seen on a GPU") },
}

return setmetatable(measured, { __index = function(all, metric)
  local what = type(metric) == "string" and metric:match "^@hlo:([%w_%-]+:?%S*)$"
  if what then all[metric] = hlo_count(what) end
  local counted, name = tostring(metric):match "^@jit%.(%l+):(%S+)$"
  if counted == "traces" or counted == "compiles" then all[metric] = jit_count_of(counted, name) end
  return rawget(all, metric)
end })
