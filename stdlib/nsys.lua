-- reg.nsys: captures by NVIDIA Nsight Systems, where it is installed, and the sums of their kernels read back. The command line
-- is nsys's own; what it was called in other versions is known here.

local native = core.nouns.nsys

local nsys = {}

local HINT = "install Nsight Systems (nsys comes with the CUDA Toolkit, or as nsight-systems-cli) and put it into PATH; "
  .. "reg.trace.run sums up kernels without it"

-- Runs nsys; where it is not installed the error says what would help.
local function run_nsys(call)
  local ok, run = pcall(reg.process.run, call)
  if ok then return run end
  if type(run) == "table" and run.kind == "not_found" and tostring(run.message):find("'nsys'", 1, true) then
    core.fail("unavailable", "nsys is not installed: there is no program of that name in PATH", HINT)
  end
  error(run, 0)
end

function nsys.status()
  local ok, run = pcall(run_nsys, { cmd = { "nsys", "--version" } })
  if not ok then
    if type(run) ~= "table" or run.kind ~= "unavailable" then error(run, 0) end
    return { ok = false, message = run.message, hint = run.hint }
  end
  if run.ok then return { ok = true, version = run.stdout:match "version ([%d%.%-%w]+)", message = "", hint = "" } end
  return { ok = false, message = "nsys does not run: " .. (run.stderr:match "[^\n]+" or "exit code " .. run.code), hint = HINT }
end

-- --- capturing -------------------------------------------------------------------------------------------------------------

-- The options that are nsys's, not the command's.
local OWN = { output = true, trace = true, capture = true, memory = true, cmd = true, shell = true }

local function capture_words(words, capture, env)
  if capture == nil then return end
  if capture == "cudaProfilerApi" then
    table.move({ "--capture-range=cudaProfilerApi", "--capture-range-end=stop" }, 1, 2, #words + 1, words)
    return
  end
  local name = type(capture) == "string" and capture:match "^nvtx:(.+)$"
  if not name then
    core.fail("usage", "nsys.profile: 'capture' is \"cudaProfilerApi\" or \"nvtx:NAME\", not '" .. tostring(capture) .. "'")
  end
  table.move({ "--capture-range=nvtx", "--nvtx-capture=" .. name, "--capture-range-end=stop" }, 1, 3, #words + 1, words)
  -- Without this nsys sees only names that the program registered, which few programs do.
  env.NSYS_NVTX_PROFILER_REGISTER_ONLY = "0"
end

local function profile_words(options, env)
  local traced = options.trace or { "cuda", "nvtx", "osrt", "cublas", "cudnn" }
  if type(traced) ~= "table" or #traced == 0 then
    core.fail("usage", 'nsys.profile: \'trace\' must be a list such as { "cuda", "nvtx" }')
  end
  local words = { "nsys", "profile", "-o", options.output, "-f", "true", "--trace=" .. table.concat(traced, ","),
    "--sample=none", "--cpuctxsw=none", "--cuda-graph-trace=node" }
  capture_words(words, options.capture, env)
  if options.memory then words[#words + 1] = "--cuda-memory-usage=true" end
  return words
end

-- The report's name has changed with nsys's versions.
local function report_of(output)
  for _, ending in ipairs { ".nsys-rep", ".qdrep" } do
    if reg.fs.exists(output .. ending) then return output .. ending end
  end
end

function nsys.profile(options)
  if type(options) ~= "table" or type(options.output) ~= "string" or options.output == "" then
    core.fail("usage", "nsys.profile: needs 'output', the report's path without its ending")
  end
  if (options.cmd == nil) == (options.shell == nil) then
    core.fail("usage", "nsys.profile: needs either 'cmd', a list of strings, or 'shell', a string")
  end
  local call, env = {}, {}
  for name, value in pairs(options.env or {}) do env[name] = value end
  for key, value in pairs(options) do if not OWN[key] then call[key] = value end end
  call.env, call.cmd = env, profile_words(options, env)
  for _, word in ipairs(options.cmd or { "/bin/sh", "-c", options.shell }) do call.cmd[#call.cmd + 1] = word end
  local run = run_nsys(call)
  if run.dry then return run end
  run.report = report_of(options.output)
  if not run.report and run.ok then
    core.fail("failed_trial", "nsys wrote no report " .. options.output .. ".nsys-rep", options.capture
      and "the capture range '" .. options.capture .. "' was never entered" or run.stderr:match "[^\n]+")
  end
  return run
end

-- --- reading ---------------------------------------------------------------------------------------------------------------

-- One line of CSV as a list: fields in quotes may hold commas, and quotes as two.
local function fields(line)
  local list, at = {}, 1
  while at <= #line + 1 do
    if line:sub(at, at) == '"' then
      local text, from = {}, at + 1
      while true do
        local quote = line:find('"', from, true) or #line + 1
        text[#text + 1] = line:sub(from, quote - 1)
        at = quote + 1
        if line:sub(at, at) ~= '"' then break end
        text[#text + 1], from = '"', at + 1
      end
      list[#list + 1] = table.concat(text)
      at = at + 1
    else
      local comma = line:find(",", at, true) or #line + 1
      list[#list + 1] = line:sub(at, comma - 1)
      at = comma + 1
    end
  end
  return list
end

-- Where the columns are: older versions name them "Minimum" or "Average (ns)" and have fewer.
local function columns_of(header)
  local columns = {}
  for place, name in ipairs(fields(header)) do
    name = name:lower()
    for key, start in pairs { total = "^total time", count = "^instances", least = "^min", most = "^max", name = "^name$" } do
      if name:find(start) then columns[key] = place end
    end
  end
  return columns.total and columns.count and columns.least and columns.most and columns.name and columns
end

-- The kernels of a CSV text, anything before its header passed over; nil where there is none.
local function from_csv(text)
  local columns, kernels = nil, {}
  for line in text:gmatch "[^\r\n]+" do
    if not columns then
      columns = columns_of(line)
    else
      local row = fields(line)
      local total, count = tonumber(row[columns.total]), math.tointeger(tonumber(row[columns.count]))
      local least, most = tonumber(row[columns.least]), tonumber(row[columns.most])
      if not (total and count and least and most and row[columns.name]) then break end -- another report begins
      kernels[#kernels + 1] = { name = row[columns.name], count = count, total_s = total * 1e-9, min_s = least * 1e-9,
        max_s = most * 1e-9 }
    end
  end
  if not columns then return nil end
  table.sort(kernels, function(a, b) return a.total_s > b.total_s or a.total_s == b.total_s and a.name < b.name end)
  return kernels
end

local function from_report(path)
  if not reg.fs.exists(path) then core.fail("not_found", "there is no file " .. path) end
  local said
  for _, report in ipairs { "cuda_gpu_kern_sum", "gpukernsum" } do
    local run = run_nsys { cmd = { "nsys", "stats", "--report", report, "--format", "csv", "--output", "-", path },
      keep_bytes = 64 * 1024 * 1024 }
    local kernels = from_csv(run.stdout)
    if kernels then return kernels end
    said = run.stderr .. run.stdout
    if said:find "does not contain CUDA kernel data" then return {} end
  end
  core.fail("corrupt", "nsys tells no kernels of " .. path .. ": " .. (said:match "([^\n]*%S)%s*$" or "it said nothing"))
end

function nsys.kernels(path)
  if type(path) ~= "string" then core.fail("usage", "nsys.kernels: takes a report, a CSV or an SQLite export of nsys") end
  if path:find "%.sqlite$" then return native.exported(path) end
  if not path:find "%.csv$" then return from_report(path) end
  return from_csv(reg.fs.read(path)) or core.fail("corrupt", path .. " is no CSV of nsys's kernel sums",
    "make it by: nsys stats --report cuda_gpu_kern_sum --format csv REPORT.nsys-rep")
end

return nsys
