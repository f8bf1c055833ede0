-- What a number depends on of the machine: processor, GPUs with their driver, and the clocks that were asked for.

local gpus  -- do not change while the engine runs

local function read_gpus()
  local list = reg.json.array {}
  if not reg.gpu.status().ok then return list end
  local ok, all = pcall(reg.gpu.list)
  for i, gpu in ipairs(ok and all or {}) do list[i] = { name = gpu.name, driver = gpu.driver } end
  return list
end

local function locks()
  local list = reg.json.array {}
  for i, lock in ipairs(core.nouns.machine.gpu_locks()) do list[i] = lock.asked end
  return list
end

--- The end of a key, after "@".
return function()
  gpus = gpus or read_gpus()
  return reg.store.key({ cpu = core.processor(), gpus = gpus, locks = locks() }):sub(1, 16)
end
