-- reg.cuda.compile and what is loaded of it. NVRTC is the real one, where it is.

local test = require "harness"
local fake = require "fake_cuda"
local engine = fake.engine

local NO_DRIVER = { REGENGINE_LIBCUDA = "/nowhere/libcuda.so.1" }

local function need_nvrtc()
  if not engine("", "say(reg.cuda.versions())").nvrtc then
    test.skip "NVRTC is not here (CUDA Toolkit): compiling is not tested"
  end
end

test("NVRTC compiles to the exact architecture, without a driver", function()
  need_nvrtc()
  local said = engine("", [[
    local source = 'extern "C" __global__ void set(int* x) { int unused; x[threadIdx.x] = 42; }'
    local cubin = reg.cuda.compile(source, { arch = "sm_90" })
    local ptx = reg.cuda.compile(source, { arch = "compute_80" })
    say { elf = cubin.image:sub(2, 4), log = cubin.log, arch = cubin.arch, ptx = ptx.image }]], NO_DRIVER)
  test.equal({ said.elf, said.arch }, { "ELF", "sm_90" })
  test.truthy(said.log:find "unused", "the warning is in the log: " .. said.log)
  test.truthy(said.ptx:find "%.target sm_80", "PTX")
end)

test("a source that does not compile is told with its lines", function()
  need_nvrtc()
  local said = engine("", [[
    say { source = raised(function() reg.cuda.compile("\n\nint x = y;", { arch = "sm_90", name = "mine.cu" }) end),
          arch = raised(function() reg.cuda.compile("", { arch = "90" }) end),
          old = raised(function() reg.cuda.compile("", { arch = "sm_10" }) end),
          none = raised(function() reg.cuda.compile("") end) }]], NO_DRIVER)
  test.equal(said.source.kind, "usage")
  test.has(said.source.message, "mine.cu(3): error", '"y" is undefined')
  test.equal({ said.arch.kind, said.old.kind }, { "usage", "usage" })
  test.equal(said.none.kind, "unavailable", "without an arch it is the GPU's")
end)

test("without NVRTC compiling says what would help, and timing works", function()
  local said = engine("kernel work 1000", fake.LAUNCH .. [[
    say { compile = raised(function() reg.cuda.compile("", { arch = "sm_90" }) end),
          version = reg.cuda.versions().nvrtc,
          time = reg.cuda.time(f, { n = 3 }).median_s }]], { REGENGINE_NVRTC = "/nowhere/libnvrtc.so" })
  test.equal(said.compile.kind, "unavailable")
  test.has(said.compile.hint, "REGENGINE_NVRTC")
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
  test.has(said.name.hint, 'extern "C"')
  test.equal(said.bytes.kind, "corrupt")
  test.truthy(said.bytes.message:find "device kernel image is invalid", "the driver's own words: "
    .. said.bytes.message)
end)

test("the NVRTC is one that the driver supports; only a newer one is a clear error", function()
  fake.place("nvrtc", { "both/libnvrtc.so.13", "both/libnvrtc.so.12", "newer/libnvrtc.so.13" })
  local function with(driver, folder, more)
    local env = test.merged({ REGENGINE_NVRTC = "", LD_LIBRARY_PATH = reg.fs.absolute(folder) }, more)
    return engine("driver " .. driver, [[
      local why = raised(function() reg.cuda.compile("", { arch = "sm_90" }) end)
      say { version = reg.cuda.versions().nvrtc, kind = why.kind, message = why.message, hint = why.hint }]], env)
  end
  test.equal({ with(13000, "both").version, with(12040, "both").version }, { "13.0", "12.0" })
  test.equal(with(12040, "both").kind, "nothing")
  test.equal({ with(12040, "both", NO_DRIVER).version, with(12040, "newer", NO_DRIVER).kind }, { "13.0", "nothing" })
  local newer = with(12040, "newer")
  if newer.version ~= "13.0" then test.skip "this machine has an NVRTC of its own" end
  test.equal(newer.kind, "unavailable")
  test.has(newer.message, "NVRTC 13.0 is newer than the GPU driver supports: CUDA 12.4")
  test.has(newer.hint, "pip install nvidia-cuda-nvrtc-cu12")
end)

test("NVRTC and cuBLAS are found in the wheels of VIRTUAL_ENV, else of the Python that is first on PATH", function()
  local wheels = "/lib/python3.12/site-packages/nvidia"
  fake.place("nvrtc", { "venv" .. wheels .. "/cuda_nvrtc/lib/libnvrtc.so.12", "venv" .. wheels .. "/cu13/lib/libnvrtc.so.13" })
  fake.place("cublas", { "venv" .. wheels .. "/cublas/lib/libcublas.so.12", "venv" .. wheels .. "/cu13/lib/libcublas.so.13" })
  reg.process.run { shell = "mkdir -p venv/bin empty/bin other && ln -sf /bin/true venv/bin/python3" }
  local venv, here = reg.fs.absolute "venv", reg.fs.absolute "."
  local function with(driver, env)
    env.REGENGINE_NVRTC, env.REGENGINE_CUBLAS = "", ""
    env.PATH = (env.PATH and here .. "/other:" .. env.PATH .. ":" or "") .. "/usr/bin:/bin"
    local found = engine("driver " .. driver, "local gpu <close> = reg.cuda.open() say(reg.cuda.versions())", env)
    return { found.nvrtc or false, found.cublas or false }
  end
  test.equal(with(12040, { VIRTUAL_ENV = venv }), { "12.0", "12.0.2" })
  test.equal(with(12040, { PATH = venv .. "/bin" }), { "12.0", "12.0.2" })
  test.equal(with(13000, { VIRTUAL_ENV = venv }), { "13.0", "13.0.2" })
  test.equal(with(13000, { PATH = venv .. "/bin" }), { "13.0", "13.0.2" })
  test.equal(with(12040, { PATH = here .. "/empty/bin" }), with(12040, {}), "the Python that is found is the system's")
end)

test("NVRTC bears a driver beside it, found by the loader", function()
  need_nvrtc()  -- it looks for a libcuda.so.1 of its own accord, and calls what it finds
  reg.process.run { shell = 'mkdir -p lib && ln -sf "' .. fake.FOLDER .. '/cuda.so" lib/libcuda.so.1' }
  local said = engine("", [[say { ok = reg.cuda.status().ok,
    elf = reg.cuda.compile("extern \"C\" __global__ void f() {}").image:sub(2, 4) }]],
    { REGENGINE_LIBCUDA = "", LD_LIBRARY_PATH = "lib" })
  test.equal({ said.ok, said.elf }, { true, "ELF" })
end)

return test.finish()
