-- What a number depends on of the machine: processor, GPUs with their driver, and the clocks that they are locked at.

local gpus  -- do not change while the engine runs

local function read_gpus()
  local list = reg.json.array {}
  if not reg.gpu.status().ok then return list end
  local ok, all = pcall(reg.gpu.list)
  for i, gpu in ipairs(ok and all or {}) do list[i] = { name = gpu.name, driver = gpu.driver } end
  return list
end

-- The clocks of each locked GPU: "80%" and the MHz that it means are one lock, and a lock that was refused is none. A
-- base clock that the driver does not report is known by its request.
local function locks()
  local list = reg.json.array {}
  for _, lock in ipairs(core.nouns.machine.gpu_locks()) do
    for _, gpu in ipairs(lock.gpus) do
      list[#list + 1] = { sm = gpu.sm_mhz, mem = gpu.mem_mhz, asked = not gpu.sm_mhz and lock.asked or nil }
    end
  end
  return list
end

--- The end of a key, after "@".
return function()
  gpus = gpus or read_gpus()
  return reg.store.key({ cpu = core.processor(), gpus = gpus, locks = locks() }):sub(1, 16)
end
