-- reg.skip: a trial that has no number.

local failure = require "lib/failure"
local values = require "lib/values"

local Skip = {
  __name = "failed trial",
  __tostring = function(skip) return skip.message end,
}

local LINES = 3

-- The last lines of the output, the first of them the line with the error where that comes before.
local function telling_lines(text)
  local lines, why = values.matches(text, "[^\r\n]+"), failure.error_line(text)
  local last = values.map({ table.unpack(lines, math.max(1, #lines - LINES + 1)) }, values.clipped)
  why = why and values.clipped(why)
  local is_there = not why or values.find(last, function(line) return line:find(why, 1, true) end)
  if is_there then return table.concat(last, "\n") end
  return why .. "\n" .. table.concat(last, "\n", 2)
end

-- What programs print that run out of memory: of GPU memory, the kernel knows nothing.
local OUT_OF_MEMORY = { "CUDA out of memory", "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation",
  "OutOfMemoryError", "RESOURCE_EXHAUSTED: Out of memory", "HIP out of memory", "std::bad_alloc", "MemoryError" }

-- What shells, env and container runtimes say about a program that they do not find.
local NOT_FOUND = { "([^%s:]+): command not found", 'exec: "([^"]+)": executable file not found',
  "executable file [`'\"]([^`'\"]+)[`'\"] not found", "env: [^%w./]*([%w./_+-]+)[^:]*: No such file or directory",
  "([^%s:]+): not found" }

-- The program that was not found, where exit code 127 says so and the output names it.
local function missing_program(run)
  local output = run.code == 127 and (run.stderr or "") ~= "" and run.stderr or run.code == 127 and run.stdout or ""
  for _, pattern in ipairs(NOT_FOUND) do
    local names = values.matches(output, pattern)
    if #names > 0 then return names[#names] end
  end
end

local function status_of(run)
  if run.timed_out then return "timeout", "ran past its time limit" end
  if run.oom then return "oom", "ran out of memory" end
  local output = (run.stderr or "") .. "\n" .. (run.stdout or "")
  if values.find(OUT_OF_MEMORY, function(text) return output:find(text, 1, true) end) then
    return "oom", "reported that it ran out of memory"
  end
  -- A shell that runs the program exits with 128 + signal.
  local code, signal = run.code or 0, run.signal or 0
  if signal == 0 and code > 128 and code <= 192 then signal = code - 128 end
  if signal ~= 0 then return "crashed", "killed by signal " .. signal end
  return "test_failed", "exit code " .. tostring(run.code)
end

---@class sweep.Skip
---@field kind "failed_trial"
---@field status string "test_failed", "build_failed", "crashed", "timeout", "oom", "not_finite" ...
---@field message string

--- Says that a trial has no number; `measure` returns or raises it. Takes a reason, and adds the last three lines of
--- `output`; or takes a command's result, which gives the status: timeout, oom, crashed or test_failed. Has no units.
--- Raises nothing.
--- ```lua
--- reg.sweep({ "a", "b" }, { measure = function(name)
---   local run = reg.process.run { cmd = { "./bench", name } }
---   if not run.ok then return reg.skip(run) end
---   return reg.metric.find(run.stdout, "{number} ms")
--- end })
--- ```
---@param why string|process.Result|container.Result
---@param output? string of the test; if `why` is a result, the status to use
---@param status? string "test_failed" by default
---@return sweep.Skip skip
return function(why, output, status)
  local message
  if type(why) == "table" then
    local run, found, words = why, status_of(why)
    local missing = missing_program(run)
    message = missing and string.format("'%s' was not found (exit code 127)", missing) or words
    status = status or (type(output) == "string" and output) or found
    output = not missing and ((run.stderr or "") ~= "" and run.stderr or run.stdout) or ""
  else
    message = tostring(why)
  end
  local tail = telling_lines(output or "")
  if tail ~= "" then message = message .. ": " .. tail end
  return setmetatable({ kind = "failed_trial", status = status or "test_failed", message = message,
    shortage = type(why) == "table" and why.shortage or nil }, Skip)
end
