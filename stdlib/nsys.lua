-- reg.nsys: profiles by NVIDIA Nsight Systems, if it is installed, and the kernel sums of its reports, for several
-- versions of nsys.

local nsight = require "lib/nsight"
local values = require "lib/values"

--- Profiles by NVIDIA Nsight Systems (nsys), if it is installed, and the kernel sums of its reports. Open a report in
--- nsys-ui; it includes the ranges of reg.nvtx and the phases of the engine. For kernel sums alone, reg.trace.run does
--- not need nsys.
---@class reg.nsys
local nsys = {}

local HINT = "Install Nsight Systems (in the CUDA Toolkit, or the package nsight-systems-cli) and add nsys to PATH. "
  .. "reg.trace.run sums up kernels without it."

---@class nsys.Status: gpu.Status
---@field version? string as nsys prints it

--- Whether nsys is installed. Raises nothing.
--- ```lua
--- local status = reg.nsys.status()
--- print(status.ok and status.version or status.message)
--- ```
---@return nsys.Status status
function nsys.status() return nsight.status("nsys", HINT) end

local function capture_options(capture, env)
  if capture == nil then return {} end
  if capture == "cudaProfilerApi" then return { "--capture-range=cudaProfilerApi", "--capture-range-end=stop" } end
  local name = type(capture) == "string" and capture:match "^nvtx:(.+)$"
  if not name then
    core.fail("usage", "nsys.profile: not a valid capture: '" .. tostring(capture) .. "'",
      'Pass "cudaProfilerApi" or "nvtx:NAME".')
  end
  -- Without this nsys sees registered strings only, which few programs use.
  env.NSYS_NVTX_PROFILER_REGISTER_ONLY = "0"
  return { "--capture-range=nvtx", "--nvtx-capture=" .. name, "--capture-range-end=stop" }
end

local function profile_argv(options, env)
  local traced = options.trace or { "cuda", "nvtx", "osrt", "cublas", "cudnn" }
  if type(traced) ~= "table" or #traced == 0 then
    core.fail("usage", "nsys.profile: 'trace' must be a list", 'Write { "cuda", "nvtx" }.')
  end
  return values.flat { { "nsys", "profile", "-o", options.output, "-f", "true", "--trace=" .. table.concat(traced, ","),
    "--sample=none", "--cpuctxsw=none", "--cuda-graph-trace=node" }, capture_options(options.capture, env),
    { options.memory and "--cuda-memory-usage=true" or nil } }
end

-- Raises why a command that succeeded has no report.
local function no_report(options, run)
  local raw = options.output .. ".qdstrm"
  if reg.fs.exists(raw) then
    core.fail("failed_trial", "nsys could not convert " .. raw .. " to a report",
      "Install the complete Nsight Systems: this one lacks the importer that writes .nsys-rep files.")
  end
  core.fail("failed_trial", "nsys wrote no report " .. options.output .. ".nsys-rep", options.capture
    and "The program never entered the capture range '" .. options.capture .. "'." or run.stderr:match "[^\n]+")
end

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
function nsys.profile(options)
  nsight.check("nsys", options, "the path of the report without its extension")
  -- nsys replaces its report alone, and reads an export beside it as that of the new one.
  local earlier = values.map({ ".nsys-rep", ".qdrep", ".qdstrm", ".sqlite" },
    function(ending) return options.output .. ending end)
  local env = values.merged(options.env)
  local argv = profile_argv(options, env)
  local run = nsight.profile(values.merged(options, { env = env }), argv, "trace capture memory", earlier, HINT)
  if run.dry then return run end
  -- Versions of nsys name the report differently.
  run.report = values.find({ options.output .. ".nsys-rep", options.output .. ".qdrep" }, reg.fs.exists)
  if not run.report and run.ok then no_report(options, run) end
  return run
end

-- Older versions of nsys name columns "Minimum" or "Average (ns)" and have fewer.
local HEADERS = { total = "^total time", count = "^instances", least = "^min", most = "^max", name = "^name$" }

local function keys_of(cells)
  local keys, count = {}, 0
  for i, cell in ipairs(cells) do
    keys[i] = i
    for key, start in pairs(HEADERS) do
      if cell:lower():find(start) then keys[i], count = key, count + 1 end
    end
  end
  return count == 5 and keys
end

-- The kernels of a CSV text, ignoring lines before its header; nil without a header.
local function from_csv(text)
  local rows, kernels = nsight.rows(text, keys_of), {}
  for _, row in ipairs(rows or {}) do
    local total, count = tonumber(row.total), math.tointeger(tonumber(row.count))
    local least, most = tonumber(row.least), tonumber(row.most)
    if not (total and count and least and most and row.name) then break end  -- another report begins
    kernels[#kernels + 1] = { name = row.name, count = count, total_s = total * 1e-9, min_s = least * 1e-9,
      max_s = most * 1e-9 }
  end
  return rows and nsight.sorted(kernels)
end

local function from_report(path)
  if not reg.fs.exists(path) then core.fail("not_found", "no such file: " .. path) end
  local output
  for _, report in ipairs { "cuda_gpu_kern_sum", "gpukernsum" } do
    local run = nsight.run({ cmd = { "nsys", "stats", "--report", report, "--format", "csv", "--output", "-",
      "--force-export=true", path }, keep_bytes = 64 * 1024 * 1024 }, HINT)
    local kernels = from_csv(run.stdout)
    if kernels then return kernels end
    output = run.stderr .. run.stdout
    if output:find "does not contain CUDA kernel data" then return {} end
  end
  core.fail("corrupt", "nsys cannot read the kernels of " .. path .. ": " .. (values.last_line(output) or "no output"))
end

--- The kernels of a report, longest total time first, times in seconds; {} for a report without kernels. Reads a report
--- (.nsys-rep, with nsys) or a CSV of `nsys stats` (.csv), which does not need nsys. Raises not_found for a missing
--- file, corrupt for another kind of file, and unavailable for a report if nsys is not installed.
--- ```lua
--- for _, kernel in ipairs(reg.nsys.kernels "baseline.nsys-rep") do print(kernel.total_s, kernel.name) end
--- ```
---@param path string
---@return trace.Kernel[] kernels
function nsys.kernels(path)
  if type(path) ~= "string" then core.fail("usage", "nsys.kernels: takes the path of a report or CSV of nsys") end
  if not path:find "%.csv$" then return from_report(path) end
  return from_csv(reg.fs.read(path)) or core.fail("corrupt", "not a CSV of kernel sums: " .. path,
    "Create it with: nsys stats --report cuda_gpu_kern_sum --format csv REPORT.nsys-rep")
end

return nsys
