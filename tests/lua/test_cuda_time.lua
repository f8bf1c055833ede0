-- reg.cuda.time: what is timed, when it stops, and what it refuses.

local test = require "harness"
local fake = require "fake_cuda"
local engine, count = fake.engine, fake.count
local GPU, LAUNCH = fake.GPU, fake.LAUNCH
local SLOW = ", timeout_s = 600"

test("cold and hot: what is timed, and what is reported", function()
  local said = engine("kernel work 1000 cold 250 noise 0.001", LAUNCH .. [[
    local result = {}
    for _, mode in ipairs { "cold", "hot" } do
      result[mode] = reg.cuda.time(f, { mode = mode]] .. SLOW .. [[ })
    end
    result.bound = reg.cuda.time(work:bind { grid = 1, block = 32 }, { context = gpu]] .. SLOW .. [[ })
    say(result)]])
  for mode, median in pairs { cold = 1.25e-3, hot = 1e-3, bound = 1.25e-3 } do
    local r = said[mode]
    test.near(r.median_s, median, 0.003 * median, mode)
    test.equal(r.stopped, "noise", mode)
    test.equal({ r.mode, #r.samples_s }, { mode == "bound" and "cold" or mode, r.n })
    test.equal(r.discarded, 0)
    test.near(r.sm_mhz, 1980, 1, mode)
    test.truthy(r.min_s <= r.median_s and r.median_s <= r.max_s, "in order")
    test.truthy(r.stdev_rel < 0.005, "quiet")
    test.truthy(r.n * r.batch * r.mean_s >= 0.5 and r.n >= 10, "half a second, and ten samples")
    test.truthy(r.n * r.batch * r.mean_s < 0.6, "and not much more")
  end
  test.equal(said.cold.batch, 1)
  test.truthy(said.hot.batch > 20 and said.hot.batch < 30, "batches of a twentieth of half a second: "
    .. said.hot.batch)
  test.equal(count "^DEADLOCK", 0)
end)

test("between the two events the host waits for nothing, and its launches are not timed", function()
  local said = engine("kernel work 10\nhost_us 50", GPU .. [[
    local function f() work:launch { grid = 1, block = 1 } work:launch { grid = 1, block = 1 } end
    say { held = reg.cuda.time(f, { n = 20 }).median_s,
          free = reg.cuda.time(f, { n = 20, block = false }).median_s }]])
  test.near(said.held, 20e-6, 1e-7, "two kernels, back to back")
  test.truthy(said.free > 60e-6, "unheld, the second one waits for the host: " .. said.free)

  -- Of each held region: what was called from its first event to its second.
  local regions, inside, held = 0, nil, false
  for _, line in ipairs(fake.log_lines()) do
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

test("samples at a throttled clock are discarded; where they were many, the result says so", function()
  local function throttled(upto)
    return engine("kernel work 1000\nthrottle 10 " .. upto .. " 0.5", LAUNCH ..
      'say(reg.cuda.time(f, { n = 30, clock_mhz = 1980' .. SLOW .. " }))")
  end
  local said = throttled(14)
  test.equal({ said.discarded, said.n }, { 5, 30 })
  test.near(said.max_s, 1e-3, 1e-6, "no slow one is left")
  test.near(said.sm_mhz, 1980, 1)
  said = throttled(29)
  test.equal({ said.discarded, said.doubt },
    { 20, "40 % of the samples were discarded: the SM clock was below 75 % of 1980 MHz" })
end)

test("the expected clock is that of the engine's own lock", function()
  local hex = reg.process.run({ shell = "tr -d - </proc/sys/kernel/random/uuid" }).stdout:gsub("%s", "")
  local uuid = hex:gsub("^(........)(....)(....)(....)", "GPU-%1-%2-%3-%4-")
  reg.fs.write("nvml.txt", "gpu0.uuid=" .. uuid .. "\n")
  local said = engine("device uuid " .. hex .. "\nkernel work 1000\nclock 0.5", LAUNCH .. [[
    local function locked_at(mhz)
      local clocks <close> = reg.gpu.lock { sm = mhz }
      return raised(function() reg.cuda.time(f, { n = 5, timeout_s = 0.5 }) end)
    end
    say { high = locked_at(1980), low = locked_at(990) }]], {
    REGENGINE_NVML = fake.FOLDER .. "/nvml.so", REGENGINE_FAKE_NVML = reg.fs.absolute "nvml.txt" })
  reg.process.run { shell = "rm -f /run/lock/regengine-" .. uuid .. "*.lock /tmp/regengine-" .. uuid .. "*.lock" }
  test.has(said.high.message, "SM clock was 990 MHz instead of 1980 MHz")
  test.equal(said.low.kind, "nothing")
end)

test("the raw samples are there in their order, so a drift is seen", function()
  local said = engine("kernel work 1000 drift 0.001", LAUNCH .. 'say(reg.cuda.time(f, { n = 100 }))')
  test.equal(#said.samples_s, 100)
  for i = 2, 100 do test.near(said.samples_s[i] - said.samples_s[i - 1], 1e-6, 1e-8) end
  local first, deviation = said.samples_s[1], 1e-6 * math.sqrt(100 * 101 / 12)  -- of a hundred numbers, a step apart
  for name, steps in pairs { min_s = 0, median_s = 49.5, mean_s = 49.5, max_s = 99 } do
    test.near(said[name], first + steps * 1e-6, 2e-8, name)
  end
  test.near(said.stdev_rel, deviation / said.mean_s, 1e-4)
end)

test("a clock that stays low is told, and accepted where it is meant", function()
  local said = engine("kernel work 1000\nclock 0.5", LAUNCH .. [[
    say { all = raised(function() reg.cuda.time(f, { timeout_s = 0.2, clock_mhz = 1980 }) end),
          any = reg.cuda.time(f, { n = 5 }),
          meant = reg.cuda.time(f, { clock_mhz = 990, n = 5 }) }]])
  test.equal(said.all.kind, "failed_trial")
  test.has(said.all.message, "SM clock was 990 MHz instead of 1980 MHz")
  test.has(said.all.hint, "clock_mhz = 0")
  -- T4, L4 and PCIe cards never reach their highest clock under a load: without a lock no clock is expected.
  test.equal({ said.any.n, said.any.discarded, said.any.doubt }, { 5, 0, nil })
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
    local held = raised(function() reg.cuda.time(f, { n = 3 }) end)
    calls = 0
    say { held = held, free = reg.cuda.time(f, { n = 3, block = false }).n,
          nested = raised(function() reg.cuda.time(function() reg.cuda.time(f) end) end) }]])
  test.equal(said.held.kind, "usage")
  test.has(said.held.message, "cuda.Buffer:download waits for the GPU")
  test.has(said.held.hint, "block = false")
  test.equal({ said.free, said.nested.kind }, { 3, "usage" })
  test.equal(count "^DEADLOCK", 0)
end)

test("a function that waits in a way nobody sees is found by the limit", function()
  local said = engine("kernel work 1000\nwait cuMemAlloc_v2", GPU .. [[
    local kept = {}
    local function f() work:launch { grid = 1, block = 1 } kept[#kept + 1] = gpu:alloc(16) end
    local held = raised(function() reg.cuda.time(f, { n = 3, block_limit_s = 7 }) end)
    say { held = held, free = reg.cuda.time(f, { n = 3, block = false }).n }]])
  test.equal(said.held.kind, "usage")
  test.has(said.held.message, "held for 7 s")
  test.truthy(not said.held.message:find "\n", "one line")
  test.has(said.held.hint, "block = false")
  test.equal(said.free, 3)
  test.equal(count "^DEADLOCK", 1)
end)

test("what is freed within a held region is freed after it", function()
  test.equal(engine("device memory 1000000 l2 1000\nkernel work 1000", GPU .. [[
    local again = reg.cuda.open()  -- the same GPU: freeing there waits for the work here
    local function f()
      work:launch { grid = 1, block = 1 }
      again:event():close()
      again:alloc(1000):close()
      for _ = 1, 3 do gpu:alloc(1000) end
      collectgarbage()
    end
    local n = reg.cuda.time(f, { n = 5 }).n
    collectgarbage()
    collectgarbage()
    gpu:alloc(1000000):close()  -- all there is
    say { n = n }]]), { n = 5 })
  test.equal(count "^DEADLOCK", 0)
end)

test("more launches than the driver's queue holds do not hang", function()
  local said = engine("kernel work 10", GPU .. [[
    local launch = work:bind { grid = 1, block = 1 }
    say(reg.cuda.time(function() launch:run(2000) end, { n = 3 }))]])
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
    say { why = why, calls = calls, after = reg.cuda.time(f, { n = 3 }).median_s }]])
  test.equal({ said.why.message, said.calls }, { "mine", 3 })
  test.near(said.after, 1e-3, 1e-6)
end)

test("why it stopped", function()
  local said = engine("kernel work 2000 noise 0.05", LAUNCH .. [[
    say { noise = reg.cuda.time(f, { max_noise = 0.2]] .. SLOW .. [[ }),
          settled = reg.cuda.time(f, { ]] .. SLOW:sub(3) .. [[ }),
          count = reg.cuda.time(f, { n = 7 }),
          timeout = reg.cuda.time(f, { timeout_s = 0, max_noise = 0 }) }]])
  test.equal(said.noise.stopped, "noise")
  test.truthy(said.noise.n < said.settled.n or said.settled.n > 64, "settling takes longer")
  test.equal(said.settled.stopped, "settled")
  test.near(said.settled.stdev_rel, 0.05, 0.02)
  test.equal({ said.count.stopped, said.count.n, said.timeout.stopped, said.timeout.n }, { "count", 7, "timeout", 1 })
end)

test("a launch that fails while it is timed is a failed trial", function()
  local said = engine("kernel work 1000\nfail cuLaunchKernel 719 at 30", LAUNCH
    .. "say(raised(function() reg.cuda.time(f) end))")
  test.equal(said.kind, "failed_trial")
  test.has(said.message, "unspecified launch failure")
end)

test("options that make no sense are refused", function()
  local said = engine("", LAUNCH .. [[
    local function try(what, options) return raised(function() reg.cuda.time(what, options) end) end
    say { unknown = try(f, { mod = "hot" }), mode = try(f, { mode = "warm" }),
          what = try(5),
          n = try(f, { n = 0 }), timeout = try(f, { timeout_s = "soon" }), kernel = try(work),
          block = try(f, { block = 1 }) }]])
  for name, why in pairs(said) do test.equal(why.kind, "usage", name) end
  test.has(said.unknown.message, "did you mean 'mode'")
end)

return test.finish()
