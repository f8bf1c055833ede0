#!/usr/bin/env regengine
--- A measurement with the GPU's clocks locked and its temperature watched. Without a GPU it says what is missing.

local status = reg.gpu.status()
if not status.ok then
  print("no GPU here: " .. status.message)
  print("  " .. status.hint)
  return
end

for _, gpu in ipairs(reg.gpu.list()) do
  print(string.format("GPU %d: %s, driver %s, SM clock %s of %s MHz, %s C", gpu.index, gpu.name, gpu.driver, gpu.sm_mhz,
    gpu.sm_max_mhz, gpu.temperature_c))
end

local clocks <close> = reg.gpu.lock { sm = "80%", device = 0 }
local monitor <close> = reg.gpu.monitor { device = 0 }
reg.process.run { shell = "sleep 0.5" } -- what is measured
local seen = monitor:stop()
print(clocks.locked and "locked at " .. clocks.sm_mhz .. " MHz" or "not locked")
print(string.format("SM clock %.0f to %.0f MHz, throttled: %s, %d foreign processes", seen.sm_mhz.min, seen.sm_mhz.max,
  seen.throttled, #seen.foreign))
