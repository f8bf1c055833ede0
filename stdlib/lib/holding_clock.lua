-- The highest SM clock that a GPU holds under a load: locked there it runs for a minute without a reason to slow down.
-- It is remembered for this GPU and driver.

local gpu_load = require "lib/gpu_load"

local native = core.nouns.machine

local HOLD_S = 60
local PARTS = 12         -- of that time, so that a clock that does not hold is left early
local TRIES = 8
local TOLERANCE = 0.02   -- of the clock

local function keep_busy(one, seconds)
  local started = core.seconds()
  repeat
    one.queue()
    one.wait()
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
  until core.seconds() - started >= seconds
end

-- Loads the GPU for a while: what the monitor saw.
local function run_load(one, seconds)
  local monitor <close> = reg.gpu.monitor { device = one.device.uuid, period_s = "50ms" }
  keep_busy(one, seconds)
  return monitor:stop()
end

-- Whether the GPU holds this clock; if not, the lowest at which it ran, nil if the driver does not tell.
local function holds(one, mhz)
  local _ <close> = reg.gpu.lock { sm = mhz, device = one.device.uuid, required = true }
  if not one.told then
    reg.log.info("trying which clock GPU %d holds under a load, from this one down: this takes a few minutes, once",
      one.index)
  end
  one.told = true  -- now, since the driver permits it
  keep_busy(one, HOLD_S / 60)  -- a clock takes a moment to rise from that of an idle GPU
  for _ = 1, PARTS do
    local seen = run_load(one, HOLD_S / PARTS)
    local ran = seen.busy_sm_mhz
    if seen.throttled or ran and ran.min < mhz * (1 - TOLERANCE) then return false, ran and ran.min end
  end
  return true
end

-- The highest supported clock that is lower than `mhz`, and not higher than it ran at.
local function next_lower(supported, mhz, ran)
  for _, clock in ipairs(supported) do
    if clock < mhz and clock <= (ran or mhz) then return clock end
  end
end

local function find(device, index, supported)
  local gpu <close> = reg.cuda.open(device.index)
  local one = { device = device, index = index }
  one.queue, one.wait = gpu_load(gpu, device)
  local mhz = supported[1]
  for _ = 1, TRIES do
    local held, ran = holds(one, mhz)
    if held then return mhz end
    mhz = next_lower(supported, mhz, ran)
    if not mhz then break end
  end
  core.fail("unavailable", device.name .. " holds no clock under a load", "Pass a clock in MHz.")
end

local function cuda_device(uuid)
  for _, device in ipairs(reg.cuda.devices()) do
    if device.uuid == uuid then return device end
  end
  core.fail("unavailable", "CUDA does not see the GPU " .. uuid, "Pass a clock in MHz.")
end

--- The clock that all these GPUs hold, a list of reg.gpu.list. Raises unavailable and permission.
return function(gpus)
  local lowest
  for _, gpu in ipairs(gpus) do
    local key = gpu.uuid .. " " .. tostring(gpu.driver)
    local mhz = native.remembered_clock(key)
    if not mhz then
      local _ <close> = reg.gpu.lease { gpus = gpu.uuid }
      mhz = find(cuda_device(gpu.uuid), gpu.index, gpu.sm_supported_mhz or {})
      native.remember_clock(key, mhz)
      reg.log.info("GPU %d holds %d MHz under a load", gpu.index, mhz)
    end
    lowest = math.min(lowest or mhz, mhz)
  end
  return lowest
end
