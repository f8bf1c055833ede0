-- What a number depends on of the machine: processor, GPUs with their driver, and the clocks that they are locked at.
-- Of GPUs the models count, and not which of several equal ones it was.

local gpus  -- do not change while the engine runs

-- { name =, driver = } of each.
local function read_gpus()
  local found = { list = reg.json.array {} }
  if not reg.gpu.status().ok then return found end
  local ok, all = pcall(reg.gpu.list)
  for i, gpu in ipairs(ok and all or {}) do
    found.list[i] = { name = gpu.name, driver = gpu.driver }
  end
  return found
end

-- The clocks of each locked GPU: "80%" and the MHz that it means are one lock, and a lock that was refused is none.
local function locks()
  local list = reg.json.array {}
  for _, lock in ipairs(core.nouns.machine.gpu_locks()) do
    for _, gpu in ipairs(lock.gpus) do
      list[#list + 1] = { sm = gpu.sm_mhz, mem = gpu.mem_mhz }
    end
  end
  return list
end

--- The end of a key, after "@". `leased`: the GPUs that a trial gets, each with its name; nil: all of the machine.
return function(leased)
  gpus = gpus or read_gpus()
  local list = leased and reg.json.array {} or gpus.list
  for i, gpu in ipairs(leased or {}) do list[i] = { name = gpu.name, driver = (gpus.list[1] or {}).driver } end
  return reg.store.key({ cpu = core.processor(), gpus = list, locks = locks() }):sub(1, 16)
end
