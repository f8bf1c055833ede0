-- reg.cuda as scripts use it: GPUs, memory and work. Compiling and timing have files of their own.

local test = require "harness"
local fake = require "fake_cuda"
local engine, count = fake.engine, fake.count
local GPU, LAUNCH = fake.GPU, fake.LAUNCH

-- --- what is there --------------------------------------------------------------------------------------------------
test("without a driver each function says so in the words of status", function()
  local said = engine("", [[
    local status = reg.cuda.status()
    say { status = status, open = raised(reg.cuda.open), devices = raised(reg.cuda.devices), time = raised(function()
      reg.cuda.time(function() end) end) }]],
    { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" })
  local message, hint = said.status.message, said.status.hint
  test.truthy(not said.status.ok and message:find "^no GPU: /nowhere/libcuda.so.1[^\n]*$" and #hint > 0, message)
  for _, name in ipairs { "open", "devices" } do test.equal(said[name], { kind = "unavailable", message = message, hint = hint }) end
  test.has(said.time.message, "no GPU is open")
end)

test("a driver without a GPU, and the toolkit's stub, are no GPU", function()
  for state, words in pairs { ["devices 0"] = { "sees none", "" }, ["fail cuInit 34"] = { "stub", "stubs" } } do
    local status = engine(state, "say(reg.cuda.status())")
    test.truthy(not status.ok and status.message:find(words[1]) and status.hint:find(words[2]), status.message)
  end
end)

test("the GPUs are listed as the driver knows them", function()
  local device = "device name Fake_H100 cc 9.0 sms 132 clock_mhz 1980 l2 52428800 memory 85899345920"
  local said = engine("devices 2\n" .. device, [[
    say { ok = reg.cuda.status().ok, devices = reg.cuda.devices(), versions = reg.cuda.versions(),
      open = raised(function() reg.cuda.open(2) end) }]])
  test.equal({ said.ok, #said.devices }, { true, 2 })
  test.equal(said.devices[2], { index = 1, name = "Fake H100", uuid = "GPU-01112131-4151-6171-8191-a1b1c1d1e1f1",
    pci_id = "0000:02:00.0", arch = "sm_90", memory_bytes = 85899345920, l2_bytes = 52428800, multiprocessors = 132,
    clock_mhz = 1980.0 })
  test.equal({ said.versions.driver, said.versions.cublas, said.open.kind }, { "13.0", "13.0.2", "not_found" })
end)

-- --- memory ---------------------------------------------------------------------------------------------------------
test("buffers hold what was uploaded, in every type", function()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local result = {}
    for dtype, values in pairs { f64 = { 0.1, -2 }, f32 = { 0.5, -2 }, f16 = { 0.5, 65504 }, bf16 = { 0.5, -3 }, i64 = { -5, 1 << 40 },
        i32 = { -5, 7 }, i16 = { -32768, 7 }, i8 = { -128, 127 }, u64 = { 5, 7 }, u32 = { 4294967295, 7 }, u16 = { 65535, 7 },
        u8 = { 255, 0 } } do
      local buffer <close> = gpu:alloc(2, dtype)
      buffer:upload(values)
      result[dtype] = { got = buffer:download(), wanted = values, bytes = buffer.bytes, n = buffer.n, dtype = buffer.dtype }
    end
    say(result)]])
  for dtype, r in pairs(said) do
    test.equal({ r.bytes, r.dtype, r.n }, { 2 * math.tointeger(dtype:match "%d+") // 8, dtype, 2 })
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
    local raw = x:download_bytes()
    x:zero()
    local zeros = x:download()
    x:close()
    x:close()
    gpu:alloc(1000000):close()  -- all there is: nothing was lost
    say { filled = filled, raw = { raw:byte(1, 3) }, size = #raw, zeros = zeros,
          closed = raised(function() x:download() end),
          long = raised(function() gpu:alloc(1, "i8"):upload { 1, 2 } end),
          range = raised(function() gpu:alloc(1, "i8"):upload { 128 } end), none = raised(function() gpu:alloc(0) end),
          part = raised(function() gpu:alloc(1, "i8"):upload { 0.5 } end),
          type = raised(function() gpu:alloc(1, "i7") end),
          oom = raised(function() gpu:alloc(1000001) end) }]])
  test.equal({ said.filled, said.raw, said.size }, { { 1, 2, 3, 1, 2, 3, 1 }, { 9, 0, 2 }, 14 })
  test.equal(said.zeros, { 0, 0, 0, 0, 0, 0, 0 })
  for _, name in ipairs { "closed", "long", "range", "none", "part", "type" } do
    test.equal(said[name].kind, "usage", name)
  end
  test.equal(said.oom.kind, "failed_trial")
  test.has(said.oom.message, "allocate 1000001 bytes on GPU 0: out of memory")
end)

-- --- work -----------------------------------------------------------------------------------------------------------
test("launches carry grid, block, shared memory and checked arguments", function()
  local said = engine("kernel work 10 params 8,4,8", GPU .. [[
    local x = gpu:alloc(4, "f32")
    local function launch(args)
      work:launch { grid = { 2, 3 }, block = { 4, 5, 6 }, shared_bytes = 65536, args = args }
    end
    launch { x, { i32 = 5 }, { f64 = 0.5 } }
    say { few = raised(function() launch { x } end),
          size = raised(function() launch { x, { i64 = 5 }, { f64 = 1 } } end),
          bare = raised(function() launch { x, 5, { f64 = 1 } } end),
          no = raised(function() work:launch { grid = 1 } end),
          zero = raised(function() work:launch { grid = 0, block = 1 } end),
          word = raised(function() work:launch { grid = 1, block = 1, shared = 5 } end) }]])
  test.equal(count "cuLaunchKernel work 2,3,1 4,5,6 65536", 1)
  test.equal(count "cuFuncSetAttribute 8 65536", 1)
  test.has(said.few.message, "'work' takes 3 arguments, and 1 were given")
  test.has(said.size.message, "argument 2 of 'work' has 4 bytes, and 8 were given")
  test.has(said.bare.hint, "i32")
  for name, error in pairs(said) do test.equal(error.kind, "usage", name) end
end)

test("events have the GPU's own clock", function()
  local said = engine("kernel work 1000", GPU .. [[
    local start, stop = gpu:event(), gpu:event()
    local early = raised(function() stop:seconds_since(start) end)
    start:record()
    work:launch { grid = 1, block = 1 }
    stop:record()
    local soon = raised(function() stop:seconds_since(start) end)
    stop:synchronize()
    say { seconds = stop:seconds_since(start), early = early, soon = soon }]])
  test.near(said.seconds, 1e-3, 2e-5)
  test.equal({ said.early.kind, said.soon.kind }, { "usage", "usage" })
  test.has(said.soon.message, "not reached yet")
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
      gpu:gemm { m = 2, n = 4, k = 3, a = a, b = b, c = c, tf32 = true }
      result[dtype] = c:download()
    end
    local x, h = gpu:alloc(4, "f32"), gpu:alloc(4, "f16")
    result.small = raised(function() gpu:gemm { n = 3, a = x, b = x, c = x } end)
    result.types = raised(function() gpu:gemm { n = 2, a = x, b = h, c = x } end)
    result.whole = raised(function() gpu:gemm { n = 2, a = gpu:alloc(4, "i32"), b = x, c = x } end)
    result.none = raised(function() gpu:gemm { n = 2, a = x, b = x } end)
    say(result)]])
  local product = { 1, 2, 3, 5, 4, 5, 6, 14 }
  for _, dtype in ipairs { "f32", "f16", "bf16" } do
    for i, value in ipairs(product) do test.equal(said[dtype][i] + 0.0, value + 0.0, dtype) end
  end
  for _, name in ipairs { "small", "types", "whole", "none" } do test.equal(said[name].kind, "usage", name) end
  test.has(said.small.message, "3 x 3 of f32, 36 bytes")
  test.equal(count "gemm_tf32", 1, "TF32 for f32 alone, and only where asked for")
end)

test("without cuBLAS gemm says what would help", function()
  local said = engine("", [[
    local gpu <close> = reg.cuda.open()
    local x = gpu:alloc(4, "f32")
    say(raised(function() gpu:gemm { n = 2, a = x, b = x, c = x } end))]],
    { REGENGINE_CUBLAS = "/nowhere/libcublas.so" })
  test.equal(said.kind, "unavailable")
  test.has(said.hint, "REGENGINE_CUBLAS")
end)

test("a kernel that fails is a failed trial, in the driver's words", function()
  local said = engine("fail cuLaunchKernel 719 at 2", LAUNCH .. [[
    f()
    say { first = raised(f), after = raised(function() gpu:synchronize() end) }]])
  test.equal(said.first.kind, "failed_trial")
  test.has(said.first.message, "cannot launch 'work': unspecified launch failure (CUDA_ERROR_LAUNCH_FAILED)")
  test.equal(said.after.kind, "failed_trial")
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
    work:launch { grid = 1, block = 1, args = { x } }
    gpu:synchronize()
    local time = reg.cuda.time(function() work:launch { grid = 1, block = 1 } end)
    say { dry = gpu.dry, n = #x:download(), time = time }]],
    { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" }, { "--dry-run" })
  said = said or reg.json.decode(run.stdout:match "{.*}")
  test.equal({ said.dry, said.n, said.time.dry, said.time.n }, { true, 4, true, 0 })
end)

test("the newest cuBLAS that the driver supports", function()
  -- tests/lua/test_cuda_compile.lua has the wheels of a virtual environment.
  fake.place("cublas", { "toolkit/libcublas.so.13", "toolkit/libcublas.so.12" })
  local code = [[
    local gpu <close> = reg.cuda.open()
    local a, b, c = gpu:alloc(4, "f32"), gpu:alloc(4, "f32"), gpu:alloc(4, "f32")
    local why = raised(function() gpu:gemm { n = 1, a = a, b = b, c = c } end)
    say { why.kind == "nothing" and reg.cuda.versions().cublas or why.kind .. ": " .. why.message, why.hint }]]
  local function with(driver, env)
    env.REGENGINE_CUBLAS = ""
    return engine("driver " .. driver, code, env)
  end
  test.equal(with(13000, { LD_LIBRARY_PATH = reg.fs.absolute "toolkit" })[1], "13.0.2")
  test.equal(with(12040, { LD_LIBRARY_PATH = reg.fs.absolute "toolkit" })[1], "12.0.2", "the newer one does not start")
  local none = with(12040, {})
  if not none[1]:find "^unavailable" then test.skip "this machine has a cuBLAS of its own" end
  test.has(none[2], "pip install nvidia-cublas-cu12")
  none = with(13000, {})
  if none[1]:find "^unavailable" then test.truthy(none[2]:find("pip install nvidia-cublas,", 1, true), none[2]) end
end)

test("GPUs are numbered as nvidia-smi does, unless CUDA_DEVICE_ORDER says otherwise", function()
  local code = [[
    local ids = {}
    for i, device in ipairs(reg.cuda.devices()) do ids[i] = device.pci_id end
    ids[3] = reg.process.run({ shell = 'echo "order $CUDA_DEVICE_ORDER"' }).stdout
    say(ids)]]
  local first, second = "0000:01:00.0", "0000:02:00.0"
  test.equal(engine("devices 2\norder reversed", code), { first, second, "order \n" })
  test.equal(engine("devices 2\norder reversed", code, { CUDA_DEVICE_ORDER = "FASTEST_FIRST" }),
    { second, first, "order FASTEST_FIRST\n" })
  -- A program that gets GPUs by their numbers counts them in the same way.
  local numbered = [[
    reg.fs.mkdir "image"
    local runner <close> = reg.runner { folders = { "." }, options = { gpus = "1" } }
    local line = 'echo "$CUDA_VISIBLE_DEVICES $CUDA_DEVICE_ORDER"'
    say { reg.container.run({ image = "image", runtime = "local", gpus = "1", shell = line }).stdout,
      reg.process.run(runner:command(line)).stdout }]]
  test.equal(engine("", numbered), { "1 PCI_BUS_ID\n", "1 PCI_BUS_ID\n" })
  test.equal(engine("", numbered, { CUDA_DEVICE_ORDER = "FASTEST_FIRST" }), { "1 FASTEST_FIRST\n", "1 FASTEST_FIRST\n" })
end)

return test.finish()
