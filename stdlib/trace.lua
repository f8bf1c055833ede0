-- reg.trace: what an unmodified command does on the GPU, recorded by the injection library that the CUDA driver loads
-- into it. C++ finds the library and reads its files (core.nouns.trace); this file runs the command.

local native = core.nouns.trace

local trace = { status = native.status, read = native.read }

local function copy(from)
  local into = {}
  for key, value in pairs(from or {}) do into[key] = value end
  return into
end

-- Whether the command runs in a container, which has other paths.
local function in_container(call)
  if not call.image then return false end
  return (call.runtime or reg.container.use {}) ~= "local"
end

-- Why the command cannot be traced: another tool uses the injection, and is not replaced.
local function conflict(call, inside)
  local other = call.env and call.env.CUDA_INJECTION64_PATH or not inside and native.other()
  return other and "the command's environment already sets CUDA_INJECTION64_PATH to " .. other
end

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

-- A corrupt file does not fail the run.
local function summary(folder)
  local ok, result = pcall(native.read, folder)
  if ok then return result end
  if type(result) ~= "table" or result.kind ~= "corrupt" then error(result, 0) end
  return { ok = false, why = result.message, processes = {} }
end

function trace.run(options)
  if type(options) ~= "table" then
    core.fail("usage", "trace.run: takes a table of options, as reg.process.run or reg.container.run")
  end
  local call = copy(options)
  call.folder = nil
  local inside = in_container(call)
  local why = conflict(call, inside)
  local target = not why and native.make(options.folder or "", inside)
  if not target then
    local run = execute(call)
    run.trace = { ok = false, why = why or "dry run", processes = {} }
    return run
  end
  local _ <close> = setmetatable({}, { __close = function()
    if not options.folder then native.discard(target.folder) end
  end })
  call.env = copy(call.env)
  for name, value in pairs(target.env) do call.env[name] = value end
  if inside then
    call.mounts = copy(call.mounts)
    for host, path in pairs(target.mounts) do call.mounts[host] = path end
  end
  local run = execute(call)
  run.trace = summary(target.folder)
  if inside and run.trace.why and #run.trace.processes == 0 then
    run.trace.why = run.trace.why
      .. ", or the image's C library cannot load the injection library (which needs glibc 2.17 or newer)"
  end
  return run
end

return trace
