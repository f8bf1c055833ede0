-- Collected environments as facts, { kind =, name =, value = } each with a string, and those that differ.

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

-- A list of facts, and which kinds were collected: a kind that one end lacks is not compared.
local function of(environment)
  local list, kinds = {}, {}
  local function add(kind, name, value)
    if value == nil then return end
    kinds[kind], list[#list + 1] = true, { kind = kind, name = name, value = tostring(value) }
  end
  local function add_all(kind, values)
    for _, name in ipairs(sorted_names(values or {})) do add(kind, name, values[name]) end
    if values then kinds[kind] = true end
  end
  local image = environment.image or {}
  add_all("checkout", environment.checkouts)
  add("python", "Python", environment.python)
  for _, manager in ipairs { "pip", "conda", "dpkg" } do add_all(manager, environment.packages[manager]) end
  add("library", "CUDA Toolkit", environment.cuda)
  add_all("library", environment.libraries)
  add_gpus(add, environment.gpus)
  add_all("variable", environment.variables)
  add_cpu(add, environment.cpu)
  add_all("setting", environment.settings)
  add("system", "kernel", environment.kernel)
  add("system", "architecture", environment.architecture)
  add("os", "OS", environment.os)
  add_all("label", image.labels)
  add("layers", "image layers", image.layers and #image.layers > 0 and table.concat(image.layers, "\n") or nil)
  return list, kinds
end

-- The facts of an end by kind and name; what it says only sometimes, or differently, is `unstable`.
local function of_end(environments)
  local found, unstable, kinds = {}, {}, nil
  for i, environment in ipairs(environments) do
    local list, these = of(environment)
    local here = {}
    for _, fact in ipairs(list) do
      local key = fact.kind .. "\0" .. fact.name
      here[key] = fact
      if i > 1 and (not found[key] or found[key].value ~= fact.value) then unstable[key] = true end
    end
    for key in pairs(found) do unstable[key] = unstable[key] or not here[key] end
    for key, fact in pairs(here) do found[key] = fact end
    if not kinds then kinds = these end
    for kind in pairs(kinds) do kinds[kind] = these[kind] end
  end
  return found, unstable, kinds
end

--- What differs between two ends, each an environment or a list of them: { kind =, name =, before =, after = }, nil
--- where it is absent. What differs within an end says nothing about the other.
function facts.differing(a, b)
  local before, unstable_before, kinds_before = of_end(ends.list(a))
  local after, unstable_after, kinds_after = of_end(ends.list(b))
  local keys, list = {}, {}
  for _, side in ipairs { before, after } do
    for key in pairs(side) do keys[key] = true end
  end
  for _, key in ipairs(sorted_names(keys)) do
    local fact = before[key] or after[key]
    local one, other = before[key] and before[key].value, after[key] and after[key].value
    if one ~= other and kinds_before[fact.kind] and kinds_after[fact.kind]
      and not unstable_before[key] and not unstable_after[key] then
      list[#list + 1] = { kind = fact.kind, name = fact.name, before = one, after = other }
    end
  end
  return list
end

return facts
