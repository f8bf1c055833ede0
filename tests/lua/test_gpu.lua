-- GPUs as tables, and their locks, against the fake driver.

local test = require "harness"
local fake_gpu = require "with_fake_gpu"

local with_fake, raised_with, calls = fake_gpu.with_fake, fake_gpu.raised_with, fake_gpu.calls

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
  local mute = {}
  for name in ("ClockInfo MaxClockInfo SupportedMemoryClocks SupportedGraphicsClocks TemperatureV Temperature " ..
    "FieldValues CurrentClocksEventReasons UtilizationRates MemoryInfo MemoryInfo_v2 PersistenceMode ComputeRunningProcesses_v3 " ..
    "EnforcedPowerLimit"):gmatch "%S+" do
    mute[#mute + 1] = "rc.nvmlDeviceGet" .. name .. "=3"
  end
  gpu = with_fake(table.concat(mute, " "), "return reg.gpu.get(0)")
  test.equal({ gpu.power_w, #gpu.processes }, { 350.0, 0 })
  for _, field in ipairs { "sm_mhz", "mem_max_mhz", "temperature_c", "reasons", "memory_bytes", "persistence",
    "power_limit_w" } do
    test.equal(gpu[field], nil, field)
  end
end)

test("a driver without the newer functions is asked by the older ones", function()
  local gpu = with_fake("rc.nvmlDeviceGetTemperatureV=13 gpu0.temperature=50 " ..
    "rc.nvmlDeviceGetMemoryInfo_v2=13 gpu0.procs=", [[
    return reg.gpu.get(0)]])
  test.equal({ gpu.temperature_c, gpu.memory_used_bytes, #gpu.processes }, { 50, 1610612736, 0 })
end)

test("every process is listed, and every reason has a name", function()
  local processes = {}
  for pid = 900001, 900040 do processes[#processes + 1] = pid .. ":1024" end
  local gpu = with_fake("gpu0.reasons=0x1ff gpu0.procs=" .. table.concat(processes, "~") .. "~900041:0xffffffffffffffff",
    "return reg.gpu.get(0)")
  test.equal({ #gpu.processes, gpu.processes[40] }, { 41, { pid = 900040, bytes = 1024, name = "/opt/fake/process-900040" } })
  test.equal(gpu.processes[41].bytes, nil)  -- the driver does not know
  test.equal(gpu.reasons, { "idle", "application_clocks", "sw_power_cap", "hw_slowdown", "sync_boost", "sw_thermal",
    "hw_thermal", "hw_power_brake", "display_clock" })
end)

test("a session stays open as long as the clocks are locked", function()
  local _, _, fake = with_fake("", "local clocks <close> = reg.gpu.lock { sm = 1590 } return reg.gpu.get(0).sm_mhz")
  local own, open, locked = fake.log:match "%d+ (%d+) SetGpu", 0, false
  for name in fake.log:gmatch("%d+ " .. own .. " (%a+)") do
    open = open + (name == "Init" and 1 or name == "Shutdown" and -1 or 0)
    locked = name:find "^Set" ~= nil or locked and not name:find "^Reset"
    test.truthy(open > 0 or not locked, fake.log)
  end
  test.equal(open, 0)
end)

test("clients of MPS may be in a list of their own", function()
  local code = [[
    local all = {}
    for i, process in ipairs(reg.gpu.get(0).processes) do all[i] = { process.pid, process.bytes } end
    return all]]
  test.equal(with_fake("gpu0.procs=11:100 gpu0.mps=12:200", code), { { 11, 100 }, { 12, 200 } })
  test.equal(with_fake("gpu0.procs=11:100 gpu0.mps=11:300", code), { { 11, 300 } })
end)

test("a GPU is found by index and UUID", function()
  local got, _, fake = with_fake("gpus=2", [[
    local second = reg.gpu.get(1)
    return { second.pci, reg.gpu.get(second.uuid).index, reg.gpu.get(0).uuid, #reg.gpu.list() }]])
  test.equal(got, { "00000000:02:00.0", 1, fake.uuid, 2 })
  local none = raised_with("gpus=2", "reg.gpu.get(2)")
  test.equal({ none.kind, none.message, none.hint }, { "not_found", "no such GPU: 2", "Choose from 0 to 1." })
  for which, kind in pairs { ["'GPU-none'"] = "not_found", ["'1:2:3:4'"] = "not_found", ["true"] = "usage" } do
    test.equal(raised_with("", "reg.gpu.get(" .. which .. ")").kind, kind, which)
  end
  test.equal(raised_with("rc.nvmlDeviceGetHandleByUUID=2", "reg.gpu.get 'nonsense'").kind, "not_found")
end)

test("without a driver, a response or a GPU, status and errors have the same message", function()
  for _, case in ipairs { { "rc.nvmlInit_v2=9", "Driver Not Loaded (9)" },
    { "rc.nvmlInit_v2=18", "version mismatch (18)" }, { "gpus=0", "finds no GPU" } } do
    local status = with_fake(case[1], "return reg.gpu.status()")
    test.equal(status.ok, false)
    test.has(status.message, case[2])
    test.truthy(status.hint ~= "")
    local why = raised_with(case[1], "reg.gpu.list()")
    test.equal({ why.kind, why.message, why.hint }, { "unavailable", status.message, status.hint })
    test.equal(raised_with(case[1], "reg.gpu.monitor()").message, status.message)
  end
end)

test("a library that is no NVML says what it lacks", function()
  local run = reg.process.run { shell = [[REGENGINE_NVML=libm.so.6 exec "$REGENGINE" -e 'reg.gpu.list()']] }
  test.equal(run.code, 1)
  test.has(run.stderr, "libm.so.6 has no nvmlInit_v2")
end)

test("a lock snaps to a supported clock, says so, holds, and is restored", function()
  local got, run, fake = with_fake("", [[
    local seen
    do
      local clocks <close> = reg.gpu.lock { sm = "80%" }
      seen = { clocks.locked, clocks.sm_mhz, clocks.asked, clocks.why == nil,
        reg.gpu.get(0).sm_mhz, #clocks.gpus }
    end
    local twice = reg.gpu.lock { sm = 1590 }
    twice:close()
    twice:close()
    return table.move({ reg.gpu.get(0).sm_mhz, twice.locked, twice.why }, 1, 3, #seen + 1, seen)]])
  test.equal(got, { true, 1590, "sm 80%", true, 1590, 1, 1980, false, "closed" })
  test.equal(run.stderr:match "[^\n]*\n", "GPU 0: locked: SM clock 1590 MHz (80 % of 1980 is 1584; 1590 is the nearest supported)\n")
  test.equal(table.concat(calls(fake.log), ", "), ("SetGpuLockedClocks 1590 1590, ResetGpuLockedClocks, "):rep(2):sub(1, -3))
end)

test("a request becomes the nearest supported clock, or is used as it is where the driver has no list", function()
  local function locked(state, sm, mem)
    local asked = mem and "mem = " .. mem or "sm = " .. sm
    local got, run = with_fake(state,
      "local c <close> = reg.gpu.lock { " .. asked .. " } return { c.sm_mhz or c.mem_mhz }")
    return got[1], run.stderr:match "%((.-)%)\n"
  end
  for sm, wanted in pairs { ["'100%'"] = { 1980, "100 % of 1980 is 1980" }, ["1590"] = { 1590 },
    ["1583"] = { 1590, "nearest supported to 1583" }, ["345"] = { 345 } } do
    test.equal({ locked("", sm) }, wanted, sm)
  end
  test.equal(locked("", "'1%'"), 345, "below the lowest: the lowest")
  test.equal(locked("", nil, "2000"), 1593)
  test.equal(raised_with("", "reg.gpu.lock { sm = 344 }").hint, "Choose a clock from 345 to 1980 MHz.")
  local no_list = "rc.nvmlDeviceGetSupportedGraphicsClocks=3"
  test.equal({ locked(no_list, "1583"), (locked(no_list, "'80%'")) }, { 1583, 1584 })
  test.equal(locked("rc.nvmlDeviceGetSupportedMemoryClocks=3", "'80%'"), 1584, "as of many with HBM")
  local got = with_fake(no_list .. " rc.nvmlDeviceGetMaxClockInfo=3",
    "local ok, why = pcall(reg.gpu.lock, { sm = '80%' }) return { ok and why.why or why.message }")
  test.has(got[1], "does not report its highest SM clock")
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
  test.equal({ got, #calls(fake.log) }, { { { 1590, 2 }, { 1500, 1593, 1, 1500, 1593, 1980 } }, 8 })
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
  test.equal({ keys.percent, keys.after }, { keys.mhz, keys.none })
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
  local refused = { ["lock {}"] = "needs 'sm' or 'mem'", ["lock { sm = true }"] = "must be",
    ["lock { sm = 0 }"] = "not a valid clock: '0'",
    ["lock { sm = 5000 }"] = "does not support SM clock 5000 MHz", ["monitor { period_s = 0 }"] = "greater than 0",
    ["lock { sm = '80%', divice = 0 }"] = "did you mean 'device'?" }
  for _, clock in ipairs { "fast", "120%", "base", "nan", "inf%", "1590MHz" } do
    refused["lock { sm = '" .. clock .. "' }"] = "not a valid clock: '" .. clock .. "'"
  end
  for code, words in pairs(refused) do
    local why = raised_with("", "reg.gpu." .. code)
    test.equal(why.kind, "usage", code)
    test.has(why.message, words)
  end
end)

test("without permission: one line with the command, and the run goes on unlocked", function()
  local got, run, fake = with_fake("rc.nvmlDeviceSetGpuLockedClocks=4", [[
    local clocks <close> = reg.gpu.lock { sm = "80%" }
    return { clocks.locked, clocks.why, clocks.sm_mhz == nil, #clocks.gpus }]])
  local command = "nvidia-smi --lock-gpu-clocks=1590,1590 -i " .. fake.uuid
  local why = "GPU 0: only root can lock clocks: Insufficient Permissions (4). Run as root on the host: " .. command
  test.equal({ got, run.stderr }, { { false, why, true, 0 }, "warning: clocks not locked: " .. why .. "\n" })
  test.equal(calls(fake.log), {})
end)

test("a GPU that cannot, a driver without the function and no driver leave the run unlocked too", function()
  for _, case in ipairs { { "rc.nvmlDeviceSetGpuLockedClocks=4", "only root", "permission" },
    { "rc.nvmlDeviceSetGpuLockedClocks=3", "Not Supported" },
    { "rc.nvmlDeviceSetGpuLockedClocks=13", "Not Found" }, { "rc.nvmlInit_v2=9", "Driver Not Loaded" },
    { "gpus=0", "finds no GPU" } } do
    local got, run = with_fake(case[1], [[
      local clocks <close> = reg.gpu.lock { sm = "80%" } return { clocks.locked, clocks.why }]])
    test.equal(got[1], false)
    test.has(got[2], case[2])
    test.truthy(run.stderr:match "^warning: clocks not locked: [^\n]+\n$", run.stderr)
    test.equal(raised_with(case[1], "reg.gpu.lock { sm = '80%', required = true }").kind, case[3] or "unavailable")
  end
end)

test("all that was asked for is locked, or nothing", function()
  local got, _, fake = with_fake("gpus=2 gpu1.rc.nvmlDeviceSetGpuLockedClocks=4", [[
    local clocks <close> = reg.gpu.lock { sm = "80%" } return { clocks.locked, clocks.why }]])
  test.equal(got[1], false)
  test.has(got[2], fake.uuid, " && nvidia-smi")
  test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" })
  got, _, fake = with_fake("rc.nvmlDeviceSetGpuLockedClocks=3", [[
    local clocks <close> = reg.gpu.lock { sm = "80%", mem = 1593 } return { clocks.locked, reg.gpu.get(0).mem_mhz }]])
  test.equal(got, { false, 2619 })
  test.equal(calls(fake.log), { "SetMemoryLockedClocks 1593 1593", "ResetMemoryLockedClocks" })
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
  local function seen(visible) return with_fake(state, code, "", { CUDA_VISIBLE_DEVICES = visible }) end
  test.equal(seen(nil), { { 0, 1, 2 }, { 0, 1, 2 }, { 0, 1, 2 } })
  test.equal(seen "2,0", { { 2, 0 }, { 2, 0 }, { 0, 1, 2 } })
  test.equal(seen "1,9,0", { { 1 }, { 1 }, { 0, 1, 2 } }, "CUDA ignores what follows an invalid one")
  test.equal(seen "MIG-33333333-4444", { { 2 }, { 2 }, { 0, 1, 2 } })
  test.equal(with_fake(state, [[ return { reg.gpu.get("1:0").index, reg.gpu.get("MIG-11111111-2222").index,
    reg.gpu.list("MIG-11111111-2222,1,1:0,0")[2].index } ]]), { 1, 1, 0 })
  test.equal(with_fake(state, [[ local ok, why = pcall(reg.gpu.monitor) return { ok, why.kind, why.message } ]], "",
    { CUDA_VISIBLE_DEVICES = "" }), { false, "unavailable", "CUDA_VISIBLE_DEVICES hides all GPUs" })
end)

test("a script that ends in an error, forgets to close, or is ended by a limit, restores the clocks", function()
  local held = "local c <close> = reg.gpu.lock { sm = 1590 } "
  local loop = "while true do end"
  for _, code in ipairs { held .. "error 'oh'", "FORGOTTEN = reg.gpu.lock { sm = 1590 }",
    held .. loop, held .. "table.sort({ 3, 2, 1 }, function() " .. loop .. " end)",
    held .. "local t = {} while true do t[#t + 1] = ('x'):rep(1e6) .. #t end",
    "table.sort({ 3, 2, 1 }, function() " .. held .. loop .. " end)",
    "coroutine.wrap(function() " .. held .. loop .. " end)()",
    "reg.spawn(function() " .. held .. loop .. " end):wait()",
    held .. "local x <close> = setmetatable({}, { __close = function() " .. loop .. " end }) " .. loop,
    "while true do reg.spawn(function() " .. held .. "reg.sleep(1e9) end) reg.sleep(0.01) " .. loop .. " end" } do
    local got, run, fake = with_fake("", code, "--instructions 3000000 --memory 64M")
    local words = run.stderr:find("stopped after 3000000", 1, true) or run.stderr:find("memory limit", 1, true)
    test.truthy(words and not got or code:find "oh" or code:find "FORGOTTEN", run.stderr)
    test.equal(calls(fake.log), { "SetGpuLockedClocks 1590 1590", "ResetGpuLockedClocks" }, code)
  end
end)

test("a clock that cannot be restored is a warning", function()
  local _, run = with_fake("rc.nvmlDeviceResetGpuLockedClocks=999",
    "local c <close> = reg.gpu.lock { sm = 1590 } return 1")
  test.has(run.stderr, "warning: GPU 0: could not restore its clocks: Error 999 (999)")
end)

return test.finish()
