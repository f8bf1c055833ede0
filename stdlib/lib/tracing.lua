-- A command with the injection library in its environment: in a container or on the host, and in a container that is
-- kept, which got the library and a folder for traces when it started.

local caught, merged = require("lib/values").caught, require("lib/values").merged
local native = core.nouns.trace

local tracing = {}
local places = setmetatable({}, { __mode = "k" })  -- by kept container

--- Whether commands of this runtime (nil: the default one) run in a container, which has other paths.
function tracing.in_container(runtime) return (runtime or reg.container.use {}) ~= "local" end

-- Why the command cannot be traced: another tool uses the injection, and is not replaced. On the host the engine's
-- environment hands it on.
local function conflict(call, inside)
  local handed_on = core.variables().CUDA_INJECTION64_PATH
  local other = call.env and call.env.CUDA_INJECTION64_PATH or not inside and handed_on ~= "" and handed_on
  return other and "the command's environment already sets CUDA_INJECTION64_PATH to " .. other
end

-- A corrupt file does not fail the run.
local function summary(folder, inside)
  local result, corrupt = caught("corrupt", require "lib/trace_summary", folder)
  if corrupt then return { ok = false, why = corrupt.message, processes = {} } end
  if inside and result.why and #result.processes == 0 then
    result.why = result.why
      .. ", or the image's C library cannot load the injection library (which needs glibc 2.17 or newer)"
  end
  return result
end

-- Whether NVTX ranges are recorded, by the option `ranges`, which is none of the command's. Without them CUPTI numbers
-- no calls, which is slow.
local function take_ranges(call)
  local ranges = call.ranges
  call.ranges = nil
  if ranges ~= nil and type(ranges) ~= "boolean" then core.fail("usage", "trace: 'ranges' must be true or false") end
  return ranges ~= false
end

-- What makes CUDA load the library, and NVTX, if ranges are recorded.
local function add_env(call, env, ranges)
  call.env = merged(call.env)
  for name, value in pairs(env) do
    if ranges or name ~= "NVTX_INJECTION64_PATH" then call.env[name] = value end
  end
end

local function discard_later(folder)
  return setmetatable({ folder = folder }, { __close = function() native.discard(folder) end })
end

local function untraced(run, why)
  run.trace = { ok = false, why = why, processes = {} }
  return run
end

--- Runs `execute` with `call` and what it needs to be traced, in a container of its own if `inside`. The summaries go
--- to `folder`; nil: to one that is removed. Returns what execute returns, with `trace`. `is_optional`: without the
--- injection library it runs all the same.
function tracing.run(call, execute, inside, folder, is_optional)
  local ranges, other = take_ranges(call), conflict(call, inside)
  if other then return untraced(execute(call), other) end
  local passed_over = is_optional and "unavailable" or ""
  local target, missing = caught(passed_over, native.make, folder or "", inside)
  if not target then return untraced(execute(call), missing and missing.message or "dry run") end
  local _ <close> = not folder and discard_later(target.folder) or nil
  add_env(call, target.env, ranges)
  if inside then call.mounts = merged(call.mounts, target.mounts) end
  local run = execute(call)
  run.trace = summary(target.folder, inside)
  return run
end

--- A place for the traces of a container that is to be kept: a table with `mounts` for it. Close it after the
--- container. nil in a dry run.
function tracing.place(runtime)
  local inside = tracing.in_container(runtime)
  local target = native.make("", inside)
  if not target then return nil end
  local place = discard_later(target.folder)
  place.mounts, place.env, place.inside, place.count = inside and target.mounts or {}, target.env, inside, 0
  return place
end

--- This container was started with the mounts of that place; nil if it has none.
function tracing.note(container, place) places[container] = place end

--- As tracing.run, in a kept container that has a place.
function tracing.exec(container, call, folder)
  local place = places[container]
  if not place then
    core.fail("usage", "sweep: cannot trace a command in a container that is kept", "Run it with `image` instead.")
  end
  local ranges, why = take_ranges(call), conflict(call, place.inside)
  if why then return untraced(container:exec(call), why) end
  place.count = place.count + 1
  local own = native.make(place.folder .. "/" .. place.count, place.inside)
  add_env(call, place.env, ranges)
  call.env.REGENGINE_TRACE_DIR = call.env.REGENGINE_TRACE_DIR .. "/" .. place.count
  local run = container:exec(call)
  run.trace = summary(own.folder, place.inside)
  if folder then
    reg.fs.mkdir(folder)
    for _, name in ipairs(reg.fs.list(own.folder)) do
      reg.fs.write(folder .. "/" .. name, reg.fs.read(own.folder .. "/" .. name))
    end
  end
  return run
end

--- The numbers of a trace as samples of a trial, so that the store has them by name: seconds by kernel, by kind of copy
--- and by range, and of the GPU as a whole.
function tracing.samples(trace)
  local samples = {}
  if not trace.ok then return samples end
  for _, kernel in ipairs(trace.kernels) do samples["kernel_s:" .. kernel.name] = kernel.total_s end
  for _, kind in ipairs(trace.copies) do samples["copy_s:" .. kind.kind] = kind.total_s end
  for _, range in ipairs(trace.ranges) do samples["range_s:" .. range.name] = range.total_s end
  samples.gpu_busy_s, samples.gpu_span_s, samples.gpu_peak_bytes =
    trace.busy_s, trace.span_s, trace.memory_peak_bytes
  return samples
end

local nothing = setmetatable({}, { __close = function() end })

--- Marks a phase of an investigation for a profiler: investigation > subject > trial > build or run, as an NVTX range
--- beside the engine's checkouts, pulls and commands (engine/nvtx). Hold it in a `<close>` variable.
function tracing.phase(category, text)
  if core.in_rehearsal or not reg.nvtx.status().ok then return nothing end
  return reg.nvtx.range(text, { category = category })
end

return tracing
