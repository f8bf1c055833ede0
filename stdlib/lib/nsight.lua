-- What reg.nsys, reg.ncu and reg.rocprof share: running a profiler that may be missing, and the CSV that it prints.

local csv = require "lib/results/csv"
local values = require "lib/values"

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

--- Runs call.cmd, whose first word is the tool. Raises unavailable, with `hint`, if it is not installed.
function nsight.run(call, hint)
  local run, missing = values.caught("not_found", reg.process.run, call)
  local tool = call.cmd[1]
  if missing and missing.message:find("'" .. tool .. "'", 1, true) then
    core.fail("unavailable", tool .. " is not installed: not found in PATH", hint)
  end
  return run or error(missing, 0)
end

--- Runs the command of `options` behind `argv`, with its other options but those that `own` names. Removes the files
--- and folders of `replaced` first.
function nsight.profile(options, argv, own, replaced, hint)
  local call, words = values.merged(options), options.cmd or { "/bin/sh", "-c", options.shell }
  for name in ("output shell " .. own):gmatch "%S+" do call[name] = nil end
  call.cmd = table.move(words, 1, #words, #argv + 1, argv)
  for _, path in ipairs(replaced) do
    if reg.fs.exists(path) then reg.fs.remove(path) end
  end
  return nsight.run(call, hint)
end

--- The public `status` of a tool.
function nsight.status(tool, hint)
  local run, why = values.caught("unavailable", nsight.run, { cmd = { tool, "--version" } }, hint)
  if not run then return { ok = false, message = why.message, hint = why.hint } end
  local version = run.stdout:match "[vV]ersion:? ([%d%.%-%w]+)"
  if run.ok then return { ok = true, version = version, message = "", hint = "" } end
  return { ok = false, message = tool .. " failed: " .. (run.stderr:match "[^\n]+" or "exit code " .. run.code),
    hint = hint }
end

--- The rows of a CSV below its header, unquoted: { [key] = cell }. `keys_of` makes of the cells of the header their
--- keys, and nil of another line. nil without a header.
function nsight.rows(text, keys_of)
  local keys, rows = nil, {}
  for _, record in ipairs(csv.records((text:gsub("\r", "")))) do
    local cells, row = csv.split(record), {}
    for i, cell in ipairs(cells) do cells[i] = cell:gsub('^"(.*)"$', "%1"):gsub('""', '"') end
    for i, key in ipairs(keys or {}) do row[key] = cells[i] end
    if keys then rows[#rows + 1] = row else keys = keys_of(cells) end
  end
  return keys and rows
end

--- Sorts kernels, the most time first.
function nsight.sorted(kernels)
  return values.sort_by(kernels, function(kernel) return -kernel.total_s, kernel.name end)
end

return nsight
