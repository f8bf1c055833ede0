-- Collected environments as facts, each a string with a kind and a name, and those that differ.

local ends = require "lib/why/ends"
local sorted_names = require "lib/sorted_names"

local facts = {}

local GPU_FIELDS <const> = { { "name", "GPU" }, { "driver", "GPU driver" }, { "cuda", "newest CUDA of the driver" },
  { "power_limit_w", "GPU power limit, W" }, { "persistence", "GPU persistence mode" }, { "ecc", "GPU ECC" },
  { "mig", "GPU MIG mode" } }

-- The same value of all GPUs once, else that of each.
local function of_all(gpus, field)
  local values, same = {}, true
  for i, gpu in ipairs(gpus) do
    values[i] = tostring(gpu[field])
    same = same and values[i] == values[1]
  end
  return same and values[1] or table.concat(values, ", ")
end

local function add_gpus(add, gpus)
  if not gpus then return end
  add("gpu", "number of GPUs", #gpus)
  for _, field in ipairs(GPU_FIELDS) do add("gpu", field[2], of_all(gpus, field[1])) end
end

local function add_cpu(add, cpu)
  add("cpu", "CPU", cpu.model)
  add("cpu", "CPU flags", cpu.flags and table.concat(cpu.flags, " "))
  add("cpu", "number of CPUs", cpu.count)
  add("cpu", "CPUs that it may use", cpu.allowed)
  if cpu.allowed then add("cpu", "limit of the CPU time, in CPUs", cpu.quota or "none") end
end

-- The facts of an environment, { [kind .. "\0" .. name] = value }, and which kinds were collected.
local function of(environment)
  local found, kinds = {}, {}
  local function add(kind, name, value)
    if value ~= nil then kinds[kind], found[kind .. "\0" .. name] = true, tostring(value) end
  end
  local function add_all(kind, values)
    for _, name in ipairs(sorted_names(values or {})) do add(kind, name, values[name]) end
    kinds[kind] = kinds[kind] or values ~= nil
  end
  local image, packages = environment.image or {}, environment.packages or {}
  add_all("checkout", environment.checkouts)
  add("python", "Python", environment.python)
  for _, manager in ipairs { "pip", "conda", "dpkg" } do add_all(manager, packages[manager]) end
  add("toolkit", "CUDA Toolkit", environment.cuda)
  add_all("library", environment.libraries)
  add_gpus(add, environment.gpus)
  add_all("variable", environment.variables)
  add_cpu(add, environment.cpu or {})
  add_all("setting", environment.settings)
  add("system", "kernel", environment.kernel)
  add("system", "architecture", environment.architecture)
  add("os", "OS", environment.os)
  add_all("label", image.labels)
  add("layers", "image layers", image.layers and #image.layers > 0 and table.concat(image.layers, "\n") or nil)
  return found, kinds
end

-- The facts of each environment of an end. `common`: the kinds that each environment so far has.
local function of_end(environments, common)
  local list = {}
  for i, environment in ipairs(environments) do
    local found, kinds = of(environment)
    list[i] = found
    for kind in pairs(common) do common[kind] = common[kind] and kinds[kind] end
  end
  return list
end

--- What differs between two ends, each an environment or a list of them: { kind =, name =, before =, after = }, nil
--- where it is absent. A kind of facts that was not collected everywhere is passed over.
function facts.differing(a, b)
  local first, second = ends.lists("environment.diff", a, b)
  local _, common = of(first[1])
  local before, after, list = of_end(first, common), of_end(second, common), {}
  for _, fact in ipairs(ends.changed(before, after)) do
    fact.kind, fact.name = fact.name:match "^(%Z*)%z(.*)$"
    if common[fact.kind] then list[#list + 1] = fact end
  end
  return list
end

return facts
