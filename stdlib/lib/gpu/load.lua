-- Loads GPUs, to find and lock the clock that they hold, and to warm them up: with cuBLAS's products of matrices, which
-- draw most power. Without it, by PTX, which every driver finishes for its GPU: products in the tensor cores, whose
-- bits change from one to the next; or, without such cores, chains of multiply-add, each two of which go around a
-- circle, by an angle that differs between threads. Numbers that settle, or zeros, cost less power.

local native = core.nouns.machine
local values_of = require "lib/values"
local find = values_of.find

-- The frame of both kernels. It stores the sum where that is -1, which it never is: the driver must not see that.
local FRAME = [[
.version $version
.target $target
.address_size 64

.visible .entry regengine_heat(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %p<3>;
  .reg .b32 %left, %thread;
  .reg .b64 %at;
  $registers

  ld.param.u64 %at, [out];
  ld.param.u32 %left, [rounds];
  mov.u32 %thread, %tid.x;
$begin
AGAIN:
$round
  sub.u32 %left, %left, 1;
  setp.ne.u32 %p1, %left, 0;
  @%p1 bra AGAIN;
$finish
  setp.eq.f32 %p2, %sum, 0fBF800000;
  cvta.to.global.u64 %at, %at;
  @%p2 st.global.f32 [%at], %sum;
  ret;
}
]]

local CHAINS = { version = "6.0", target = "sm_50", registers = ".reg .f32 %a<8>, %x, %y, %sum;", begin = [[
  cvt.rn.f32.u32 %x, %thread;  mul.f32 %x, %x, 0f3A83126F;  add.f32 %x, %x, 0f3F000000;  neg.f32 %y, %x;
  mov.f32 %a0, %x;             add.f32 %a1, %a0, %x;        add.f32 %a2, %a1, %x;        add.f32 %a3, %a2, %x;
  add.f32 %a4, %a3, %x;        add.f32 %a5, %a4, %x;        add.f32 %a6, %a5, %x;        add.f32 %a7, %a6, %x;]],
  round = [[
  fma.rn.f32 %a0, %a1, %x, %a0;  fma.rn.f32 %a2, %a3, %x, %a2;  fma.rn.f32 %a4, %a5, %x, %a4;
  fma.rn.f32 %a6, %a7, %x, %a6;  fma.rn.f32 %a1, %a0, %y, %a1;  fma.rn.f32 %a3, %a2, %y, %a3;
  fma.rn.f32 %a5, %a4, %y, %a5;  fma.rn.f32 %a7, %a6, %y, %a7;]],
  finish = [[
  add.f32 %a0, %a0, %a1;  add.f32 %a2, %a2, %a3;  add.f32 %a4, %a4, %a5;  add.f32 %a6, %a6, %a7;
  add.f32 %a0, %a0, %a2;  add.f32 %a4, %a4, %a6;  add.f32 %sum, %a0, %a4;]] }

local PRODUCTS_16 = { version = "7.0", target = "sm_80", registers = ".reg .b32 %a<4>, %b<2>; .reg .f32 %c<16>, %sum;",
  begin = [[
  mul.lo.u32 %thread, %thread, 0x9E3779B1;  and.b32 %thread, %thread, 0x83FF83FF;  or.b32 %a0, %thread, 0x34003400;
  xor.b32 %a1, %a0, 0x81558155;  xor.b32 %a2, %a0, 0x02AA02AA;  xor.b32 %a3, %a0, 0x80F080F0;
  xor.b32 %b0, %a0, 0x010F810F;  xor.b32 %b1, %a0, 0x83330333;
  mov.f32 %c0, 0f00000000;  mov.f32 %c1, %c0;  mov.f32 %c2, %c0;  mov.f32 %c3, %c0;
  mov.f32 %c4, %c0;  mov.f32 %c5, %c0;  mov.f32 %c6, %c0;  mov.f32 %c7, %c0;
  mov.f32 %c8, %c0;  mov.f32 %c9, %c0;  mov.f32 %c10, %c0; mov.f32 %c11, %c0;
  mov.f32 %c12, %c0; mov.f32 %c13, %c0; mov.f32 %c14, %c0; mov.f32 %c15, %c0;]],
  round = [[
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c0,%c1,%c2,%c3}, {%a0,%a1,%a2,%a3}, {%b0,%b1}, {%c0,%c1,%c2,%c3};
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c4,%c5,%c6,%c7}, {%a1,%a2,%a3,%a0}, {%b1,%b0}, {%c4,%c5,%c6,%c7};
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c8,%c9,%c10,%c11}, {%a2,%a3,%a0,%a1}, {%b0,%b1},
    {%c8,%c9,%c10,%c11};
  mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%c12,%c13,%c14,%c15}, {%a3,%a0,%a1,%a2}, {%b1,%b0},
    {%c12,%c13,%c14,%c15};
  xor.b32 %b0, %b0, 0x82D502D5;  xor.b32 %b1, %b1, 0x012A812A;]],
  finish = "  add.f32 %c0, %c0, %c4;  add.f32 %c8, %c8, %c12;  add.f32 %sum, %c0, %c8;" }

local THREADS, BLOCKS_PER_SM = 256, 8
local ROUNDS = 200000  -- about 20 ms on an H100: 11 instructions of 64 warps in each round, four a cycle
local TENSOR_ROUNDS = 100000
local FIRST_TENSOR = 80  -- sm_80
local SIZE, PRODUCTS = 8192, 10  -- 16 ms

-- A function that queues the work of some ten milliseconds.
local function load_of(gpu, device)
  local has_tensor = tonumber(device.arch:match "%d+") >= FIRST_TENSOR
  if has_tensor and reg.cuda.versions().cublas then
    local numbers = {}
    for i = 1, 65521 do numbers[i] = i * 0.618034 % 1 - 0.5 end
    local function matrix() return gpu:alloc(SIZE * SIZE, "bf16") end
    local a, b, c = matrix(), matrix(), matrix()
    a:fill(numbers)
    b:fill(numbers)
    return function()
      for _ = 1, PRODUCTS do gpu:gemm { n = SIZE, a = a, b = b, c = c } end
    end
  end
  local out, ptx = gpu:alloc(1, "f32"), FRAME:gsub("%$(%w+)", has_tensor and PRODUCTS_16 or CHAINS)
  local kernel = gpu:load(ptx):kernel "regengine_heat"
  local launch = { grid = device.multiprocessors * BLOCKS_PER_SM, block = THREADS,
    args = { out, { i32 = has_tensor and TENSOR_ROUNDS or ROUNDS } } }
  return function() kernel:launch(launch) end
end

-- A function that queues work for some ten milliseconds on this context of a device, and one that waits for what was
-- queued before that: the GPU has work while the caller looks at it or sleeps for a moment.
local function work_for(gpu, device)
  local queue = load_of(gpu, device)
  local last, before = nil, nil  -- events after the work of the last two calls
  return function()
    queue()
    queue()
    last, before = before or gpu:event(), last
    last:record()
  end, function()
    if before then before:synchronize() end
  end
end

local HOLD_S = 60
local PARTS = 12         -- of that time, so that a clock that does not hold is left early
local TRIES = 8
local TOLERANCE = 0.02   -- of the clock

local function keep_busy(one, seconds)
  local started = core.seconds()
  repeat
    one.queue()
    one.wait()
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
  until core.seconds() - started >= seconds
end

-- Whether the GPU holds this clock; if not, the lowest at which it ran, nil if the driver does not tell.
local function holds(one, mhz)
  local _ <close> = reg.gpu.lock { sm = mhz, device = one.device.uuid, required = true }
  if not one.told then
    reg.log.info("trying which clock GPU %d holds under a load, from this one down: this takes a few minutes, once",
      one.index)
  end
  one.told = true  -- now, since the driver permits it
  keep_busy(one, HOLD_S / 60)  -- a clock takes a moment to rise from that of an idle GPU
  for _ = 1, PARTS do
    local monitor <close> = reg.gpu.monitor { device = one.device.uuid, period_s = "50ms" }
    keep_busy(one, HOLD_S / PARTS)
    local seen = monitor:stop()
    local ran = seen.busy_sm_mhz
    if seen.throttled or ran and ran.min < mhz * (1 - TOLERANCE) then return false, ran and ran.min end
  end
  return true
end

-- The highest clock that a GPU of reg.gpu.list holds.
local function find_clock(listed)
  local device = find(reg.cuda.devices(), function(device) return device.uuid == listed.uuid end)
    or core.fail("unavailable", "CUDA does not see the GPU " .. listed.uuid, "Pass a clock in MHz.")
  local gpu <close> = reg.cuda.open(device.index)
  local one, supported = { device = device, index = listed.index }, listed.sm_supported_mhz or {}
  one.queue, one.wait = work_for(gpu, device)
  local mhz, tries = supported[1], 0
  while mhz and tries < TRIES do
    local held, ran = holds(one, mhz)
    if held then return mhz end
    local before = mhz
    mhz = find(supported, function(clock) return clock < before and clock <= (ran or before) end)
    tries = tries + 1
  end
  core.fail("unavailable", device.name .. " holds no clock under a load", "Pass a clock in MHz.")
end

local gpu_load = {}

--- The highest SM clock that all these GPUs hold under a load, a list of reg.gpu.list: locked there they run for a
--- minute without a reason to slow down. It is remembered for each GPU, driver and power limit.
--- Raises unavailable and permission.
function gpu_load.holding_clock(gpus)
  return math.min(table.unpack(reg.parallel(gpus, function(gpu)
    local key = string.format("%s %s %sW products", gpu.uuid, gpu.driver, gpu.power_limit_w)
    local mhz = native.remembered_clock(key)
    if not mhz then
      local _ <close> = reg.gpu.lease { gpus = gpu.uuid }
      mhz = find_clock(gpu)
      native.remember_clock(key, mhz)
      reg.log.info("GPU %d holds %d MHz under a load", gpu.index, mhz)
    end
    return mhz
  end, { at_most = #gpus })))
end

-- What was asked for, in MHz or percent; nil, with a warning, if it cannot be found out.
local function clock_of(asked, which)
  if asked ~= "auto" then return asked end
  -- Nor is this one locked, on AMD GPUs.
  if core.nouns.machine.gpu_variable() ~= "CUDA_VISIBLE_DEVICES" then return native.suggested_clock(which) end
  local mhz, why = values_of.caught("permission unavailable", function()
    return gpu_load.holding_clock(reg.gpu.list(which))
  end)
  if mhz then return mhz end
  -- The lock at this clock is refused, too, with the command that somebody with the permission can run.
  if why.kind == "permission" then return native.suggested_clock(which) end
  reg.log.warn("clocks not locked: %s%s", why.message, why.hint and ". " .. why.hint or "")
  return nil
end

--- The option --lock-clocks, of a script's `values`: the clocks are locked until the script ends, or the next one in
--- the same engine begins. Where they cannot be, GPU time is measured in cycles instead.
function gpu_load.lock_clocks(values)
  if core.locked_clocks then core.locked_clocks:close() end
  core.locked_clocks = nil
  local asked = values.lock_clocks
  -- The GPUs of --gpus, or that of --device, or all that programs see.
  local device = asked and math.type(values.device) == "integer" and reg.gpu.status().ok
    and reg.gpu.list("visible")[values.device + 1]
  local which = values.gpus or device and device.uuid or "visible"
  local sm = asked and clock_of(asked, which)
  local held = sm and reg.gpu.lock { sm = sm, device = which } or nil
  core.locked_clocks = held
  values.locked_mhz = held and held.sm_mhz
  if asked and values.metric == "@gpu_time" and not (held and held.locked) then
    values.metric = "@gpu_cycles"
    reg.log.warn("GPU time is compared in SM cycles (@gpu_cycles): the clocks are not locked")
  end
end

local STEADY_C = 1    -- the largest change of a steady temperature
local STEADY_S = 10   -- over this time
local LIMIT_S = 180

-- Loads all GPUs at once until their temperatures are steady or time is up; sets `steady` of each.
local function heat(gpus, limit_s)
  local window_s, started = math.min(STEADY_S, limit_s / 3), core.seconds()
  repeat
    for _, one in ipairs(gpus) do one.queue() end
    for _, one in ipairs(gpus) do one.wait() end
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
    local now, waiting = core.seconds(), false
    for _, one in ipairs(gpus) do
      local temperature = reg.gpu.get(one.gpu.uuid).temperature_c
        or core.fail("unavailable", one.gpu.name .. " does not report its temperature")
      one.low, one.high = math.min(one.low, temperature), math.max(one.high, temperature)
      if one.high - one.low > STEADY_C then one.low, one.high, one.since = temperature, temperature, now end
      one.temperature, one.steady = temperature, now - one.since >= window_s
      waiting = waiting or not one.steady
    end
  until not waiting or now - started >= limit_s
end

--- Warms up all GPUs, since a cold one runs at other clocks for its first minutes, until their temperature is steady.
--- Returns the measure for the tuning's record. `limit`: true, or the longest time.
function gpu_load.warm_up(limit)
  local limit_s = limit == true and LIMIT_S or reg.time.seconds(limit)
  local started, gpus = core.seconds(), {}
  local now, why = values_of.caught("unavailable failed_trial", function()
    local _ <close> = setmetatable({}, { __close = function()
      for _, one in ipairs(gpus) do one.gpu:close() end
    end })
    for i, device in ipairs(reg.cuda.devices()) do
      local gpu = reg.cuda.open(device.index)
      gpus[i] = { gpu = gpu, low = math.huge, high = -math.huge, since = core.seconds() }
      gpus[i].queue, gpus[i].wait = work_for(gpu, device)
    end
    heat(gpus, limit_s)
    local reached = values_of.map(gpus, function(one)
      return string.format("%d C%s", one.temperature, one.steady and "" or ", not steady yet")
    end)
    return string.format("%s after %s", table.concat(reached, ", "), reg.time.words(core.seconds() - started))
  end)
  return { measure = "warm_up", wanted = "a steady temperature", state = why and "not supported" or "done", now = now,
    why = why and why.message }
end

return gpu_load
