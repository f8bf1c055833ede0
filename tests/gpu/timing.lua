-- reg.cuda.time on this GPU, beside a plain loop of events over the same kernels, written down here by the book: L2 written
-- over, everything waited for, a long kernel in front so that the host is ahead, an event, the kernel, an event.

local t = require "rows"

local HOT_S = tonumber(t.shell "printf %s \"$REGENGINE_GPU_HOT_S\"") or 60  -- the tests'

local gpu <close> = reg.cuda.open()
local device = reg.cuda.devices()[gpu.index + 1]
local versions = reg.cuda.versions()
t.row("GPU", device.name .. " " .. device.arch)
t.row("driver, NVRTC, cuBLAS", string.format("%s, %s, %s", versions.driver, versions.nvrtc or "-", versions.cublas or "-"))
t.row("default SM clock", string.format("%.0f MHz", device.clock_mhz))

local N = 1 << 25
local from, to = gpu:alloc(N, "f32"), gpu:alloc(N, "f32")
from:fill { 0.5, -0.25, 1 }
to:zero()
local module = gpu:load(t.PTX)
local kernels = {
  { "copy of 128 MiB", module:kernel("copy"):bind { grid = N // 256, block = 256, args = { to, from, { u32 = N } } } },
  { "arithmetic", module:kernel("multiply"):bind { grid = 4 * device.multiprocessors, block = 256, args = { to, { u32 = 100000 } } } },
}

-- One thread that counts for some hundred microseconds: the host has queued all that follows before it ends.
local ahead = module:kernel("multiply"):bind { grid = 1, block = 1, args = { gpu:alloc(1, "f32"), { u32 = 100000 } } }

-- The loop by the book: its median.
local function by_the_book(launch, samples)
  local start, stop = gpu:event(), gpu:event()
  local flush <close> = gpu:alloc(math.max(device.l2_bytes, 1))
  local times = {}
  for i = 0, samples do
    flush:zero()
    gpu:synchronize()
    ahead:run()
    start:record()
    launch:run()
    stop:record()
    stop:synchronize()
    if i > 0 then times[#times + 1] = stop:seconds_since(start) end  -- the first one warms up
  end
  table.sort(times)
  return times[#times // 2 + 1]
end

for _, kernel in ipairs(kernels) do
  local what, launch = table.unpack(kernel)
  t.part(what, function()
    local book_s = by_the_book(launch, 200)
    local ours = reg.cuda.time(launch)
    t.row(what .. ": cold median", string.format("%.2f us", ours.median_s * 1e6))
    local apart = math.abs(ours.median_s / book_s - 1)
    t.row(what .. ": apart from the loop", string.format("%.2f %%", 100 * apart), "<= 1 %", apart <= 0.01)
    t.row(what .. ": relative stdev", string.format("%.3f %%, %d samples (%s)", 100 * ours.stdev_rel, ours.n, ours.stopped), "<= 0.5 %",
      ours.stdev_rel <= 0.005)
    t.row(what .. ": SM clock, samples discarded", string.format("%.0f MHz, %d", ours.sm_mhz or 0, ours.discarded))
    t.row(what .. ": hot median", string.format("%.2f us", reg.cuda.time(launch, { mode = "hot" }).median_s * 1e6))
  end)
end

-- What timing costs: of a kernel that does nothing, the whole time spent by what was measured.
t.part("a kernel that does nothing", function()
  local nothing = module:kernel("nothing"):bind { grid = 1, block = 1 }
  local held = reg.cuda.time(nothing, { n = 5000 })
  local free = reg.cuda.time(nothing, { n = 5000, block = false })
  local hot = reg.cuda.time(nothing, { mode = "hot" })
  t.row("nothing: between the events, held / not held", string.format("%.2f us / %.2f us", held.median_s * 1e6, free.median_s * 1e6))
  t.row("nothing: each launch in a row", string.format("%.2f us", hot.median_s * 1e6))
  t.row("overhead of reg.cuda.time, each sample, held / not held",
    string.format("%.1f us / %.1f us", held.wall_s / held.n * 1e6, free.wall_s / free.n * 1e6))
end)

-- The SM clock that the doctor suggests for this GPU; nil if it suggests none.
local function suggested_mhz()
  local said = t.shell(t.engine() .. " doctor")
  for line in said:gmatch "[^\n]*" do
    if line:find(device.uuid, 1, true) then
      local mhz = line:match "%-%-lock%-gpu%-clocks=(%d+)"
      if mhz then return tonumber(mhz) end
    end
  end
end

-- cuBLAS at its best: numbers that are not zero, since zeros cost less power.
t.part("cuBLAS", function()
  local n = 8192
  local a, b, c = gpu:alloc(n * n, "bf16"), gpu:alloc(n * n, "bf16"), gpu:alloc(n * n, "bf16")
  local numbers = {}
  math.randomseed(1)
  for i = 1, 65521 do numbers[i] = math.random() - 0.5 end
  a:fill(numbers)
  b:fill(numbers)
  for _, mode in ipairs { "cold", "hot" } do
    local time = reg.cuda.time(function() gpu:gemm { n = n, a = a, b = b, c = c } end, { mode = mode })
    t.row("cuBLAS 8192 bf16, " .. mode, string.format("%.0f TFLOP/s, %.3f ms", 2 * n ^ 3 / time.median_s / 1e12, time.median_s * 1e3))
    t.row("cuBLAS 8192 bf16, " .. mode .. ": SM clock, stdev", string.format("%.0f MHz, %.2f %%, %d discarded", time.sm_mhz or 0,
      100 * time.stdev_rel, time.discarded))
  end
  -- A sample is discarded below 75 % of clock_mhz: here, below the clock that the doctor says is held.
  local mhz, slowest = suggested_mhz(), 0.75
  if not mhz then
    t.row("a minute of it: the clock that the doctor suggests", "no suggestion")
    return
  end
  local ok, minute = pcall(reg.cuda.time, function() gpu:gemm { n = n, a = a, b = b, c = c } end,
    { mode = "hot", n = 1000000, min_samples = 1, timeout_s = HOT_S, clock_mhz = mhz / slowest })
  local discarded = ok and minute.discarded / (minute.n + minute.discarded)
  if not ok and minute.kind ~= "failed_trial" then error(minute, 0) end  -- that is how it says "all of them"
  t.row(string.format("%.0f s of it: samples below the suggested %d MHz", HOT_S, mhz),
    ok and string.format("%.1f %%", 100 * discarded) or minute.message, "< 10 %", ok and discarded < 0.1)
end)

-- The load by which --lock-clocks finds a clock that holds: it should draw what products of matrices draw.
if reg.gpu.status().ok then
  t.part("the load of --lock-clocks", function()
    local monitor <close> = reg.gpu.monitor { device = device.uuid, period_s = 0.05 }
    reg.machine.tune({ warm_up = math.min(HOT_S, 12) }):close()
    local seen = monitor:stop()
    t.row("the load of --lock-clocks: SM clock, power", string.format("%.0f MHz, %.0f W",
      seen.busy_sm_mhz and seen.busy_sm_mhz.median or 0, seen.power_w and seen.power_w.median or 0))
  end)
end

return t.finish()
