-- What the engine says of the GPUs, against nvidia-smi and CUDA: names, clocks, the fields that count throttling, the
-- order; and what watching them costs. It sets no clock.

local t = require "rows"

if t.lacks_gpu() then return 77 end

local engine = t.engine()

-- --- line 1: nvidia-smi --------------------------------------------------------------------------------------------
local FIELDS = { { "name", "name" }, { "driver_version", "driver" }, { "clocks.max.sm", "sm_max_mhz" },
  { "memory.total", "memory_mib" }, { "ecc.mode.current", "ecc" }, { "mig.mode.current", "mig" } }

local function words_of(gpu)
  local words = {}
  for name, value in pairs(gpu) do words[name] = tostring(value) end
  words.memory_mib = gpu.memory_bytes and tostring(gpu.memory_bytes // (1 << 20))
  for _, name in ipairs { "ecc", "mig" } do
    words[name] = gpu[name] == nil and "[N/A]" or gpu[name] and "Enabled" or "Disabled"
  end
  return words
end

local SMI <const> = t.can "command -v nvidia-smi"
local QUERY = "nvidia-smi --query-gpu=%s --format=csv,noheader,nounits -i %s"

if not SMI then t.row("nvidia-smi", "is not here", "") end
for _, gpu in ipairs(SMI and reg.gpu.list() or {}) do
  local seen = words_of(gpu)
  for _, pair in ipairs(FIELDS) do
    local expected = t.shell(QUERY:format(pair[1], gpu.uuid))
    t.row("GPU " .. gpu.index .. ": " .. pair[1], seen[pair[2]] or "absent", expected, seen[pair[2]] == expected)
  end
end

-- What changes from moment to moment has to agree once.
local MOMENTS = { { "clocks.mem", "mem_mhz" }, { "clocks_event_reasons.active", "reasons" } }
local BITS = { idle = 0x1, application_clocks = 0x2, sw_power_cap = 0x4, hw_slowdown = 0x8, sync_boost = 0x10,
  sw_thermal = 0x20, hw_thermal = 0x40, hw_power_brake = 0x80, display_clock = 0x100 }

local function moment_of(gpu)
  local bits = 0
  for _, word in ipairs(gpu.reasons or {}) do bits = bits | BITS[word] end
  return { mem_mhz = tostring(gpu.mem_mhz), reasons = gpu.reasons and string.format("0x%016X", bits) }
end

t.part("moments", function()
  for _, pair in ipairs(SMI and MOMENTS or {}) do
    local expected, seen
    for _ = 1, 5 do
      expected = t.shell(QUERY:format(pair[1], reg.gpu.get(0).uuid))
      seen = moment_of(reg.gpu.get(0))[pair[2]] or "absent"
      if seen:lower() == expected:lower() then break end
    end
    t.row("GPU 0: " .. pair[1], seen, expected, seen:lower() == expected:lower())
  end
end)

-- --- line 3: the counters of this driver ---------------------------------------------------------------------------
t.part("throttle counters", function()
  local driver = reg.gpu.get(0).driver
  local monitor <close> = reg.gpu.monitor { device = 0, period_s = 0.05 }
  reg.sleep(1)
  local seen = monitor:stop()
  local expected = (tonumber(driver:match "^%d+") or 0) >= 575 and "counters" or "both"
  t.row("driver " .. driver .. ": throttling is known from", seen.throttle_from, expected, seen.throttle_from == expected)
  local sum = 0
  for _, seconds in pairs(seen.throttle_s) do sum = sum + seconds end
  t.row("seconds of throttling in a second", string.format("%.2f", sum), "<= 4", sum <= 4.01)
  t.row("power, temperature", string.format("%s W, %s C", seen.power_w and seen.power_w.median,
    seen.temperature_c and seen.temperature_c.median), "")
end)

-- --- the order of CUDA and NVML ------------------------------------------------------------------------------------
t.part("order", function()
  local visible = reg.gpu.list "visible"
  for i, device in ipairs(reg.cuda.devices()) do
    local expected = visible[i] and visible[i].uuid or "none"
    t.row("CUDA device " .. device.index, device.uuid, expected, device.uuid == expected)
  end
end)

-- --- line 7: the cost of a watch -----------------------------------------------------------------------------------
local function ran(cmd)
  local run = reg.process.run { cmd = cmd }
  if not run.ok then error(run.stderr, 0) end
  return run
end

t.part("watch", function()
  local SECONDS = 10
  local function cpu_s(monitor)
    local run = ran { engine, "-e", "reg.gpu.list() " .. monitor .. " reg.sleep(" .. SECONDS .. ")" }
    return run.user_s + run.sys_s
  end
  local idle, watching = cpu_s "", cpu_s "local m <close> = reg.gpu.monitor { device = 'all', period_s = 0.2 }"
  local share = math.max(0, watching - idle) / SECONDS
  t.row(#reg.gpu.list() .. " GPUs watched each 0.2 s: part of a CPU", string.format("%.2f %%", 100 * share), "< 1 %",
    share < 0.01)
end)

t.part("launches beside a watch", function()
  t.script("beside.lua", [[
    local function seconds()
      local start, stop = gpu:event(), gpu:event()
      start:record()
      for _ = 1, 20000 do nothing:run() end
      stop:record()
      stop:synchronize()
      return stop:seconds_since(start)
    end
    seconds()
    local alone, watched = {}, {}
    for i = 1, 9 do
      alone[i] = seconds()
      local monitor <close> = reg.gpu.monitor { device = "all", period_s = 0.05 }
      watched[i] = seconds()
      monitor:stop()
    end
    table.sort(alone) table.sort(watched)
    print(watched[5] / alone[5] - 1)]])
  local slower = tonumber(ran({ engine, "beside.lua" }).stdout)
  t.row("20000 launches beside a watch each 50 ms: slow-down", string.format("%.2f %%", 100 * slower), "< 2 %", slower < 0.02)
end)

-- --- line 15: nsys, twice to one name ------------------------------------------------------------------------------
t.part("nsys", function()
  local nsys = reg.nsys.status()
  if not nsys.ok then return t.row("nsys", "is not here", "") end
  for _, count in ipairs { 3, 5 } do
    t.script("launches.lua", "for _ = 1, " .. count .. " do nothing:run() end gpu:synchronize()")
    local run = reg.nsys.profile { cmd = { engine, "launches.lua" }, output = "twice", trace = { "cuda" } }
    local kernels = reg.nsys.kernels(run.report)
    local seen = kernels[1] and kernels[1].count or 0
    t.row("nsys " .. nsys.version .. ": kernels of run " .. count, tostring(seen), tostring(count), seen == count)
  end
end)

return t.finish()
