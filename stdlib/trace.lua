-- reg.trace: what an unmodified command does on the GPU, recorded by the injection library that the CUDA driver loads
-- into it. C++ finds the library (core.nouns.trace), lib/tracing runs the command, and lib/trace_summary reads what it
-- recorded.

local merged = require("lib/values").merged
local tracing = require "lib/tracing"

local trace = { status = core.nouns.trace.status }

---@class trace.Kernel
---@field name string demangled; "(others)" after 8191 names; "(CUDA graph)": launches of graphs without their kernels
---@field count integer
---@field total_s number
---@field min_s number
---@field max_s number

---@class trace.Copy
---@field kind string "htod", "dtoh", "dtod", "ptop" ...; "memset"
---@field count integer
---@field bytes integer
---@field total_s number

---@class trace.Range
---@field name string an NVTX range, pushed or started, with its parents: "step > forward"; in a domain "domain:name"
---@field count integer how often it was opened
---@field kernels integer kernels started in it or in a nested range
---@field total_s number their GPU seconds
---@field self_s number GPU seconds of kernels started in it but not in a nested range
---@field nccl_s number the part of total_s in NCCL's kernels, which wait for other GPUs
---@field nccl_self_s number the part of self_s in them

---@class trace.Process
---@field pid integer in its own PID namespace
---@field command string the beginning of its command line
---@field complete boolean false: killed or ended by _exit; up to its last half second is missing
---@field records integer
---@field why? string why it could not be traced
---@field cupti? string the CUPTI library it used

---@class trace.Summary
---@field ok boolean every process that used CUDA was traced, the GPU ran kernels, and no record was lost
---@field why? string why not; or what may be missing
---@field kernels? trace.Kernel[] longest total time first; this and the sums below are absent if nothing was recorded
---@field busy_s? number time with a kernel or copy running, summed over GPUs and processes
---@field span_s? number from the first start to the last end
---@field copies? trace.Copy[] longest total time first
---@field memory_peak_bytes? integer device memory of the process that had most, if seen; for torch and JAX their pool
---@field ranges? trace.Range[] longest total time first
---@field dropped? integer lost records
---@field processes trace.Process[] those that initialized CUDA

---@class trace.RunOptions: process.RunOptions, container.RunOptions
---@field ranges? boolean false: no NVTX ranges, which slow down programs that mark everything; default true
---@field folder? string new or empty folder for the summary of each process as JSON; default: not kept

---@class trace.Result: process.Result, container.Result
---@field trace trace.Summary

--- Runs a command as reg.process.run does, or with `image` as reg.container.run does, and reports its GPU work in
--- `trace`, times in seconds. If it cannot be traced, `trace.ok` is false and `trace.why` says why; the result of the
--- command is the same. Raises as those two do, unavailable if the library is not installed, and conflict if `folder`
--- is not empty.
--- ```lua
--- local run = reg.trace.run { cmd = { "python3", "train.py" } }
--- for _, kernel in ipairs(run.trace.kernels or {}) do print(kernel.total_s, kernel.count, kernel.name) end
--- if not run.trace.ok then print(run.trace.why) end
--- ```
---@param options trace.RunOptions
---@return trace.Result result
function trace.run(options)
  if type(options) ~= "table" then
    core.fail("usage", "trace.run: takes a table of options, as reg.process.run or reg.container.run")
  end
  local call = merged(options)
  call.folder = nil
  local inside = call.image ~= nil and tracing.in_container(call.runtime)
  return tracing.run(call, require("lib/instrumented").execute, inside, options.folder)
end

--- Reads and merges the summaries in a folder of reg.trace.run or trial:run; times in seconds. Raises not_found for a
--- missing folder, and corrupt for an invalid file.
--- ```lua
--- reg.trace.run { cmd = { "./app" }, folder = "app.trace" }
--- print(reg.trace.read("app.trace").busy_s)
--- ```
---@param folder string
---@return trace.Summary summary
function trace.read(folder) return require "lib/trace_summary"(folder) end

return trace
