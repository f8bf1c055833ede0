---@meta

--- What a command does on the GPU, without a change to it and without nsys: the CUDA driver loads a small library of ours into
--- each of its processes, which has CUPTI record kernels and copies and adds them up. It works on the host and in containers;
--- the CUPTI is the program's own, or that of its CUDA Toolkit. A program that is traced runs a little slower: compare traced
--- runs with traced ones.
---
--- A process serves one such tool. Where nsys, torch.profiler or compute-sanitizer is there first, the answer is "unavailable".
---@class reg.trace
reg.trace = {}

---@class trace.Status
---@field ok boolean
---@field message string one line: why not; "" when ok
---@field hint string what would help; "" when ok

--- Whether commands on this machine can be traced: the library and an NVIDIA driver are there. It raises nothing.
--- ```lua
--- local status = reg.trace.status()
--- if not status.ok then print(status.message, status.hint) end
--- ```
---@return trace.Status status
function reg.trace.status() end

---@class trace.Kernel
---@field name string demangled; "(others)" for those beyond 8191 names
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
---@field name string an NVTX range that a thread pushed, with those around it: "step > forward"; in a domain "domain:name"
---@field count integer how often it was opened
---@field kernels integer started in it or in a range inside it
---@field total_s number GPU seconds of these
---@field self_s number GPU seconds of those started in it alone

---@class trace.Process
---@field pid integer as it sees itself
---@field command string the beginning of its command line
---@field complete boolean false: it was killed or left by _exit, and up to its last half second is missing
---@field records integer
---@field why? string why it could not be traced
---@field cupti? string the library that served it

---@class trace.Summary
---@field ok boolean every process that used CUDA was traced, and the GPU did something
---@field why? string why not; or what may be missing although it is
---@field kernels? trace.Kernel[] most time first; this and the sums below are absent where nothing was recorded, never zero
---@field busy_s? number each GPU's time with a kernel or copy under way, added up over GPUs and processes
---@field span_s? number from the first start to the last end
---@field copies? trace.Copy[] most time first
---@field memory_peak_bytes? integer device memory, of the process that had most; for torch and JAX their pool
---@field ranges? trace.Range[] most time first
---@field overhead_s? number CUPTI's own, in the program
---@field dropped? integer records that were lost
---@field processes trace.Process[] those that initialised CUDA

---@class trace.RunOptions: process.RunOptions, container.RunOptions
---@field folder? string where the summary of each process stays as JSON, a new or empty folder; nowhere when absent

---@class trace.Result: process.Result, container.Result
---@field trace trace.Summary

--- Runs a command as reg.process.run does - with `image` as reg.container.run does - and tells what it did on the GPU in `trace`,
--- times in seconds. What cannot be traced is told in `trace.ok` and `trace.why`; the command's own result is there all the same.
--- Raises as those two do, unavailable where the library is not installed, and conflict where `folder` is not empty.
--- ```lua
--- local run = reg.trace.run { cmd = { "python3", "train.py" } }
--- for _, kernel in ipairs(run.trace.kernels or {}) do print(kernel.total_s, kernel.count, kernel.name) end
--- if not run.trace.ok then print(run.trace.why) end
--- ```
---@param options trace.RunOptions
---@return trace.Result result
function reg.trace.run(options) end

--- Reads the summaries in a folder that reg.trace.run or trial:run wrote, as one; times in seconds. Raises not_found for a folder
--- that is not there, and corrupt for a file that is no summary.
--- ```lua
--- reg.trace.run { cmd = { "./app" }, folder = "app.trace" }
--- print(reg.trace.read("app.trace").busy_s)
--- ```
---@param folder string
---@return trace.Summary summary
function reg.trace.read(folder) end
