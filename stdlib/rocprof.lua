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

-- Adds the launches of one CSV to the kernels by name.
local function add_launches(text, path, kernels)
  local rows = nsight.rows(text, function(cells)
    local has = values.set(cells)
    return has.Kernel_Name and has.Start_Timestamp and has.End_Timestamp and cells
  end) or core.fail("corrupt", "not a kernel trace of rocprofv3: " .. path,
    "Create it with: rocprofv3 --kernel-trace --output-format csv -d FOLDER -- COMMAND")
  for _, row in ipairs(rows) do
    local name = row.Kernel_Name
    local kernel = kernels[name] or { name = name, count = 0, total_s = 0 }
    kernel.count = kernel.count + 1
    kernel.total_s = kernel.total_s + (row.End_Timestamp - row.Start_Timestamp) * 1e-9
    kernels[name] = kernel
  end
end

-- The kernel traces below a folder: one for each process, in a folder of its host.
local function traces_in(folder, found)
  for _, name in ipairs(reg.fs.list(folder)) do
    local path = folder .. "/" .. name
    if name:find "kernel_trace%.csv$" then found[#found + 1] = path
    elseif pcall(reg.fs.list, path) then traces_in(path, found) end
  end
  return found
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
  local by_name, list, time = {}, reg.json.array {}, 0
  for _, path in ipairs(traces_in(folder, {})) do add_launches(reg.fs.read(path), path, by_name) end
  for _, kernel in pairs(by_name) do list[#list + 1], time = kernel, time + kernel.total_s end
  return { kernels = nsight.sorted(list), gpu_time_s = time }
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
