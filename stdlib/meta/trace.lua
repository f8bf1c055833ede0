---@meta

--- What a command does on the GPU, without changing it and without nsys: the CUDA driver loads a small library into
--- each of its processes, which records kernels and copies with CUPTI and adds them up. It works on the host and in
--- containers, with the program's own CUPTI or that of its CUDA Toolkit. Tracing slows a program a little: compare
--- traced runs with traced runs.
---
--- A process can have one such tool. If nsys or compute-sanitizer is first, the answer is "unavailable", and if
--- torch.profiler or jax.profiler begins later, too: it takes the records over.
---@class reg.trace
reg.trace = {}

---@class trace.Status
---@field ok boolean
---@field message string why not, one line; "" if ok
---@field hint string what to do; "" if ok

--- Whether commands can be traced on this machine: the library and an NVIDIA driver exist. Raises nothing.
--- ```lua
--- local status = reg.trace.status()
--- if not status.ok then print(status.message, status.hint) end
--- ```
---@return trace.Status status
function reg.trace.status() end

---@class trace.Kernel
---@field name string demangled; "(others)" for those after the first 8191 names
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
---@field name string an NVTX range pushed by a thread, with its parents: "step > forward"; in a domain "domain:name"
---@field count integer how often it was opened
---@field kernels integer kernels started in it or in a nested range
---@field total_s number their GPU seconds
---@field self_s number GPU seconds of kernels started in it but not in a nested range

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
---@field overhead_s? number of CUPTI, in the program
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
function reg.trace.run(options) end

--- Reads and merges the summaries in a folder of reg.trace.run or trial:run; times in seconds. Raises not_found for a
--- missing folder, and corrupt for an invalid file.
--- ```lua
--- reg.trace.run { cmd = { "./app" }, folder = "app.trace" }
--- print(reg.trace.read("app.trace").busy_s)
--- ```
---@param folder string
---@return trace.Summary summary
function reg.trace.read(folder) end
