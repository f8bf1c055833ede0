-- What reg.nsys, reg.ncu and reg.rocprof share: running a profiler that may be missing, and the CSV that it prints.

local csv = require "lib/results/csv"

local nsight = {}

--- Refuses options without `output`, or without one of cmd and shell.
function nsight.check(tool, options, what)
  if type(options) ~= "table" or type(options.output) ~= "string" or options.output == "" then
    core.fail("usage", tool .. ".profile: needs 'output', " .. what)
  end
  if (options.cmd == nil) == (options.shell == nil) then
    core.fail("usage", tool .. ".profile: needs either 'cmd', a list of strings, or 'shell', a command line")
  end
end

--- Runs call.cmd, whose first word is `tool`. Raises unavailable, with `hint`, if it is not installed.
function nsight.run(tool, call, hint)
  local ok, run = pcall(reg.process.run, call)
  if ok then return run end
  if type(run) == "table" and run.kind == "not_found" and tostring(run.message):find("'" .. tool .. "'", 1, true) then
    core.fail("unavailable", tool .. " is not installed: not found in PATH", hint)
  end
  error(run, 0)
end

--- The public `status` of a tool.
function nsight.status(tool, hint)
  local ok, run = pcall(nsight.run, tool, { cmd = { tool, "--version" } }, hint)
  if not ok then
    if type(run) ~= "table" or run.kind ~= "unavailable" then error(run, 0) end
    return { ok = false, message = run.message, hint = run.hint }
  end
  local version = run.stdout:match "[vV]ersion:? ([%d%.%-%w]+)"
  if run.ok then return { ok = true, version = version, message = "", hint = "" } end
  return { ok = false, message = tool .. " failed: " .. (run.stderr:match "[^\n]+" or "exit code " .. run.code),
    hint = hint }
end

--- The fields of one line of CSV, unquoted.
function nsight.fields(line)
  local list = csv.split(line)
  for i, cell in ipairs(list) do list[i] = (cell:gsub('^"(.*)"$', "%1"):gsub('""', '"')) end
  return list
end

return nsight
