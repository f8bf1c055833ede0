---@meta

--- Profiles by NVIDIA Nsight Systems (nsys), if it is installed, and the kernel sums of its reports. Open a report in
--- nsys-ui; it includes the ranges of reg.nvtx and the phases of the engine. For kernel sums alone, reg.trace.run does
--- not need nsys.
---@class reg.nsys
reg.nsys = {}

---@class nsys.Status
---@field ok boolean
---@field version? string as nsys prints it
---@field message string why not, one line; "" if ok
---@field hint string what to do; "" if ok

--- Whether nsys is installed. Raises nothing.
--- ```lua
--- local status = reg.nsys.status()
--- print(status.ok and status.version or status.message)
--- ```
---@return nsys.Status status
function reg.nsys.status() end

---@class nsys.ProfileOptions: process.RunOptions
---@field output string path of the report in the workspace, without its extension; an existing one is overwritten
---@field trace? string[] what to record; default "cuda", "nvtx", "osrt", "cublas", "cudnn"
---@field capture? string "cudaProfilerApi", from cudaProfilerStart to Stop; "nvtx:NAME", the first such range
---@field memory? boolean also record device memory; slow, so use a separate run

---@class nsys.Result: process.Result
---@field report? string the report; nil if the command failed before there was one

--- Runs a command under `nsys profile`, without CPU sampling, and with the kernels of CUDA graphs listed separately.
--- The result is that of the command, times in seconds. Raises as reg.process.run does, unavailable if nsys is not
--- installed, and failed_trial if the command succeeded without a report: it never entered the capture range.
--- ```lua
--- local run = reg.nsys.profile { cmd = { "python3", "demo.py" }, output = "delimited", capture = "cudaProfilerApi" }
--- for _, kernel in ipairs(reg.nsys.kernels(run.report)) do print(kernel.total_s, kernel.name) end
--- ```
---@param options nsys.ProfileOptions
---@return nsys.Result result
function reg.nsys.profile(options) end

--- The kernels of a report, longest total time first, times in seconds; {} for a report without kernels. Reads a report
--- (.nsys-rep, with nsys), a CSV of `nsys stats` (.csv) or an export (.sqlite); the last two do not need nsys. Raises
--- not_found for a missing file, corrupt for another kind of file, and unavailable for a report if nsys is not
--- installed.
--- ```lua
--- for _, kernel in ipairs(reg.nsys.kernels "baseline.nsys-rep") do print(kernel.total_s, kernel.name) end
--- ```
---@param path string
---@return trace.Kernel[] kernels
function reg.nsys.kernels(path) end
