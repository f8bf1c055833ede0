-- Numbers that are measured of a command and need no pattern: --metric @wall. Of each its `name` and `unit`; `of(run)`,
-- the number out of what Trial:run returns, nil if it was not measured; `ask`, what to add to the options of Trial:run;
-- `check()`, which raises if this machine cannot measure it; and `not_in`, where it is not measured and what to do:
-- "container" (one for each run), "kept" (one for several) and "local" (that runtime).

local PRINT_IT = "Print it in the test, and pass its pattern to --metric."
local NO_CONTAINER = { container = PRINT_IT, kept = PRINT_IT }
local HOST_ALONE = { container = PRINT_IT, kept = PRINT_IT, ["local"] = PRINT_IT }

local function check_gpu()
  local status = reg.gpu.status()
  if not status.ok then core.fail("unavailable", "@gpu_memory: " .. status.message, status.hint) end
end

local function check_trace()
  local status = reg.trace.status()
  if not status.ok then core.fail("unavailable", "@gpu_time: " .. status.message, status.hint) end
end

local function check_instructions()
  local ok, why = pcall(core.check_instructions)
  if not ok then core.fail(why.kind, "@instructions: " .. why.message, why.hint) end
end

-- The time of all kernels; raises the failed trial where the test did not use the GPU, or could not be traced.
local function kernel_time(run)
  local trace, sum = run.trace, 0
  if not trace then return nil end
  if not trace.ok then error(reg.skip("the GPU time was not measured: " .. tostring(trace.why)), 0) end
  for _, kernel in ipairs(trace.kernels or {}) do sum = sum + kernel.total_s end
  return sum
end

-- The same of memory: `gpu_memory` is false where no process was seen.
local function gpu_memory(run)
  if run.gpu_memory == false then
    error(reg.skip "the GPU memory was not measured: no process of the test was seen on a GPU", 0)
  end
  return run.gpu_memory
end

-- `instructions` is false where the counter was not the command's alone all the time.
local function instructions(run)
  if run.instructions == false then
    error(reg.skip "the instructions were not counted: other programs used the processor's counters", 0)
  end
  return run.instructions
end

return {
  ["@wall"] = { name = "wall time", unit = "s", of = function(run) return run.wall_s end },
  ["@cpu"] = { name = "CPU time", unit = "s", not_in = NO_CONTAINER,
    of = function(run) return run.user_s and run.user_s + run.sys_s end },
  ["@peak_memory"] = { name = "peak memory", unit = "bytes", not_in = NO_CONTAINER,
    of = function(run) return run.peak_bytes end },
  ["@instructions"] = { name = "instructions", not_in = HOST_ALONE, ask = { instructions = true },
    check = check_instructions, of = instructions },
  ["@gpu_time"] = { name = "GPU time", unit = "s", ask = { trace = true }, check = check_trace, of = kernel_time,
    not_in = { kept = "Run the test without --image, or print it in the test, and pass its pattern to --metric." } },
  ["@gpu_memory"] = { name = "GPU memory", unit = "bytes", ask = { gpu_memory = true }, check = check_gpu,
    of = gpu_memory },
}
