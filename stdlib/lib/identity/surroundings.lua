-- What a number depends on beside the script: the machine, environment variables, and files that a command line names.

local values = require "lib/values"

local find, map = values.find, values.map

local surroundings = {}

local processor, gpus, by_index  -- do not change while the engine runs

-- The names of a GPU's instances, where MIG is on.
local function instances(gpu)
  local ok, parts = pcall(core.nouns.machine.gpu_parts, tostring(gpu.index))
  return reg.json.array(map(ok and parts or {}, function(part) return part.name end))
end

-- What the speed of each GPU depends on, in order and by its index. A lost one is not the same as none.
local function read_gpus()
  local list, at, status = reg.json.array {}, {}, reg.gpu.status()
  if not status.ok then
    local is_amd = core.nouns.machine.gpu_variable() == "ROCR_VISIBLE_DEVICES"
    return reg.json.array { is_amd and { name = status.message } or nil }, at  -- they are used nevertheless
  end
  local ok, all = pcall(reg.gpu.list)
  for i, gpu in ipairs(ok and all or { { name = tostring(all) } }) do
    list[i] = { name = gpu.name, driver = gpu.driver, limit_w = gpu.power_limit_w,
      instances = gpu.mig and instances(gpu) or nil }
    if gpu.index then at[gpu.index] = list[i] end
  end
  return list, at
end

-- The clocks of each locked GPU: "80%" and the MHz that it means are one lock, and a lock that was refused is none.
local function locks()
  local gpus_locked = values.flat(core.nouns.machine.gpu_locks(), function(lock) return lock.gpus end)
  return reg.json.array(map(gpus_locked, function(gpu) return { sm = gpu.sm_mhz, mem = gpu.mem_mhz } end))
end

--- What a number depends on of the machine, the end of a key: processor, locked clocks, and models, drivers and power
--- limits of GPUs. `leased`: the GPUs that a trial gets, each with its name and index; nil: all of the machine.
function surroundings.machine(leased)
  if core.cluster then return reg.store.key(core.cluster.backend.identity):sub(1, 16) end
  if not gpus then processor, gpus, by_index = core.processor(), read_gpus() end
  local list = leased and reg.json.array {} or gpus
  for i, gpu in ipairs(leased or {}) do
    local whole = by_index[gpu.index] or gpus[1] or {}
    list[i] = { name = gpu.name, driver = whole.driver, limit_w = whole.limit_w }
  end
  return reg.store.key({ cpu = processor, gpus = list, locks = locks() }):sub(1, 16)
end

local NAMES = { "^PATH$", "^LD_", "^PYTHON", "^CUDA", "^HIP", "^HSA", "^ROC", "^NVIDIA", "^NCCL", "^CUDNN", "^CUBLAS",
  "^XLA", "^JAX", "^TF_", "^TORCH", "^TRITON", "^OMP", "^MKL", "^KMP", "^MALLOC", "^CC$", "^CXX$", "FLAGS$" }

--- Whether an environment variable of this name changes what a program measures.
function surroundings.matters(name)
  return find(NAMES, function(pattern) return name:find(pattern) end) ~= nil
end

--- Those variables that commands inherit. Any other one is not part of a key.
function surroundings.variables()
  local all = core.variables()
  return values.picked(all, values.only(values.sorted_names(all), surroundings.matters))
end

-- Devices and folders have no contents of their own.
local function is_file(path)
  return not (path:find "^/dev/" or path:find "^/proc/" or path:find "^/sys/") and core.is_regular_file(path)
end

local function first_file(words, folder)
  local paths = map(values.matches(words, "[^%s'\"=()<`$]+"), function(word)
    return word:find "[/.]" and (word:find "^/" and word or folder .. "/" .. word) or nil
  end)
  return (find(paths, is_file))
end

--- The paths of the files that a command line names, whose contents count for what it measures: of each of its commands
--- the first one that is there and is written with a slash or a suffix, such as ./bench, or bench.py of "python3
--- bench.py". What a command redirects its output to does not count. A relative one is below `folder`.
function surroundings.named_files(command, folder)
  return map(values.matches(command, "[^|;&\n]+"), function(part) return first_file(part:match "^[^>]*", folder) end)
end

return surroundings
