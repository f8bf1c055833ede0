-- reg.ncu: hardware metrics of single kernels by NVIDIA Nsight Compute, if it is installed.

local nsight = require "lib/nsight"

--- Hardware metrics of each kernel launch by NVIDIA Nsight Compute (ncu), if it is installed. ncu runs a kernel several
--- times and makes the program much slower: its metrics say why a kernel is slow, and are not timings of the program.
---@class reg.ncu
local ncu = {}

local HINT = "Install Nsight Compute, which is part of the CUDA Toolkit, and add ncu to PATH."

-- What keeps ncu from the counters of the GPU, by its message.
local REFUSALS = {
  ["driver resource was unavailable"] =
    "If DCGM watches profiling metrics, pause it: dcgmi profile --pause (and --resume afterward).",
  ERR_NVGPUCTRPERM = "Run as root, start a container with --cap-add=SYS_ADMIN, or load the driver with "
    .. "NVreg_RestrictProfilingToAdminUsers=0.",
}

--- Whether ncu is installed. Raises nothing.
--- ```lua
--- local status = reg.ncu.status()
--- print(status.ok and status.version or status.message)
--- ```
---@return nsys.Status status
function ncu.status() return nsight.status("ncu", HINT) end

-- "1,234,567.5" or "77.50"; nil for text.
local function number(text)
  if text:find "^%-?%d%d?%d?,%d%d%d[,%d]*%.?%d*$" then text = text:gsub(",", "") end
  return tonumber(text)
end

-- The launches of a text, ignoring lines of ncu before its header.
local function launches_of(text)
  local from = ("\n" .. text):find '\n"ID",'
  local rows = from and nsight.rows(text:sub(from), function(cells) return cells end) or {}
  local list, last = reg.json.array {}, nil
  for _, row in ipairs(rows) do
    local id, name = math.tointeger(tonumber(row.ID)), row["Kernel Name"]
    local metric, value = row["Metric Name"], number(row["Metric Value"] or "")
    if name and (not last or last.id ~= id) then
      last = { id = id, name = name, metrics = {} }
      list[#list + 1] = last
    end
    if metric and metric ~= "" and value then last.metrics[metric] = { value = value, unit = row["Metric Unit"] } end
  end
  return list
end

---@class ncu.Metric
---@field value number
---@field unit string as ncu prints it: "ns", "byte", "%"

---@class ncu.Launch
---@field id integer in the order in which ncu profiled them
---@field name string of the kernel
---@field metrics table<string, ncu.Metric> by name; only numbers

---@class ncu.ProfileOptions: process.RunOptions
---@field output string path of the CSV in the workspace; an existing one is overwritten
---@field metrics? string[] as `ncu --query-metrics` lists them; default: "gpu__time_duration.sum"
---@field kernels? string only kernels whose name matches this regular expression
---@field launches? integer at most this many launches

---@class ncu.Result: process.Result
---@field launches ncu.Launch[] in order

--- Runs a command under `ncu`, which leaves the clocks as they are. The result is that of the command, with its
--- launches. Raises as reg.process.run does, unavailable if ncu is not installed or cannot use the counters of the GPU,
--- and failed_trial if the command succeeded and no kernel was profiled.
--- ```lua
--- local run = reg.ncu.profile { cmd = { "python3", "demo.py" }, output = "demo.csv", kernels = "gemm", launches = 5,
---   metrics = { "gpu__time_duration.sum", "dram__bytes.sum" } }
--- for _, launch in ipairs(run.launches) do print(launch.name, launch.metrics["dram__bytes.sum"].value) end
--- ```
---@param options ncu.ProfileOptions
---@return ncu.Result result
function ncu.profile(options)
  nsight.check("ncu", options, "the path of its CSV")
  local argv = { "ncu", "--csv", "--clock-control", "none", "--print-units", "base", "--target-processes", "all",
    "--log-file", options.output, "--metrics", table.concat(options.metrics or { "gpu__time_duration.sum" }, ",") }
  local function add(...) table.move({ ... }, 1, select("#", ...), #argv + 1, argv) end
  if options.kernels then add("--kernel-name", "regex:" .. options.kernels) end
  if options.launches then add("--launch-count", tostring(options.launches)) end
  local run = nsight.profile(options, argv, "metrics kernels launches", { options.output }, HINT)
  if run.dry then return run end
  local log = reg.fs.exists(options.output) and reg.fs.read(options.output) or ""
  for sign, hint in pairs(REFUSALS) do
    local why = log:match("==ERROR== ([^\n]*" .. sign .. "[^\n]*)")
    if why then core.fail("unavailable", "ncu cannot use the GPU's counters: " .. why, hint) end
  end
  run.launches = launches_of(log)
  if run.ok and #run.launches == 0 then
    core.fail("failed_trial", "ncu profiled no kernel", log:match "==[EW]%u+== ([^\n]+)")
  end
  return run
end

return ncu
