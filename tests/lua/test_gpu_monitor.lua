-- What a monitor of GPUs sees, against the fake driver.

local test = require "harness"
local fake_gpu = require "with_fake_gpu"

local with_fake = fake_gpu.with_fake

test("a monitor gives the spread of what it saw, and the peak of the memory", function()
  local seen, _, fake = with_fake("gpu0.power_mw=400000 gpu0.temperature=70", [[
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.1)
    local clocks <close> = reg.gpu.lock { sm = 1200 }
    reg.sleep(0.1)
    local summary = monitor:stop()
    return summary.samples == monitor:stop().samples and summary]])
  test.truthy(seen.samples >= 3 and seen.seconds > 0.1)
  test.equal({ seen.gpus[1].power_limit_w, seen.sm_mhz.min, seen.sm_mhz.max }, { 700.0, 1200.0, 1980.0 })
  test.equal({ seen.power_w.median, seen.temperature_c.max, seen.memory_peak_bytes }, { 400.0, 70.0, 1073741824 })
  test.equal({ seen.throttled, seen.throttle_from, #seen.foreign, seen.gpus[1].uuid },
    { false, "counters", 0, fake.uuid })
end)

test("throttling is counted by the driver, and by the samples where it does not count", function()
  local code = "local monitor <close> = reg.gpu.monitor { period_s = 0.01 } reg.sleep(0.2) return monitor:stop()"
  local seen = with_fake("gpu0.throttled.sw_thermal=0.25", code)
  test.equal({ seen.throttled, seen.throttle_from }, { true, "counters" })
  test.near(seen.throttle_s.sw_thermal / seen.seconds, 0.25, 0.1)
  seen = with_fake("gpu0.reasons=0x1ff rc.nvmlDeviceGetFieldValues=13", code)
  test.equal({ seen.throttled, seen.throttle_from }, { true, "samples" })
  for _, reason in ipairs { "sw_power_cap", "hw_slowdown", "sw_thermal", "hw_thermal", "hw_power_brake" } do
    test.near(seen.throttle_s[reason], seen.seconds, 0.001)
    seen.throttle_s[reason] = nil
  end
  test.equal(next(seen.throttle_s), nil)
  -- Which field counts what depends on the driver; older ones count the power cap alone.
  for driver, from in pairs { ["535.183.01"] = "both", ["575.51.03"] = "counters", ["580.65.06"] = "counters",
    ["580.159.04"] = "counters", ["590.44.01"] = "counters" } do
    local reasons = from == "both" and " gpu0.reasons=0x40" or ""
    seen = with_fake("driver=" .. driver .. " gpu0.throttled.hw_thermal=0.5" .. reasons, code)
    test.equal(seen.throttle_from, from, driver)
    test.near(seen.throttle_s.hw_thermal / seen.seconds, from == "both" and 1 or 0.5, 0.1, driver)
    seen = with_fake("driver=" .. driver .. " gpu0.throttled.sw_power_cap=0.5", code)
    test.near(seen.throttle_s.sw_power_cap / seen.seconds, 0.5, 0.1, driver)
  end
  -- Thermal violations count where the counters of single reasons do not, and once where they do.
  for _, driver in ipairs { "535.183.01", "590.44.01" } do
    seen = with_fake("driver=" .. driver .. " gpu0.throttled.thermal=0.5", code)
    test.near((seen.throttle_s.sw_thermal or 0) / seen.seconds, 0.5, 0.1, driver)
  end
  seen = with_fake("gpu0.throttled.thermal=0.5 gpu0.throttled.sw_thermal=0.25 gpu0.throttled.hw_thermal=0.5", code)
  test.near((seen.throttle_s.sw_thermal or 0) / seen.seconds, 0.5, 0.1)
  test.equal(with_fake("gpu0.throttled.hw_thermal=0.5", code).throttle_s.sw_thermal, nil)
  -- A counter that stays where it is hides nothing.
  seen = with_fake("gpu0.reasons=0x40", code)
  test.near(seen.throttle_s.hw_thermal, seen.seconds, 0.001)
  seen = with_fake("gpu0.reasons=0x1", code)
  test.equal({ seen.throttled, seen.throttle_s }, { false, {} })
end)

test("a clock counts as busy while something runs, whatever the reasons say; power is that of the moment", function()
  local code = [[
    local clocks <close> = reg.gpu.lock { sm = 1590 }
    local monitor <close> = reg.gpu.monitor { period_s = 0.01 } reg.sleep(0.1)
    return monitor:stop()]]
  local seen = with_fake("gpu0.held_sm=345 gpu0.reasons=1 gpu0.util=0 gpu0.power_now_mw=90000", code)
  test.equal({ seen.busy_sm_mhz, seen.power_w.median }, { nil, 90.0 })
  test.equal(with_fake("gpu0.util=3", code).busy_sm_mhz.median, 1590.0)
  -- A driver that does not tell the utilization, as with MIG.
  local mute = "gpu0.rc.nvmlDeviceGetUtilizationRates=3 gpu0.reasons="
  test.equal(with_fake(mute .. "0", code).busy_sm_mhz.median, 1590.0)
  code = code:gsub("local clocks[^\n]*", "")
  test.equal(with_fake(mute .. "1", code).busy_sm_mhz, nil)
end)

test("a hardware slowdown of one sample is a change of the performance state", function()
  -- Of the two samples, at the start and at the end, the last one sees it: on a busy machine the first one may be late.
  test.equal(with_fake("", [[
    local found
    for attempt = 1, 12 do
      now ""
      local monitor <close> = reg.gpu.monitor { period_s = 1000 }
      reg.sleep(0.01 * 2 ^ attempt)
      now "gpu0.reasons=0x8\ngpu0.temperature=90"
      local seen = monitor:stop()
      found = { seen.samples, seen.temperature_c.min, seen.temperature_c.max, seen.throttle_s.hw_slowdown }
      if #found == 3 then break end
    end
    return found]]), { 2, 45.0, 90.0 })
  local code = "local monitor <close> = reg.gpu.monitor { period_s = 0.01 } reg.sleep(0.1) return monitor:stop()"
  test.truthy(with_fake("gpu0.reasons=0x8", code).throttle_s.hw_slowdown, "it lasts")
  test.truthy(with_fake("gpu0.reasons=0x48", code).throttle_s.hw_slowdown, "it has a cause")
end)

test("compute processes of others are told from the engine's own and those of its commands", function()
  local seen = with_fake("", [[
    local command = reg.spawn(reg.process.run, {
      shell = "(setsid sleep 1000 & echo $! >detached.pid); echo $$ >child.new; " ..
        "mv child.new child.pid; exec sleep 1000" })
    while not reg.fs.exists "child.pid" do reg.sleep "5ms" end
    local function pid(file) return reg.fs.read(file):gsub("%s", "") end
    now("gpu0.procs=1:200 self:300 " .. pid "child.pid" .. ":400 " .. pid "detached.pid" .. ":500")
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.05)
    local summary = monitor:stop()
    command:cancel()
    return { foreign = summary.foreign, all = #reg.gpu.get(0).processes }]])
  test.equal({ seen.all, #seen.foreign, seen.foreign[1].pid, seen.foreign[1].bytes }, { 4, 1, 1, 200 })
end)

test("a process in one of the engine's containers is its own, and one that nobody sees is foreign", function()
  -- A container's processes are nobody's children here; they carry the engine's id, as any process may that is told it.
  local outside = reg.spawn(function()
    while not reg.fs.exists "engine.id" do reg.sleep "5ms" end
    reg.process.run { shell = "echo $$ >container.new; mv container.new container.pid; exec sleep 1000",
      env = { REGENGINE_ENGINE = reg.fs.read "engine.id" } }
  end)
  local seen = with_fake("", [[
    local id = reg.process.run({ shell = "echo $REGENGINE_RUN" }).stdout:gsub("/.*", "")
    reg.fs.write("engine.id", id)
    while not reg.fs.exists "container.pid" do reg.sleep "5ms" end
    now("gpu0.procs=" .. reg.fs.read "container.pid":gsub("%s", "") .. ":100 4194304:200")
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.05)
    return { foreign = monitor:stop().foreign,
      on_host = reg.process.run({ shell = "readlink /proc/self/ns/pid" }).stdout == "pid:[4026531836]\n" }]])
  outside:cancel()
  pcall(outside.wait, outside)
  test.equal(#seen.foreign, seen.on_host and 1 or 0)
  if not seen.on_host then return end
  test.equal({ seen.foreign[1].pid, seen.foreign[1].name }, { 4194304, "/opt/fake/process-4194304" })
end)

test("the server of MPS is nobody's work", function()
  local server = reg.spawn(reg.process.run, { shell = "cp $(command -v sleep) nvidia-cuda-mps-server; echo $$ >server.new; "
    .. "mv server.new server.pid; exec ./nvidia-cuda-mps-server 1000" })
  while not reg.fs.exists "server.pid" do reg.sleep "5ms" end
  local pid = reg.fs.read "server.pid":gsub("%s", "")
  while not reg.process.run { shell = "grep -qx nvidia-cuda-mps /proc/" .. pid .. "/comm" }.ok do reg.sleep "5ms" end
  local foreign = with_fake("gpu0.procs=" .. pid .. ":1024~1:1024",
    "local monitor <close> = reg.gpu.monitor { period_s = 1000 } return monitor:stop().foreign")
  server:cancel()
  pcall(server.wait, server)
  test.equal({ #foreign, foreign[1].pid }, { 1, 1 })
end)

test("a GPU that is lost ends the monitor with what was seen, and the others go on", function()
  local seen = with_fake("gpus=2", [[
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.1)
    now "gpu1.lost=1"
    reg.sleep(0.1)
    local summary = monitor:stop()
    local others = reg.gpu.list()
    local ok, why = pcall(reg.gpu.monitor, { device = "1" })
    return { summary = summary, others = #others, ok = ok, kind = why.kind, message = why.message }]])
  test.equal(seen.summary.lost, "GPU 1 is lost: it fell off the bus")
  test.equal({ seen.summary.gpus[1].lost, seen.summary.gpus[2].lost }, { [2] = seen.summary.lost })
  test.equal(seen.summary.gpus[2].faults, { "Xid 79" })  -- it comes while NVML no longer answers for that GPU
  test.truthy(seen.summary.gpus[2].samples >= 1 and seen.summary.gpus[1].samples > seen.summary.gpus[2].samples)
  test.equal({ seen.others, seen.ok, seen.kind }, { 1, false, "unavailable" })
  test.equal(with_fake("gpus=2 gpu0.lost=1", "return reg.gpu.list()[1].index"), 1)
  seen = with_fake("gpu0.lost=1", "local ok, why = pcall(reg.gpu.list) return { ok, why.message }")
  test.equal(seen[1], false)
end)

return test.finish()
