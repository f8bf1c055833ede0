---@meta

--- Captures by NVIDIA Nsight Systems (nsys), where it is installed, and the sums of their kernels read back. Look at a capture in
--- nsys-ui; reg.nvtx and the engine's own phases stand in it as ranges. To sum up kernels alone, reg.trace.run needs no nsys.
---@class reg.nsys
reg.nsys = {}

---@class nsys.Status
---@field ok boolean
---@field version? string as nsys says it
---@field message string one line: why not; "" when ok
---@field hint string what would help; "" when ok

--- Whether nsys is installed. It raises nothing.
--- ```lua
--- local status = reg.nsys.status()
--- print(status.ok and status.version or status.message)
--- ```
---@return nsys.Status status
function reg.nsys.status() end

---@class nsys.ProfileOptions: process.RunOptions
---@field output string the report's path in the workspace, without its ending; what is there is replaced
---@field trace? string[] what is recorded: "cuda", "nvtx", "osrt", "cublas", "cudnn" when absent
---@field capture? string a part of the run: "cudaProfilerApi", from cudaProfilerStart to Stop; "nvtx:NAME", a range's first time
---@field memory? boolean device memory too; it costs much, so give it a run of its own

---@class nsys.Result: process.Result
---@field report? string the file that was written; nil where the command failed before there was one

--- Runs a command under `nsys profile`, without CPU sampling, and with the kernels of CUDA graphs one by one. The result is the
--- command's, its times in seconds. Raises as reg.process.run does, unavailable where nsys is not installed, and failed_trial
--- where the command went well and there is no report: the capture range was never entered.
--- ```lua
--- local run = reg.nsys.profile { cmd = { "python3", "demo.py" }, output = "delimited", capture = "cudaProfilerApi" }
--- for _, kernel in ipairs(reg.nsys.kernels(run.report)) do print(kernel.total_s, kernel.name) end
--- ```
---@param options nsys.ProfileOptions
---@return nsys.Result result
function reg.nsys.profile(options) end

--- The kernels of a capture, most time first, times in seconds; {} for a capture that holds none. Out of a report (.nsys-rep, by
--- nsys itself), a CSV of `nsys stats` (.csv) or an export (.sqlite); the last two need no nsys. Raises not_found for a file that
--- is not there, corrupt for one that is something else, unavailable for a report where nsys is not installed.
--- ```lua
--- for _, kernel in ipairs(reg.nsys.kernels "baseline.nsys-rep") do print(kernel.count, kernel.total_s, kernel.name) end
--- ```
---@param path string
---@return trace.Kernel[] kernels
function reg.nsys.kernels(path) end
