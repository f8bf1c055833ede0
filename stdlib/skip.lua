-- reg.skip(why, output) or reg.skip(run): says that a trial gave no number. Returned or raised from a sweep's `measure` it
-- is recorded with its status, and the search goes on without that subject.

local Skip = {
  __name = "failed trial",
  __tostring = function(skip) return skip.message end,
}

local function last_lines(text, count)
  local lines = {}
  for line in (text or ""):gmatch("[^\r\n]+") do lines[#lines + 1] = line end
  return table.concat(lines, "\n", math.max(1, #lines - count + 1))
end

-- What programs say that find no memory: of the GPU's want the kernel knows nothing.
local OUT_OF_MEMORY = { "CUDA out of memory", "CUDA_ERROR_OUT_OF_MEMORY", "cudaErrorMemoryAllocation", "OutOfMemoryError",
  "RESOURCE_EXHAUSTED: Out of memory", "HIP out of memory", "std::bad_alloc", "MemoryError" }

local function says_oom(run)
  for _, words in ipairs(OUT_OF_MEMORY) do
    if (run.stderr or ""):find(words, 1, true) or (run.stdout or ""):find(words, 1, true) then return true end
  end
end

local function status_of(run)
  if run.timed_out then return "timeout", "ran past its time limit" end
  if run.oom then return "oom", "ran out of memory" end
  if says_oom(run) then return "oom", "said that it ran out of memory" end
  -- A shell that runs the program says 128 + signal.
  local signal = (run.signal or 0) ~= 0 and run.signal or (run.code or 0) > 128 and run.code <= 192 and run.code - 128
  if signal then return "crashed", "ended by signal " .. signal end
  return "test_failed", "exit code " .. tostring(run.code)
end

return function(why, output, status)
  local message
  if type(why) == "table" then
    local run = why
    local found, words = status_of(run)
    status = status or (type(output) == "string" and output) or found
    message = words
    output = (run.stderr or "") ~= "" and run.stderr or run.stdout
  else
    message = tostring(why)
  end
  local tail = last_lines(output, 3)
  if tail ~= "" then message = message .. ": " .. tail end
  return setmetatable({ kind = "failed_trial", status = status or "test_failed", message = message }, Skip)
end
