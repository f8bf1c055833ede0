-- reg.gpu against the fake driver (tests/support/fakes/nvml.c). Each case runs an engine of its own, since the
-- environment chooses the driver. The last line that it prints is JSON, which with_fake decodes.

local test = require "harness"

local count = 0

-- state: lines of the fake's file. Returns what the code returned, the run, and the path of the state file.
local function with_fake(state, code, options, variables)
  count = count + 1
  local path = reg.process.run({ shell = "pwd" }).stdout:gsub("\n", "") .. "/fake" .. count
  local uuid = "GPU-" .. reg.process.run({ shell = "cat /proc/sys/kernel/random/uuid" }).stdout:gsub("\n", "")
  reg.fs.write(path, string.format("gpu0.uuid=%s\ngpu1.uuid=%s-b\ngpu2.uuid=%s-c\n", uuid, uuid, uuid)
    .. state:gsub(" ", "\n"):gsub("~", " "))
  reg.fs.write("case.lua", "local function run()\n" .. code .. "\nend\nprint(reg.json.encode { result = run() })")
  local env = { REGENGINE_FAKE_NVML = path }
  for name, value in pairs(variables or {}) do env[name] = value end
  local run = reg.process.run {
    shell = 'REGENGINE_NVML="${FAKE:-$REGENGINE_FAKES/nvml.so}" exec "$REGENGINE" ' .. (options or "") .. " case.lua",
    env = env,
  }
  reg.process.run { shell = "rm -f /run/lock/regengine-" .. uuid .. "*.lock /tmp/regengine-" .. uuid .. "*.lock" }
  local last = run.stdout:match "([^\n]+)\n$"
  local log = reg.fs.exists(path .. ".log") and reg.fs.read(path .. ".log") or ""
  return run.ok and last and reg.json.decode(last).result, run, { path = path, uuid = uuid, log = log }
end

-- What the code raised: { kind, message, hint }.
local function raised_with(state, code)
  local got, run = with_fake(state, "local ok, why = pcall(function() " .. code ..
    " end) return { ok = ok, kind = why.kind, message = why.message, hint = why.hint }")
  if not got or got.ok then error("nothing was raised: " .. run.stdout .. run.stderr, 2) end
  return got
end

local function calls(log)
  local names = {}
  for name, rest in log:gmatch "%d+ %d+ (%a+)([^\n]*)" do
    if name ~= "Init" and name ~= "Shutdown" then names[#names + 1] = name .. (rest:match " %d+ %d+$" or "") end
  end
  return names
end

test("a GPU is a table, and what it does not support is absent", function()
  local gpu, _, fake = with_fake("gpu0.name=Fake~H100 gpu0.temperature=61 gpu0.reasons=0x21 " ..
    "rc.nvmlDeviceGetEccMode=3 rc.nvmlDeviceGetPowerUsage=3 rc.nvmlDeviceGetFieldValues=3 rc.nvmlDeviceGetMigMode=13 gpu0.procs=self:4096",
    "return reg.gpu.list()[1]")
  test.equal({ gpu.index, gpu.uuid, gpu.name, gpu.driver, gpu.cuda },
    { 0, fake.uuid, "Fake H100", "580.65.06", "13.0" })
  test.equal({ gpu.sm_mhz, gpu.sm_max_mhz, gpu.mem_mhz, gpu.temperature_c }, { 1980, 1980, 2619, 61 })
  test.equal({ gpu.reasons, gpu.persistence }, { { "idle", "sw_thermal" }, true })
  test.equal({ #gpu.sm_supported_mhz, gpu.sm_supported_mhz[2], gpu.mem_supported_mhz }, { 110, 1965, { 2619, 1593 } })
  test.equal({ gpu.memory_bytes, gpu.memory_used_bytes }, { 85899345920, 1073741824 })
  test.equal({ gpu.processes[1].name, gpu.processes[1].bytes }, { "regengine", 4096 })
  for _, field in ipairs { "ecc", "power_w", "mig" } do test.equal(gpu[field], nil, field) end
end)

test("a driver without the newer functions is asked by the older ones", function()
  local gpu = with_fake("rc.nvmlDeviceGetTemperatureV=13 gpu0.temperature=50 " ..
    "rc.nvmlDeviceGetMemoryInfo_v2=13 gpu0.procs=", [[
    return reg.gpu.get(0)]])
  test.equal({ gpu.temperature_c, gpu.memory_used_bytes }, { 50, 1610612736 })
  test.equal(#gpu.processes, 0)
end)

test("a GPU is found by index, UUID and PCI address", function()
  local got, _, fake = with_fake("gpus=2", [[
    local second = reg.gpu.get(1)
    return { second.pci, reg.gpu.get(second.uuid).index, reg.gpu.get(second.pci).index, reg.gpu.get(0).uuid,
      #reg.gpu.list() }]])
  test.equal(got, { "00000000:02:00.0", 1, 1, fake.uuid, 2 })
  local none = raised_with("gpus=2", "reg.gpu.get(2)")
  test.equal({ none.kind, none.message, none.hint }, { "not_found", "no such GPU: 2", "Choose from 0 to 1." })
  test.equal(raised_with("", "reg.gpu.get 'GPU-none'").kind, "not_found")
  test.equal(raised_with("rc.nvmlDeviceGetHandleByUUID=2", "reg.gpu.get 'nonsense'").kind, "not_found")
  test.equal(raised_with("rc.nvmlDeviceGetHandleByPciBusId_v2=2", "reg.gpu.get '1:2:3:4'").kind, "not_found")
  test.equal(raised_with("", "reg.gpu.get(true)").kind, "usage")
end)

test("without a driver, a response or a GPU, status and errors have the same message", function()
  for _, case in ipairs { { "rc.nvmlInit_v2=9", "Driver Not Loaded (9)" },
    { "rc.nvmlInit_v2=18", "version mismatch (18)" }, { "gpus=0", "finds no GPU" } } do
    local status = with_fake(case[1], "return reg.gpu.status()")
    test.equal(status.ok, false)
    test.truthy(status.message:find(case[2], 1, true), status.message)
    test.truthy(status.hint ~= "")
    local why = raised_with(case[1], "reg.gpu.list()")
    test.equal({ why.kind, why.message, why.hint }, { "unavailable", status.message, status.hint })
    test.equal(raised_with(case[1], "reg.gpu.monitor()").message, status.message)
  end
end)

test("a library that is no NVML says what it lacks", function()
  local run = reg.process.run { shell = [[REGENGINE_NVML=libm.so.6 exec "$REGENGINE" -e 'reg.gpu.list()']] }
  test.equal(run.code, 1)
  test.truthy(run.stderr:find("libm.so.6 has no nvmlInit_v2", 1, true), run.stderr)
end)

test("a lock snaps to a supported clock, says so, holds, and is restored", function()
  local got, run, fake = with_fake("", [[
    local seen
    do
      local clocks <close> = reg.gpu.lock { sm = "80%" }
      seen = { clocks.locked, clocks.sm_mhz, clocks.asked, clocks.why == nil, clocks:verify().held,
        reg.gpu.get(0).sm_mhz, #clocks.gpus }
    end
    seen[#seen + 1] = reg.gpu.get(0).sm_mhz
    return seen]])
  test.equal(got, { true, 1590, "sm 80%", true, true, 1590, 1, 1980 })
  test.equal(run.stderr, "GPU 0: locked: SM clock 1590 MHz (80 % of 1980 is 1584; 1590 is the nearest supported)\n")
  test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" })
end)

test("frequencies and the memory can be locked too, on all GPUs or one", function()
  local got, _, fake = with_fake("gpus=2", [[
    local seen = {}
    do local clocks <close> = reg.gpu.lock { sm = 1597 } seen[1] = { clocks.sm_mhz, #clocks.gpus } end
    do
      local clocks <close> = reg.gpu.lock { sm = 1500, mem = "60%", device = 1 }
      local first, second = reg.gpu.get(0), reg.gpu.get(1)
      seen[2] = { clocks.sm_mhz, clocks.mem_mhz, clocks.gpus[1].index, second.sm_mhz, second.mem_mhz, first.sm_mhz }
    end
    return seen]])
  test.equal(got, { { 1590, 2 }, { 1500, 1593, 1, 1500, 1593, 1980 } })
  test.equal(#calls(fake.log), 8)
end)

test("the key of a trial has the clocks that are locked, however they were asked for, or none", function()
  local KEYS = [[
    local function key(o)
      local clocks <close> = o and reg.gpu.lock(o)
      return reg.identity { a = 1 }
    end
    return { none = key(), percent = key { sm = "80%" }, mhz = key { sm = 1590 }, other = key { sm = 1200 },
      memory = key { sm = 1590, mem = 1593 }, after = key() }]]
  local keys = with_fake("", KEYS)
  test.equal(keys.percent, keys.mhz)
  test.equal(keys.after, keys.none)
  local seen, different = {}, 0
  for _, name in ipairs { "none", "mhz", "other", "memory" } do
    different = different + (seen[keys[name]] and 0 or 1)
    seen[keys[name]] = true
  end
  test.equal(different, 4)
  local refused = with_fake("rc.nvmlDeviceSetGpuLockedClocks=4", KEYS)
  test.equal({ refused.mhz, refused.memory }, { refused.none, refused.none })
end)

test("clocks that make no sense are refused before anything is done", function()
  for code, words in pairs {
    ["reg.gpu.lock {}"] = "needs 'sm' or 'mem'", ["reg.gpu.lock { sm = 'fast' }"] = "not a valid clock: 'fast'",
    ["reg.gpu.lock { sm = '120%' }"] = "not a valid clock: '120%'",
    ["reg.gpu.lock { sm = 5000 }"] = "does not support SM clock 5000 MHz",
    ["reg.gpu.lock { sm = true }"] = "must be", ["reg.gpu.lock { sm = 'base' }"] = "not a valid clock: 'base'",
    ["reg.gpu.lock { sm = '80%', divice = 0 }"] = "did you mean 'device'?",
    ["reg.gpu.monitor { period_s = 0 }"] = "greater than 0",
    ["reg.gpu.lock { sm = 0 }"] = "not a valid clock: '0'",
  } do
    local why = raised_with("", code)
    test.equal(why.kind, "usage", code)
    test.truthy(why.message:find(words, 1, true), why.message)
  end
end)

test("without permission: one line with the command, and the run goes on unlocked", function()
  local got, run, fake = with_fake("rc.nvmlDeviceSetGpuLockedClocks=4", [[
    local clocks <close> = reg.gpu.lock { sm = "80%" }
    local seen = clocks:verify()
    return { clocks.locked, clocks.why, clocks.sm_mhz == nil, #clocks.gpus, seen.held, seen.why }]])
  local command = "nvidia-smi --lock-gpu-clocks=1590,1590 -i " .. fake.uuid
  local why = "GPU 0: only root can lock clocks: Insufficient Permissions (4). Run as root on the host: " .. command
  test.equal(got, { false, why, true, 0, false, why })
  test.equal(run.stderr, "warning: clocks not locked: " .. why .. "\n")
  test.equal(calls(fake.log), {})
  local raised = raised_with("rc.nvmlDeviceSetGpuLockedClocks=4", "reg.gpu.lock { sm = '80%', required = true }")
  test.equal(raised.kind, "permission")
end)

test("a GPU that cannot, a driver without the function and no driver leave the run unlocked too", function()
  for _, case in ipairs { { "rc.nvmlDeviceSetGpuLockedClocks=3", "Not Supported" },
    { "rc.nvmlDeviceSetGpuLockedClocks=13", "Not Found" }, { "rc.nvmlInit_v2=9", "Driver Not Loaded" },
    { "gpus=0", "finds no GPU" } } do
    local got, run = with_fake(case[1], [[
      local clocks <close> = reg.gpu.lock { sm = "80%" } return { clocks.locked, clocks.why }]])
    test.equal(got[1], false)
    test.truthy(got[2]:find(case[2], 1, true), got[2])
    test.truthy(run.stderr:match "^warning: clocks not locked: [^\n]+\n$", run.stderr)
    test.equal(raised_with(case[1], "reg.gpu.lock { sm = '80%', required = true }").kind, "unavailable")
  end
end)

test("all that was asked for is locked, or nothing", function()
  local got, _, fake = with_fake("gpus=2 gpu1.rc.nvmlDeviceSetGpuLockedClocks=4", [[
    local clocks <close> = reg.gpu.lock { sm = "80%" } return { clocks.locked, clocks.why }]])
  test.equal(got[1], false)
  test.truthy(got[2]:find(fake.uuid, 1, true) and got[2]:find(" && nvidia-smi", 1, true), got[2])
  test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" })
  got, _, fake = with_fake("rc.nvmlDeviceSetGpuLockedClocks=3", [[
    local clocks <close> = reg.gpu.lock { sm = "80%", mem = 1593 } return { clocks.locked, reg.gpu.get(0).mem_mhz }]])
  test.equal(got, { false, 2619 })
  test.equal(calls(fake.log), { "SetMemoryLockedClocks 1593 1593", "ResetMemoryLockedClocks" })
end)

test("verify tells a clock that does not hold from one that idles", function()
  local code = [[
    local clocks <close> = reg.gpu.lock { sm = 1590 }
    local seen = clocks:verify()
    return { seen.held, seen.sm_mhz, seen.reasons, seen.asked_mhz }]]
  test.equal(with_fake("gpu0.held_sm=1200 gpu0.reasons=0x4", code), { false, 1200, { "sw_power_cap" }, 1590 })
  test.equal(with_fake("gpu0.held_sm=1575", code), { true, 1575, {}, 1590 })
  test.equal(with_fake("gpu0.held_sm=1200", code), { false, 1200, {}, 1590 })
  local idle = with_fake("gpu0.held_sm=345 gpu0.reasons=1 gpu0.util=0", [[
    local clocks <close> = reg.gpu.lock { sm = 1590 }
    local v = clocks:verify()
    return { held = v.held, reasons = v.reasons }]])
  test.equal(idle, { reasons = {} }, "the idle reason is not reported while clocks are locked")
end)

test("locks and monitors are of the GPUs that programs see; instances stand for their GPU", function()
  local code = [[
    local function indexes(list)
      local all = {}
      for i, gpu in ipairs(list) do all[i] = gpu.index end
      return all
    end
    local clocks <close> = reg.gpu.lock { sm = 1590 }
    local monitor <close> = reg.gpu.monitor {}
    local everything <close> = reg.gpu.monitor { device = "all" }
    return { indexes(clocks.gpus), indexes(monitor:stop().gpus), indexes(everything:stop().gpus) }]]
  local state = "gpus=3 gpu1.instances=MIG-11111111-2222 gpu2.instances=MIG-33333333-4444"
  local function seen(visible)
    return with_fake(state, code, "", { CUDA_VISIBLE_DEVICES = visible })
  end
  test.equal(seen(nil), { { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 } })
  test.equal(seen "2,0", { { 2, 0 }, { 2, 0 }, { 0, 1, 2 } })
  test.equal(seen "1,9,0", { { 1 }, { 1 }, { 0, 1, 2 } }, "CUDA ignores what follows an invalid one")
  test.equal(seen "MIG-33333333-4444", { { 2 }, { 2 }, { 0, 1, 2 } })
  local named = with_fake(state, [[ return { reg.gpu.get("1:0").index, reg.gpu.get("MIG-11111111-2222").index,
    reg.gpu.list("MIG-11111111-2222,1,1:0,0")[2].index } ]])
  test.equal(named, { 1, 1, 0 })
  local none = with_fake(state, [[ local ok, why = pcall(reg.gpu.monitor) return { ok, why.kind, why.message } ]], "",
    { CUDA_VISIBLE_DEVICES = "" })
  test.equal(none, { false, "unavailable", "CUDA_VISIBLE_DEVICES hides all GPUs" })
end)

test("a lock may be closed twice, and says afterwards that it is", function()
  local got, _, fake = with_fake("", [[
    local clocks = reg.gpu.lock { sm = 1590 }
    clocks:close()
    clocks:close()
    return { clocks.locked, clocks.why, clocks:verify().held }]])
  test.equal(got, { false, "closed", false })
  test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" })
end)

test("a script that ends in an error, or forgets to close, restores the clocks", function()
  for _, code in ipairs { "local c <close> = reg.gpu.lock { sm = 1590 } error 'oh'",
    "FORGOTTEN = reg.gpu.lock { sm = 1590 }", "FORGOTTEN = reg.gpu.lock { sm = 1590 } error 'oh'" } do
    local _, _, fake = with_fake("", code)
    test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" }, code)
  end
end)

test("a script that a limit ends restores the clocks, wherever it was", function()
  local held = "local c <close> = reg.gpu.lock { sm = 1590 } "
  local loop = "while true do end"
  for _, code in ipairs { held .. loop, held .. "table.sort({ 3, 2, 1 }, function() " .. loop .. " end)",
    held .. "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end",
    "table.sort({ 3, 2, 1 }, function() " .. held .. loop .. " end)",
    "coroutine.wrap(function() " .. held .. loop .. " end)()",
    "reg.spawn(function() " .. held .. loop .. " end):wait()",
    held .. "local x <close> = setmetatable({}, { __close = function() " .. loop .. " end }) " .. loop,
    "while true do reg.spawn(function() " .. held .. "reg.sleep(1e9) end) reg.sleep(0.01) " .. loop .. " end" } do
    local got, run, fake = with_fake("", code, "--instructions 3000000 --memory 64M")
    local words = run.stderr:find("stopped after 3000000", 1, true) or run.stderr:find("memory limit", 1, true)
    test.truthy(not got and words, run.stderr)
    test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" }, code)
  end
end)

test("a dry run locks nothing", function()
  local got, _, fake = with_fake("",
    "local clocks <close> = reg.gpu.lock { sm = '80%' } return { clocks.locked, clocks.why }", "--dry-run")
  test.equal(got, { false, "dry run" })
  test.equal(calls(fake.log), {})
end)

test("a clock that cannot be restored is a warning", function()
  local _, run = with_fake("rc.nvmlDeviceResetGpuLockedClocks=999",
    "local c <close> = reg.gpu.lock { sm = 1590 } return 1")
  test.truthy(run.stderr:find("warning: GPU 0: could not restore its clocks: Error 999 (999)", 1, true), run.stderr)
end)

test("a monitor gives the spread of what it saw, and the peak of the memory", function()
  local seen, _, fake = with_fake("gpu0.power_mw=400000 gpu0.temperature=70", [[
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.1)
    local clocks <close> = reg.gpu.lock { sm = 1200 }
    reg.sleep(0.1)
    local summary = monitor:stop()
    return summary.samples == monitor:stop().samples and summary]])
  test.truthy(seen.samples >= 3 and seen.seconds > 0.1)
  test.equal({ seen.sm_mhz.min, seen.sm_mhz.max }, { 1200.0, 1980.0 })
  test.equal({ seen.power_w.median, seen.temperature_c.max, seen.memory_peak_bytes }, { 400.0, 70.0, 1073741824 })
  test.equal({ seen.throttled, seen.throttle_from, #seen.foreign, seen.gpus[1].uuid },
    { false, "counters", 0, fake.uuid })
end)

test("throttling is counted by the driver, and by the samples where it does not count", function()
  local code = "local monitor <close> = reg.gpu.monitor { period_s = 0.01 } reg.sleep(0.2) return monitor:stop()"
  local seen = with_fake("gpu0.throttled.sw_thermal=0.25", code)
  test.equal({ seen.throttled, seen.throttle_from }, { true, "counters" })
  test.near(seen.throttle_s.sw_thermal / seen.seconds, 0.25, 0.1)
  seen = with_fake("gpu0.reasons=0x44 rc.nvmlDeviceGetFieldValues=13", code)
  test.equal({ seen.throttled, seen.throttle_from }, { true, "samples" })
  test.near(seen.throttle_s.hw_thermal, seen.seconds, 0.001)
  test.near(seen.throttle_s.sw_power_cap, seen.seconds, 0.001)
  -- Which field counts what depends on the driver; older ones count the power cap alone.
  for driver, from in pairs { ["535.183.01"] = "both", ["575.51.03"] = "counters", ["580.65.06"] = "counters",
    ["590.44.01"] = "counters" } do
    seen = with_fake("driver=" .. driver .. " gpu0.throttled.hw_thermal=0.5 gpu0.reasons=0x40", code)
    test.equal(seen.throttle_from, from, driver)
    test.near(seen.throttle_s.hw_thermal / seen.seconds, from == "both" and 1 or 0.5, 0.1, driver)
    seen = with_fake("driver=" .. driver .. " gpu0.throttled.sw_power_cap=0.5", code)
    test.near(seen.throttle_s.sw_power_cap / seen.seconds, 0.5, 0.1, driver)
  end
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
  local once = with_fake("", [[
    local path = reg.process.run({ shell = "echo $REGENGINE_FAKE_NVML" }).stdout:gsub("\n", "")
    local state, found = reg.fs.read(path), nil
    for attempt = 1, 12 do
      reg.fs.write(path, state)
      local monitor <close> = reg.gpu.monitor { period_s = 1000 }
      reg.sleep(0.01 * 2 ^ attempt)
      reg.fs.write(path, state .. "\ngpu0.reasons=0x8\n")
      found = monitor:stop().throttle_s.hw_slowdown
      if not found then break end
    end
    return { found }]])
  test.equal(once, {})
  local code = "local monitor <close> = reg.gpu.monitor { period_s = 0.01 } reg.sleep(0.1) return monitor:stop()"
  test.truthy(with_fake("gpu0.reasons=0x8", code).throttle_s.hw_slowdown, "it lasts")
  test.truthy(with_fake("gpu0.reasons=0x48", code).throttle_s.hw_slowdown, "it has a cause")
end)

test("compute processes of others are told from the engine's own and those of its commands", function()
  local seen = with_fake("", [[
    local path = reg.process.run({ shell = "echo $REGENGINE_FAKE_NVML" }).stdout:gsub("\n", "")
    local command = reg.spawn(reg.process.run, {
      shell = "(setsid sleep 1000 & echo $! >detached.pid); echo $$ >child.new; " ..
        "mv child.new child.pid; exec sleep 1000" })
    while not reg.fs.exists "child.pid" do reg.sleep "5ms" end
    local function pid(file) return reg.fs.read(file):gsub("%s", "") end
    local processes = "1:200 self:300 " .. pid "child.pid" .. ":400 " .. pid "detached.pid" .. ":500"
    reg.fs.write(path, reg.fs.read(path) .. "\ngpu0.procs=" .. processes .. "\n")
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.05)
    local summary = monitor:stop()
    command:cancel()
    return { foreign = summary.foreign, all = #reg.gpu.get(0).processes }]])
  test.equal(seen.all, 4)
  test.equal(#seen.foreign, 1)
  test.equal({ seen.foreign[1].pid, seen.foreign[1].bytes }, { 1, 200 })
end)

test("a process in one of the engine's containers is its own, and one that nobody sees is foreign", function()
  -- A container's processes are nobody's children here; they carry the engine's id, as any process may that is told it.
  local outside = reg.spawn(function()
    while not reg.fs.exists "engine.id" do reg.sleep "5ms" end
    reg.process.run { shell = "echo $$ >container.new; mv container.new container.pid; exec sleep 1000",
      env = { REGENGINE_ENGINE = reg.fs.read "engine.id" } }
  end)
  local seen = with_fake("", [[
    local path = reg.process.run({ shell = "echo $REGENGINE_FAKE_NVML" }).stdout:gsub("\n", "")
    local id = reg.process.run({ shell = "echo $REGENGINE_RUN" }).stdout:gsub("/.*", "")
    reg.fs.write("engine.id", id)
    while not reg.fs.exists "container.pid" do reg.sleep "5ms" end
    local pid = reg.fs.read "container.pid":gsub("%s", "")
    reg.fs.write(path, reg.fs.read(path) .. "\ngpu0.procs=" .. pid .. ":100 4194304:200\n")
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

test("a GPU that is lost ends the monitor with what was seen, and the others go on", function()
  local seen = with_fake("gpus=2", [[
    local monitor <close> = reg.gpu.monitor { period_s = "5ms" }
    reg.sleep(0.1)
    local path = reg.process.run({ shell = "echo $REGENGINE_FAKE_NVML" }).stdout:gsub("\n", "")
    reg.fs.write(path, reg.fs.read(path) .. "\ngpu1.lost=1\n")
    reg.sleep(0.1)
    local summary = monitor:stop()
    local ok, why = pcall(reg.gpu.list)
    return { summary = summary, ok = ok, kind = why.kind, message = why.message }]])
  test.equal(seen.summary.lost, "GPU 1 is lost: it fell off the bus")
  test.equal({ seen.summary.gpus[1].lost, seen.summary.gpus[2].lost }, { [2] = seen.summary.lost })
  test.truthy(seen.summary.gpus[2].samples >= 1 and seen.summary.gpus[1].samples > seen.summary.gpus[2].samples)
  test.equal({ seen.ok, seen.kind }, { false, "unavailable" })
end)

test("leased GPUs are free for no other lease until it is closed", function()
  local got, run = with_fake("gpus=3", [[
    local function attempt(options)
      options.timeout_s = 0
      local ok, lease = pcall(reg.gpu.lease, options)
      if not ok then return lease.kind .. ": " .. lease.message end
      local _ <close> = lease
      return #lease.gpus
    end
    local lease <close> = reg.gpu.lease { gpus = "0,1" }
    local first = { lease.gpus[1].index, lease.gpus[2].uuid == reg.gpu.get(1).uuid, lease.gpus[1].name, lease.waited_s }
    local taken = { attempt { gpus = 0 }, attempt { count = 2 }, attempt { gpus = "1,2" } }
    local free = attempt { count = 1 }
    lease:close()
    lease:close()
    return { first, taken, free, attempt {} }]])
  test.equal(got, { { 0, true, "Fake GPU", 0.0 }, { "conflict: cannot lease GPU 0: this regengine uses GPU 0",
    "conflict: cannot lease 2 free GPUs of 0, 1, 2: this regengine uses GPU 0, 1",
    "conflict: cannot lease GPU 1, 2: this regengine uses GPU 1" }, 1, 3 })
  test.equal(run.stderr, "")
end)

test("a lease waits for a GPU and says once who has it, and whoever waits goes first", function()
  local got, run = with_fake("", [[
    local order, lease = {}, reg.gpu.lease()
    local function work(name)
      return function()
        local mine <close> = reg.gpu.lease()
        order[#order + 1] = { name, mine.waited_s > 0 }
      end
    end
    local waiter = reg.spawn(work "first")
    reg.sleep(0.15)
    lease:close()
    local late = reg.spawn(work "second")
    waiter:wait()
    late:wait()
    return order]])
  test.equal(got, { { "first", true }, { "second", false } })
  test.equal(run.stderr, "waiting for GPU 0: this regengine uses GPU 0\n")
end)

test("a lease refuses what can never be, and GPUs of different models", function()
  local function message(state, code)
    local why = raised_with(state, code)
    return why.kind .. ": " .. why.message
  end
  test.equal(message("gpus=2", "reg.gpu.lease { count = 3 }"), "usage: cannot lease 3 of 2 GPUs: 0, 1")
  test.equal(message("", "reg.gpu.lease { count = 0 }"), "usage: gpu.lease: 'count' must be at least 1")
  test.equal(message("", "reg.gpu.lease { gpus = 4 }"), "not_found: no such GPU: 4")
  local mixed = "gpus=2 gpu1.name=Other~GPU"
  test.equal(message(mixed, "reg.gpu.lease { count = 1 }"), "usage: GPUs of different models: 0 Fake GPU; 1 Other GPU")
  test.equal(with_fake(mixed, "return #reg.gpu.lease().gpus"), 2)
end)

test("GPUs are listed by name, each once, and a UUID may be cut short", function()
  local got = with_fake("gpus=3 gpu2.uuid=GPU-00c1-22", [[
    local function indexes(which)
      local list = {}
      for i, gpu in ipairs(reg.gpu.list(which)) do list[i] = gpu.index end
      return list
    end
    local uuid = reg.gpu.get(2).uuid
    return { indexes(), indexes "all", indexes(1), indexes "2,0,2", indexes(uuid), indexes(uuid:sub(1, -2)) }]])
  test.equal(got, { { 0, 1, 2 }, { 0, 1, 2 }, { 1 }, { 2, 0 }, { 2 }, { 2 } })
  test.equal(raised_with("gpus=3", "reg.gpu.list 'GPU-'").kind, "not_found")
end)

test("a command with a lease sees its GPUs alone and runs on CPUs near them, unless the machine is tuned to others",
  function()
    local function near(cpus)
      return [[
        reg.fs.mkdir "machine/sys/bus/pci/devices/0000:02:00.0"
        reg.fs.write("machine/sys/bus/pci/devices/0000:02:00.0/local_cpulist", "]] .. cpus .. [[\n")
        local lease <close> = reg.gpu.lease { gpus = 1 }
        local function say(o)
          o.shell, o.lease = 'echo "$CUDA_VISIBLE_DEVICES $(sed -n "s/^Cpus_allowed_list:.//p" /proc/self/status)"', lease
          return o
        end
        local said = { lease.cpus or "none", reg.process.run(say {}).stdout:match " (.*)\n" }
        reg.fs.mkdir "image"
        said[3] = reg.container.run(say { image = "image", runtime = "local" }).stdout:match "^%S+" == lease.gpus[1].uuid
        local kept <close> = reg.container.start { runtime = "local", lease = lease }
        said[4] = kept:exec({ shell = 'echo "$CUDA_VISIBLE_DEVICES"' }).stdout == lease.gpus[1].uuid .. "\n"
        local tuning <close> = reg.machine.tune { cpus = "0" }
        said[5] = reg.process.run(say {}).stdout:match " (.*)\n"
        return said]]
    end
    local function said(cpus)
      return with_fake("gpus=2", near(cpus), "", { REGENGINE_SYSFS = "machine" })
    end
    test.equal(said "0", { "0", "0", true, true, "0" })
    test.equal(said "1000-1001"[1], "none", "CPUs that this process may not use")
  end)

test("the option `lease` takes an open lease, and nothing else chooses GPUs", function()
  local function message(code) return raised_with("", "local lease = reg.gpu.lease() " .. code).message end
  test.equal(message "lease:close() reg.process.run { shell = 'true', lease = lease }", "process.run: the lease is closed")
  test.truthy(message("reg.process.run { shell = 'true', lease = 'all' }"):find("'lease' must be a result of reg.gpu.lease",
    1, true))
  test.truthy(message("reg.process.run { shell = 'true', lease = lease, env = { CUDA_VISIBLE_DEVICES = '0' } }"):find(
    "'lease' and the variable CUDA_VISIBLE_DEVICES both choose GPUs", 1, true))
  test.truthy(message("reg.container.run { runtime = 'local', shell = 'true', lease = lease, gpus = 'all' }"):find(
    "'lease' and 'gpus' both choose GPUs", 1, true))
end)

test("a GPU is free again when the engine that leased it is killed, and not before", function()
  local got, run = with_fake("", [[
    local function attempt()
      return reg.process.run { shell = '"$REGENGINE" -e "reg.gpu.lease { timeout_s = 0 }"' }
    end
    reg.fs.write("hold.lua", "local lease = reg.gpu.lease() reg.fs.write('held', '') reg.sleep(1000)")
    local holder = reg.spawn(reg.process.run, { shell = 'echo $$ >pid; exec "$REGENGINE" hold.lua' })
    while not reg.fs.exists "held" do reg.sleep(0.02) end
    local pid = reg.fs.read "pid":match "%d+"
    local other = attempt()
    reg.process.run { cmd = { "kill", "-9", pid } }
    local killed = holder:wait().signal
    return { other.code, other.stderr:find("GPU 0: regengine, pid " .. pid .. " of user ", 1, true) ~= nil, killed,
      attempt().code }]])
  if not got then error(run.stderr) end
  test.equal(got, { 1, true, 9, 0 })
end)

test("a dry run leases nothing", function()
  local got = with_fake("gpus=2", [[
    local lease = reg.gpu.lease { count = 1 }
    return { #lease.gpus, #reg.gpu.lease { gpus = "0,1", timeout_s = 0 }.gpus }]], "--dry-run")
  test.equal(got, { 1, 2 })
end)

return test.finish()
