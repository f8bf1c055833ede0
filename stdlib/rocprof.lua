-- reg.rocprof: GPU kernels on AMD GPUs by rocprofv3, if it is installed.

local nsight = require "lib/nsight"
local values = require "lib/values"

--- The kernels of a program on AMD GPUs by ROCm's rocprofv3, if it is installed. reg.trace is for NVIDIA GPUs.
---@class reg.rocprof
local rocprof = {}

local HINT = "Install rocprofiler-sdk, which is part of ROCm, and add rocprofv3 to PATH."

--- Whether rocprofv3 is installed. Raises nothing.
--- ```lua
--- local status = reg.rocprof.status()
--- print(status.ok and status.version or status.message)
--- ```
---@return nsys.Status status
function rocprof.status() return nsight.status("rocprofv3", HINT) end

-- The launches of one CSV.
local function launches_in(path)
  local rows = nsight.rows(reg.fs.read(path), function(cells)
    local has = values.set(cells)
    return has.Kernel_Name and has.Start_Timestamp and has.End_Timestamp and cells
  end) or core.fail("corrupt", "not a kernel trace of rocprofv3: " .. path,
    "Create it with: rocprofv3 --kernel-trace --output-format csv -d FOLDER -- COMMAND")
  return values.map(rows, function(row)
    return { name = row.Kernel_Name, took_s = (row.End_Timestamp - row.Start_Timestamp) * 1e-9 }
  end)
end

-- The kernel traces below a folder: one for each process, in a folder of its host.
local function traces_in(folder)
  return values.flat(reg.fs.list(folder), function(name)
    local path = folder .. "/" .. name
    return name:find "kernel_trace%.csv$" and { path } or pcall(reg.fs.list, path) and traces_in(path) or {}
  end)
end

---@class rocprof.Kernel
---@field name string
---@field count integer launches
---@field total_s number seconds, summed over the launches, also where they overlap

---@class rocprof.Kernels
---@field kernels rocprof.Kernel[] the one with the most time first
---@field gpu_time_s number the sum of all launches

--- The kernels in a folder that `rocprofv3 --kernel-trace --output-format csv -d FOLDER` wrote. Raises io without the
--- folder, and corrupt for other files.
--- ```lua
--- print(reg.rocprof.kernels("traced").gpu_time_s)
--- ```
---@param folder string
---@return rocprof.Kernels kernels
function rocprof.kernels(folder)
  local launches = values.flat(traces_in(folder), launches_in)
  local function took(launch) return launch.took_s end
  local kernels = values.map(values.grouped(launches, function(launch) return launch.name end), function(own)
    return { name = own[1].name, count = #own, total_s = values.sum(own, took) }
  end)
  return { kernels = nsight.sorted(reg.json.array(kernels)), gpu_time_s = values.sum(launches, took) }
end

---@class rocprof.ProfileOptions: process.RunOptions
---@field output string folder for the traces in the workspace; an existing one is replaced

---@class rocprof.Result: process.Result, rocprof.Kernels

--- Runs a command under rocprofv3. The result is that of the command, with its kernels. Raises as reg.process.run does,
--- unavailable if rocprofv3 is not installed, and failed_trial if the command succeeded and ran no kernel.
--- ```lua
--- local run = reg.rocprof.profile { cmd = { "python3", "demo.py" }, output = "traced" }
--- print(run.gpu_time_s)
--- ```
---@param options rocprof.ProfileOptions
---@return rocprof.Result result
function rocprof.profile(options)
  nsight.check("rocprof", options, "the folder of its traces")
  local argv = { "rocprofv3", "--kernel-trace", "--output-format", "csv", "-d", options.output, "--" }
  local run = nsight.profile(options, argv, "", { options.output }, HINT)
  if run.dry then return run end
  local found = reg.fs.exists(options.output) and rocprof.kernels(options.output) or { kernels = reg.json.array {} }
  if run.ok and #found.kernels == 0 then
    core.fail("failed_trial", "rocprofv3 saw no kernel", run.stderr:match "[^\n]+")
  end
  for name, value in pairs(found) do run[name] = value end
  return run
end

return rocprof
