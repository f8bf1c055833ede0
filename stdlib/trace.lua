-- reg.trace: what an unmodified command does on the GPU, by the injection library that the CUDA driver loads into it. The
-- library, the folder it writes to and its files are the C++ side's (core.nouns.trace); here is the run around them.

local native = core.nouns.trace

local trace = { status = native.status, read = native.read }

local function copied(from)
  local into = {}
  for key, value in pairs(from or {}) do into[key] = value end
  return into
end

-- Whether the command runs in a container, which sees other paths.
local function in_container(call)
  if not call.image then return false end
  return (call.runtime or reg.container.use {}) ~= "local"
end

-- Another tool is in the place of the injection library: it is left there.
local function taken(call, inside)
  local other = call.env and call.env.CUDA_INJECTION64_PATH or not inside and native.other()
  return other and "the command's environment names another CUDA_INJECTION64_PATH, " .. other
end

local function execute(call) return call.image and reg.container.run(call) or reg.process.run(call) end

-- A file that is broken says nothing against the run.
local function summary(folder)
  local ok, result = pcall(native.read, folder)
  if ok then return result end
  if type(result) ~= "table" or result.kind ~= "corrupt" then error(result, 0) end
  return { ok = false, why = result.message, processes = {} }
end

function trace.run(options)
  if type(options) ~= "table" then core.fail("usage", "trace.run: takes the options of reg.process.run or reg.container.run") end
  local call = copied(options)
  call.folder = nil
  local inside = in_container(call)
  local why = taken(call, inside)
  local place = not why and native.make(options.folder or "", inside)
  if not place then
    local run = execute(call)
    run.trace = { ok = false, why = why or "a dry run traces nothing", processes = {} }
    return run
  end
  local _ <close> = setmetatable({}, { __close = function() if not options.folder then native.discard(place.folder) end end })
  call.env = copied(call.env)
  for name, value in pairs(place.env) do call.env[name] = value end
  if inside then
    call.mounts = copied(call.mounts)
    for host, path in pairs(place.mounts) do call.mounts[host] = path end
  end
  local run = execute(call)
  run.trace = summary(place.folder)
  if inside and run.trace.why and #run.trace.processes == 0 then
    run.trace.why = run.trace.why .. ", or the image's C library cannot load the injection library (glibc 2.17 or newer can)"
  end
  return run
end

return trace
