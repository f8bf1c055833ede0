-- reg.cuda as scripts use it, on the fake driver and cuBLAS of tests/support/fakes, each case in an engine of its own: a
-- driver is loaded once. NVRTC is the real one, where it is.

local test = require "harness"

local function variable(name)
  return (reg.process.run { shell = 'printf %s "$' .. name .. '"' }).stdout
end
local ENGINE, FAKES = variable "REGENGINE", variable "REGENGINE_FAKES"

local PRELUDE = [==[
local function say(value) print(reg.json.encode(value)) end
local function raised(f)
  local ok, why = pcall(f)
  if ok then return { kind = "nothing", message = "nothing was raised" } end
  if type(why) ~= "table" then return { kind = "lua", message = tostring(why) } end
  return { kind = why.kind, message = why.message, hint = why.hint }
end
local PTX = ".version 6.0\n.target sm_50\n.address_size 64\n.visible .entry work() { ret; }\n.visible .entry other() { ret; }\n"
]==]

-- Runs `code` in an engine; `fake` is the fake driver's script. Returns the last line it said, decoded, and the run.
local function engine(fake, code, env, flags)
  if FAKES == "" then test.skip "REGENGINE_FAKES is not set: run under ctest" end
  if reg.fs.exists "log.txt" then reg.fs.remove "log.txt" end
  reg.fs.write("fake.txt", fake .. "\nlog log.txt\n")
  reg.fs.write("script.lua", PRELUDE .. code)
  local all = { REGENGINE_LIBCUDA = FAKES .. "/cuda.so", REGENGINE_CUBLAS = FAKES .. "/cublas.so",
                REGENGINE_FAKE_CUDA = "fake.txt" }
  for name, value in pairs(env or {}) do all[name] = value end
  local cmd = { ENGINE }
  for _, flag in ipairs(flags or {}) do cmd[#cmd + 1] = flag end
  cmd[#cmd + 1] = "script.lua"
  local run = reg.process.run { cmd = cmd, env = all, timeout_s = "10m" }
  if run.code ~= 0 then error("the engine said " .. run.code .. ": " .. run.stdout .. run.stderr, 2) end
  local last = run.stdout:match "([^\n]*)\n$"
  return last and reg.json.decode(last), run
end

local function log_lines()
  local lines = {}
  for line in reg.fs.read("log.txt"):gmatch "[^\n]+" do lines[#lines + 1] = line end
  return lines
end

local function count(pattern)
  local n = 0
  for _, line in ipairs(log_lines()) do n = n + (line:find(pattern) and 1 or 0) end
  return n
end

-- A GPU and a kernel "work" of 1 ms, for most cases.
local GPU = 'local gpu = reg.cuda.open() local work = gpu:load(PTX):kernel "work" '
local LAUNCH = GPU .. 'local function f() work:launch { grid = 1, block = 32 } end '
local SLOW = ", timeout_s = 600"

-- --- what is there -------------------------------------------------------------------------------------------------------
test("without a driver each function says so in the words of status", function()
  local said = engine("", [[
    local status = reg.cuda.status()
    say { status = status, open = raised(reg.cuda.open), devices = raised(reg.cuda.devices), time = raised(function()
      reg.cuda.time(function() end) end), start = raised(reg.cuda.profiler_start) }]],
    { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" })
  test.equal(said.status.ok, false)
  test.truthy(said.status.message:find("no GPU: /nowhere/libcuda.so.1", 1, true), said.status.message)
  test.truthy(not said.status.message:find "\n", "one line")
  test.truthy(#said.status.hint > 0)
  for _, name in ipairs { "open", "devices", "start" } do
    test.equal(said[name].kind, "unavailable", name)
    test.equal(said[name].message, said.status.message, name)
    test.equal(said[name].hint, said.status.hint, name)
  end
  test.truthy(said.time.message:find "no GPU open", said.time.message)
end)

test("a driver without a GPU, and the toolkit's stub, are no GPU", function()
  local none = engine("devices 0", "say(reg.cuda.status())")
  test.equal(none.ok, false)
  test.truthy(none.message:find "sees none", none.message)
  local stub = engine("fail cuInit 34", "say(reg.cuda.status())")
  test.equal(stub.ok, false)
  test.truthy(stub.message:find "stub", stub.message)
  test.truthy(stub.hint:find "stubs", stub.hint)
end)

test("the GPUs are listed as the driver knows them", function()
  local said = engine("devices 2\ndevice name Fake_H100 cc 9.0 sms 132 clock_mhz 1980 l2 52428800 memory 85899345920", [[
    say { ok = reg.cuda.status().ok, devices = reg.cuda.devices(), versions = reg.cuda.versions(), open = raised(function()
      reg.cuda.open(2) end) }]])
  test.equal(said.ok, true)
  test.equal(#said.devices, 2)
  test.equal(said.devices[2], { index = 1, name = "Fake H100", uuid = "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1",
    pci_id = "0000:02:00.0", arch = "sm_90", memory_bytes = 85899345920, l2_bytes = 52428800, multiprocessors = 132,
    clock_mhz = 1980.0 })
  test.equal(said.versions.driver, "13.0")
  test.equal(said.versions.cublas, "13.0.2")
  test.equal(said.open.kind, "not_found")
end)

-- --- compiling -----------------------------------------------------------------------------------------------------------
local NO_DRIVER = { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" }

local function need_nvrtc()
  if not engine("", "say(reg.cuda.versions())").nvrtc then test.skip "NVRTC is not here (CUDA Toolkit): compiling is not tested" end
end

test("NVRTC compiles to the exact architecture, without a driver", function()
  need_nvrtc()
  local said = engine("", [[
    local source = 'extern "C" __global__ void set(int* x) { int unused; x[threadIdx.x] = N; }'
    local cubin = reg.cuda.compile(source, { arch = "sm_90", options = { "-DN=42" } })
    local ptx = reg.cuda.compile(source, { arch = "compute_80", options = { "-DN=42" } })
    say { elf = cubin.image:sub(2, 4), log = cubin.log, arch = cubin.arch, ptx = ptx.image }]], NO_DRIVER)
  test.equal(said.elf, "ELF")
  test.equal(said.arch, "sm_90")
  test.truthy(said.log:find "unused", "the warning is in the log: " .. said.log)
  test.truthy(said.ptx:find "%.target sm_80", "PTX")
  test.truthy(said.ptx:find "42", "the option came through")
end)

test("a source that does not compile is told with its lines", function()
  need_nvrtc()
  local said = engine("", [[
    say { source = raised(function() reg.cuda.compile("\n\nint x = y;", { arch = "sm_90", name = "mine.cu" }) end),
          arch = raised(function() reg.cuda.compile("", { arch = "90" }) end),
          old = raised(function() reg.cuda.compile("", { arch = "sm_10" }) end),
          none = raised(function() reg.cuda.compile("") end) }]], NO_DRIVER)
  test.equal(said.source.kind, "usage")
  test.truthy(said.source.message:find("mine.cu(3): error", 1, true), said.source.message)
  test.truthy(said.source.message:find '"y" is undefined', said.source.message)
  test.equal(said.arch.kind, "usage")
  test.equal(said.old.kind, "usage")
  test.equal(said.none.kind, "unavailable", "without an arch it is the GPU's")
end)

test("without NVRTC compiling says what would help, and timing works", function()
  local said = engine("kernel work 1000", LAUNCH .. [[
    say { compile = raised(function() reg.cuda.compile("", { arch = "sm_90" }) end), version = reg.cuda.versions().nvrtc,
          time = reg.cuda.time(f, { stop = "count", n = 3 }).median_s }]], { REGENGINE_NVRTC = "/nowhere/libnvrtc.so" })
  test.equal(said.compile.kind, "unavailable")
  test.truthy(said.compile.hint:find "REGENGINE_NVRTC", said.compile.hint)
  test.equal(said.version, nil)
  test.near(said.time, 1e-3, 1e-6)
end)

test("what NVRTC compiled is loaded, and a kernel of another name is not found", function()
  need_nvrtc()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local module = gpu:load(reg.cuda.compile('extern "C" __global__ void set(int* x) { *x = 1; }'))
    module:kernel "set"
    say { name = raised(function() module:kernel "get" end), bytes = raised(function() gpu:load "no code" end) }]])
  test.equal(said.name.kind, "not_found")
  test.truthy(said.name.hint:find 'extern "C"', said.name.hint)
  test.equal(said.bytes.kind, "corrupt")
  test.truthy(said.bytes.message:find "device kernel image is invalid", "the driver's own words: " .. said.bytes.message)
end)

test("NVRTC bears a driver beside it, found by the loader", function()
  need_nvrtc()  -- it looks for a libcuda.so.1 of its own accord, and calls what it finds
  reg.process.run { shell = 'mkdir -p lib && ln -sf "' .. FAKES .. '/cuda.so" lib/libcuda.so.1' }
  local said = engine("", [[say { ok = reg.cuda.status().ok,
    elf = reg.cuda.compile("extern \"C\" __global__ void f() {}").image:sub(2, 4) }]], { REGENGINE_LIBCUDA = "", LD_LIBRARY_PATH = "lib" })
  test.equal(said.ok, true)
  test.equal(said.elf, "ELF")
end)

-- --- memory --------------------------------------------------------------------------------------------------------------
test("buffers hold what was uploaded, in every type", function()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local result = {}
    for dtype, values in pairs { f64 = { 0.1, -2 }, f32 = { 0.5, -2 }, f16 = { 0.5, 65504 }, bf16 = { 0.5, -3 },
        i64 = { -5, 1 << 40 }, i32 = { -5, 7 }, i16 = { -32768, 7 }, i8 = { -128, 127 }, u64 = { 5, 7 }, u32 = { 4294967295, 7 },
        u16 = { 65535, 7 }, u8 = { 255, 0 } } do
      local buffer <close> = gpu:alloc(2, dtype)
      buffer:upload(values)
      result[dtype] = { got = buffer:download(), wanted = values, bytes = buffer.bytes, n = buffer.n, dtype = buffer.dtype }
    end
    say(result)]])
  local sizes = { f64 = 8, f32 = 4, f16 = 2, bf16 = 2, i64 = 8, i32 = 4, i16 = 2, i8 = 1, u64 = 8, u32 = 4, u16 = 2, u8 = 1 }
  for dtype, size in pairs(sizes) do
    local r = said[dtype]
    test.equal(r.bytes, 2 * size, dtype)
    test.equal(r.dtype, dtype)
    for i = 1, 2 do test.equal(r.got[i] + 0.0, r.wanted[i] + 0.0, dtype) end
  end
end)

test("buffers: bytes, filling, zeros, and what does not fit", function()
  local said = engine("device memory 1000000", [[
    local gpu = reg.cuda.open()
    local x = gpu:alloc(7, "i16")
    x:fill { 1, 2, 3 }
    local filled = x:download()
    x:upload "\9\0"
    local bytes = x:download_bytes()
    x:zero()
    local zeros = x:download()
    local before = gpu:memory().free_bytes
    x:close()
    x:close()
    say { filled = filled, first = bytes:byte(1), size = #bytes, zeros = zeros, freed = gpu:memory().free_bytes - before,
          closed = raised(function() x:download() end), long = raised(function() gpu:alloc(1, "i8"):upload { 1, 2 } end),
          range = raised(function() gpu:alloc(1, "i8"):upload { 128 } end), none = raised(function() gpu:alloc(0) end),
          part = raised(function() gpu:alloc(1, "i8"):upload { 0.5 } end), type = raised(function() gpu:alloc(1, "i7") end),
          oom = raised(function() gpu:alloc(1000001) end) }]])
  test.equal(said.filled, { 1, 2, 3, 1, 2, 3, 1 })
  test.equal(said.first, 9)
  test.equal(said.size, 14)
  test.equal(said.zeros, { 0, 0, 0, 0, 0, 0, 0 })
  test.equal(said.freed, 14)
  for _, name in ipairs { "closed", "long", "range", "none", "part", "type" } do test.equal(said[name].kind, "usage", name) end
  test.equal(said.oom.kind, "failed_trial")
  test.truthy(said.oom.message:find("allocate 1000001 bytes on GPU 0: out of memory", 1, true), said.oom.message)
end)

-- --- work ----------------------------------------------------------------------------------------------------------------
test("launches carry grid, block, shared memory and checked arguments", function()
  local said = engine("kernel work 10 params 8,4,8", GPU .. [[
    local x = gpu:alloc(4, "f32")
    local function launch(args) work:launch { grid = { 2, 3 }, block = { 4, 5, 6 }, shared_bytes = 65536, args = args } end
    launch { x, { i32 = 5 }, { f64 = 0.5 } }
    say { few = raised(function() launch { x } end), size = raised(function() launch { x, { i64 = 5 }, { f64 = 1 } } end),
          bare = raised(function() launch { x, 5, { f64 = 1 } } end), no = raised(function() work:launch { grid = 1 } end),
          zero = raised(function() work:launch { grid = 0, block = 1 } end),
          word = raised(function() work:launch { grid = 1, block = 1, shared = 5 } end) }]])
  test.equal(count "cuLaunchKernel work 2,3,1 4,5,6 65536", 1)
  test.equal(count "cuFuncSetAttribute 8 65536", 1)
  test.truthy(said.few.message:find("'work' takes 3 arguments, and 1 were given", 1, true), said.few.message)
  test.truthy(said.size.message:find("argument 2 of 'work' has 4 bytes, and 8 were given", 1, true), said.size.message)
  test.truthy(said.bare.hint:find "i32", said.bare.hint)
  for name, error in pairs(said) do test.equal(error.kind, "usage", name) end
end)

test("streams and events: the GPU's own clock, and work side by side", function()
  local said = engine("kernel work 1000\nkernel other 3000", GPU .. [[
    local other = gpu:load(PTX):kernel "other"
    local side, start, stop = gpu:stream(), gpu:event(), gpu:event()
    local early = raised(function() stop:seconds_since(start) end)
    start:record()
    other:launch { grid = 1, block = 1, stream = side }
    work:launch { grid = 1, block = 1 }
    stop:record()
    local soon = raised(function() stop:seconds_since(start) end)
    stop:synchronize()
    local alone = stop:seconds_since(start)
    local joined = gpu:event()
    joined:record(side)
    local third = gpu:stream()
    third:wait(joined)
    stop:record(third)
    third:synchronize()
    say { alone = alone, both = stop:seconds_since(start), done = stop:done(), early = early, soon = soon }]])
  test.near(said.alone, 1e-3, 2e-5)
  test.near(said.both, 3e-3, 2e-5)
  test.equal(said.done, true)
  test.equal(said.early.kind, "usage")
  test.equal(said.soon.kind, "usage")
  test.truthy(said.soon.message:find "not reached yet", said.soon.message)
end)

test("a graph is captured once and launched as one; waiting in it is refused", function()
  local said = engine("kernel work 1000", GPU .. [[
    local x = gpu:alloc(8)
    local calls = 0
    local graph <close> = gpu:graph(function()
      calls = calls + 1
      work:launch { grid = 1, block = 1 }
      work:launch { grid = 1, block = 1 }
      x:zero()
    end)
    x:upload "12345678"
    graph:launch()
    graph:launch()
    local first = x:download()[1]
    local refused = raised(function() gpu:graph(function() gpu:synchronize() end) end)
    local raises = raised(function() gpu:graph(function() error "mine" end) end)
    graph:launch()  -- the stream is whole again
    gpu:synchronize()
    say { calls = calls, first = first, refused = refused, raises = raises }]])
  test.equal(said.calls, 1)
  test.equal(said.first, 0)
  test.equal(said.refused.kind, "usage")
  test.truthy(said.refused.message:find "captured", said.refused.message)
  test.truthy(said.raises.message:find "mine", said.raises.message)
  test.equal(count "cuGraphLaunch 3", 3)
end)

test("gemm multiplies row by row, in every type", function()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local result = {}
    for _, dtype in ipairs { "f32", "f16", "bf16" } do
      local a, b, c = gpu:alloc(6, dtype), gpu:alloc(12, dtype), gpu:alloc(8, dtype)
      a:upload { 1, 2, 3, 4, 5, 6 }                        -- 2 x 3
      b:upload { 1, 0, 0, 2, 0, 1, 0, 0, 0, 0, 1, 1 }      -- 3 x 4
      c:fill { 1 }
      gpu:gemm { m = 2, n = 4, k = 3, a = a, b = b, c = c, dtype = dtype, tf32 = true }
      local plain = c:download()
      gpu:gemm { m = 2, n = 4, k = 3, a = a, b = b, c = c, alpha = 2, beta = 1 }
      result[dtype] = { plain, c:download() }
    end
    local x, h = gpu:alloc(4, "f32"), gpu:alloc(4, "f16")
    result.small = raised(function() gpu:gemm { n = 3, a = x, b = x, c = x } end)
    result.types = raised(function() gpu:gemm { n = 2, a = x, b = h, c = x } end)
    result.dtype = raised(function() gpu:gemm { n = 2, a = x, b = x, c = x, dtype = "f16" } end)
    result.whole = raised(function() gpu:gemm { n = 2, a = gpu:alloc(4, "i32"), b = x, c = x } end)
    result.none = raised(function() gpu:gemm { n = 2, a = x, b = x } end)
    say(result)]])
  local product = { 1, 2, 3, 5, 4, 5, 6, 14 }
  for _, dtype in ipairs { "f32", "f16", "bf16" } do
    for i, value in ipairs(product) do
      test.equal(said[dtype][1][i] + 0.0, value + 0.0, dtype)
      test.equal(said[dtype][2][i] + 0.0, 3.0 * value, dtype .. " with alpha 2 and beta 1")
    end
  end
  for _, name in ipairs { "small", "types", "dtype", "whole", "none" } do test.equal(said[name].kind, "usage", name) end
  test.truthy(said.small.message:find "3 x 3 of f32, 36 bytes", said.small.message)
  test.equal(count "gemm_tf32", 1, "TF32 for f32 alone, and only where asked for")
end)

test("without cuBLAS gemm says what would help", function()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local x = gpu:alloc(4, "f32")
    say(raised(function() gpu:gemm { n = 2, a = x, b = x, c = x } end))]], { REGENGINE_CUBLAS = "/nowhere/libcublas.so" })
  test.equal(said.kind, "unavailable")
  test.truthy(said.hint:find "REGENGINE_CUBLAS", said.hint)
end)

test("a kernel that fails is a failed trial, in the driver's words", function()
  local said = engine("fail cuLaunchKernel 719 at 2", LAUNCH .. [[
    f()
    say { first = raised(f), after = raised(function() gpu:synchronize() end) }]])
  test.equal(said.first.kind, "failed_trial")
  test.truthy(said.first.message:find("cannot launch 'work': unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)", 1, true),
    said.first.message)
  test.equal(said.after.kind, "failed_trial")
end)

test("the profiler's range is started and stopped", function()
  engine("", "reg.cuda.profiler_start() reg.cuda.profiler_stop()")
  test.equal(count "^cuProfilerStart", 1)
  test.equal(count "^cuProfilerStop", 1)
end)

-- --- timing --------------------------------------------------------------------------------------------------------------
test("cold, hot and graph: what is timed, and what is reported", function()
  local said = engine("kernel work 1000 cold 250 noise 0.001", LAUNCH .. [[
    local result = {}
    for _, mode in ipairs { "cold", "hot", "graph" } do result[mode] = reg.cuda.time(f, { mode = mode]] .. SLOW .. [[ }) end
    local launch = work:bind { grid = 1, block = 32 }
    result.bound = reg.cuda.time(launch, { context = gpu]] .. SLOW .. [[ })
    result.bound_graph = reg.cuda.time(launch, { mode = "graph"]] .. SLOW .. [[ })
    say(result)]])
  for mode, median in pairs { cold = 1.25e-3, hot = 1e-3, graph = 1.25e-3, bound = 1.25e-3, bound_graph = 1.25e-3 } do
    local r = said[mode]
    test.near(r.median_s, median, 0.003 * median, mode)
    test.equal(r.stopped, "noise", mode)
    test.equal(r.mode, ({ bound = "cold", bound_graph = "graph" })[mode] or mode)
    test.equal(#r.samples_s, r.n)
    test.equal(r.discarded, 0)
    test.near(r.sm_mhz, 1980, 1, mode)
    test.truthy(r.min_s <= r.q1_s and r.q1_s <= r.median_s and r.median_s <= r.q3_s and r.q3_s <= r.max_s, "in order")
    test.truthy(r.stdev_rel < 0.005 and r.iqr_rel < 0.005, "quiet")
    test.truthy(r.n * r.batch * r.mean_s >= 0.5 and r.n >= 10, "half a second, and ten samples")
    test.truthy(r.n * r.batch * r.mean_s < 0.6, "and not much more")
  end
  test.equal(said.cold.batch, 1)
  test.truthy(said.hot.batch > 20 and said.hot.batch < 30, "batches of a twentieth of half a second: " .. said.hot.batch)
  test.equal(count "^DEADLOCK", 0)
end)

test("between the two events the host waits for nothing, and its launches are not timed", function()
  local said = engine("kernel work 10\nhost_us 50", GPU .. [[
    local function f() work:launch { grid = 1, block = 1 } work:launch { grid = 1, block = 1 } end
    say { held = reg.cuda.time(f, { stop = "count", n = 20 }).median_s,
          free = reg.cuda.time(f, { stop = "count", n = 20, block = false }).median_s }]])
  test.near(said.held, 20e-6, 1e-7, "two kernels, back to back")
  test.truthy(said.free > 60e-6, "unheld, the second one waits for the host: " .. said.free)

  -- Of each held region: what was called from its first event to its second.
  local regions, inside, held = 0, nil, false
  for _, line in ipairs(log_lines()) do
    if line:find "regengine_wait" then held = true end
    if line == "cuEventRecord" then
      if inside and held and #inside > 0 then  -- before the first region the timer warms its kernels up
        test.equal(table.concat(inside, ";"), "cuLaunchKernel work 1,1,1 1,1,1 0;cuLaunchKernel work 1,1,1 1,1,1 0")
        regions, held, inside = regions + 1, false, nil
      else
        inside = {}
      end
    elseif line:find "Synchronize" then
      inside = nil
    elseif inside then
      inside[#inside + 1] = line
    end
  end
  test.truthy(regions >= 20, regions .. " regions were looked at")
end)

test("samples at a throttled clock are discarded", function()
  local said = engine("kernel work 1000\nthrottle 10 14 0.5", LAUNCH ..
    'say(reg.cuda.time(f, { stop = "count", n = 30' .. SLOW .. " }))")
  test.equal(said.discarded, 5)
  test.equal(said.n, 30)
  test.near(said.max_s, 1e-3, 1e-6, "no slow one is left")
  test.near(said.sm_mhz, 1980, 1)
end)

test("the raw samples are there in their order, so a drift is seen", function()
  local said = engine("kernel work 1000 drift 0.001", LAUNCH .. 'say(reg.cuda.time(f, { stop = "count", n = 100 }))')
  test.equal(#said.samples_s, 100)
  for i = 2, 100 do test.near(said.samples_s[i] - said.samples_s[i - 1], 1e-6, 1e-8) end
end)

test("a clock that stays low is told, and accepted where it is meant", function()
  local said = engine("kernel work 1000\nclock 0.5", LAUNCH .. [[
    say { all = raised(function() reg.cuda.time(f, { timeout_s = 0.2 }) end),
          meant = reg.cuda.time(f, { clock_mhz = 990, stop = "count", n = 5 }) }]])
  test.equal(said.all.kind, "failed_trial")
  test.truthy(said.all.message:find "SM clock was 990 MHz, and 1980", said.all.message)
  test.truthy(said.all.hint:find "clock_mhz", said.all.hint)
  test.near(said.meant.median_s, 2e-3, 1e-6)
  test.near(said.meant.sm_mhz, 990, 1)
end)

test("a function that waits for the GPU is told at once", function()
  local said = engine("kernel work 1000", GPU .. [[
    local x = gpu:alloc(8)
    local calls = 0
    local function f()
      calls = calls + 1
      work:launch { grid = 1, block = 1 }
      if calls > 1 then x:download() end
    end
    local held = raised(function() reg.cuda.time(f, { stop = "count", n = 3 }) end)
    calls = 0
    say { held = held, free = reg.cuda.time(f, { stop = "count", n = 3, block = false }).n,
          nested = raised(function() reg.cuda.time(function() reg.cuda.time(f) end) end) }]])
  test.equal(said.held.kind, "usage")
  test.truthy(said.held.message:find("cuda.Buffer:download waits for the GPU", 1, true), said.held.message)
  test.truthy(said.held.hint:find "block = false", said.held.hint)
  test.equal(said.free, 3)
  test.equal(said.nested.kind, "usage")
  test.equal(count "^DEADLOCK", 0)
end)

test("a function that waits in a way nobody sees is found by the limit", function()
  local said = engine("kernel work 1000\nwait cuMemAlloc_v2", GPU .. [[
    local kept = {}
    local function f() work:launch { grid = 1, block = 1 } kept[#kept + 1] = gpu:alloc(16) end
    local held = raised(function() reg.cuda.time(f, { stop = "count", n = 3, block_limit_s = 7 }) end)
    say { held = held, free = reg.cuda.time(f, { stop = "count", n = 3, block = false }).n }]])
  test.equal(said.held.kind, "usage")
  test.truthy(said.held.message:find "held for 7 s", said.held.message)
  test.truthy(not said.held.message:find "\n", "one line")
  test.truthy(said.held.hint:find "block = false", said.held.hint)
  test.equal(said.free, 3)
  test.equal(count "^DEADLOCK", 1)
end)

test("what is freed within a held region is freed after it", function()
  local said = engine("kernel work 1000", GPU .. [[
    local again = reg.cuda.open()  -- the same GPU: freeing there waits for the work here
    local function f()
      work:launch { grid = 1, block = 1 }
      again:event():close()
      again:alloc(1000):close()
      for _ = 1, 3 do gpu:alloc(1000) end
      collectgarbage()
    end
    local before = gpu:memory().free_bytes
    local n = reg.cuda.time(f, { stop = "count", n = 5 }).n
    collectgarbage()
    collectgarbage()
    say { n = n, lost = before - gpu:memory().free_bytes }]])
  test.equal(said.n, 5)
  test.equal(said.lost, 0)
  test.equal(count "^DEADLOCK", 0)
end)

test("more launches than the driver's queue holds do not hang", function()
  local said = engine("kernel work 10", GPU .. [[
    local launch = work:bind { grid = 1, block = 1 }
    say(reg.cuda.time(function() launch:run(2000) end, { stop = "count", n = 3 }))]])
  test.equal(said.released_early, 3)
  test.near(said.median_s, 20e-3, 1e-4)
end)

test("a function that raises leaves the GPU free", function()
  local said = engine("kernel work 1000", LAUNCH .. [[
    local calls = 0
    local why = raised(function() reg.cuda.time(function()
      calls = calls + 1
      if calls == 3 then error("mine", 0) end
      f()
    end) end)
    say { why = why, calls = calls, after = reg.cuda.time(f, { stop = "count", n = 3 }).median_s }]])
  test.equal(said.why.message, "mine")
  test.equal(said.calls, 3)
  test.near(said.after, 1e-3, 1e-6)
end)

test("why it stopped", function()
  local said = engine("kernel work 2000 noise 0.05", LAUNCH .. [[
    say { noise = reg.cuda.time(f, { max_noise = 0.2]] .. SLOW .. [[ }), settled = reg.cuda.time(f, { ]] .. SLOW:sub(3) .. [[ }),
          count = reg.cuda.time(f, { stop = "count", n = 7 }), timeout = reg.cuda.time(f, { timeout_s = 0, max_noise = 0 }) }]])
  test.equal(said.noise.stopped, "noise")
  test.truthy(said.noise.n < said.settled.n or said.settled.n > 64, "settling takes longer")
  test.equal(said.settled.stopped, "settled")
  test.near(said.settled.stdev_rel, 0.05, 0.02)
  test.equal(said.count.stopped, "count")
  test.equal(said.count.n, 7)
  test.equal(said.timeout.stopped, "timeout")
  test.equal(said.timeout.n, 1)
  local steady = engine("kernel work 1000", LAUNCH .. 'say(reg.cuda.time(f, { stop = "entropy"' .. SLOW .. " }))")
  test.equal(steady.stopped, "entropy")
end)

test("a launch that fails while it is timed is a failed trial", function()
  local said = engine("kernel work 1000\nfail cuLaunchKernel 719 at 30", LAUNCH .. "say(raised(function() reg.cuda.time(f) end))")
  test.equal(said.kind, "failed_trial")
  test.truthy(said.message:find "unspecified launch failure", said.message)
end)

test("options that make no sense are refused", function()
  local said = engine("", LAUNCH .. [[
    local function try(what, options) return raised(function() reg.cuda.time(what, options) end) end
    say { unknown = try(f, { mod = "hot" }), mode = try(f, { mode = "warm" }), stop = try(f, { stop = "soon" }), what = try(5),
          n = try(f, { n = 0 }), timeout = try(f, { timeout_s = "soon" }), kernel = try(work), block = try(f, { block = 1 }) }]])
  for name, why in pairs(said) do test.equal(why.kind, "usage", name) end
  test.truthy(said.unknown.message:find "did you mean 'mode'", said.unknown.message)
end)

test("a dry run touches no GPU, and everything goes well", function()
  local said, run = engine("", [[
    local gpu <close> = reg.cuda.open()
    local work = gpu:load(PTX):kernel "work"
    local x <close> = gpu:alloc(4, "f32")
    x:upload { 1, 2, 3, 4 }
    x:fill { 1 }
    gpu:gemm { n = 2, a = x, b = x, c = x }
    local event = gpu:event()
    event:record()
    gpu:graph(function() work:launch { grid = 1, block = 1, args = { x } } end):launch()
    gpu:synchronize()
    reg.cuda.profiler_start()
    reg.cuda.profiler_stop()
    local time = reg.cuda.time(function() work:launch { grid = 1, block = 1 } end)
    say { dry = gpu.dry, n = #x:download(), time = time }]], { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" }, { "--dry-run" })
  said = said or reg.json.decode(run.stdout:match "{.*}")
  test.equal(said.dry, true)
  test.equal(said.n, 4)
  test.equal(said.time.dry, true)
  test.equal(said.time.n, 0)
end)

return test.finish()
