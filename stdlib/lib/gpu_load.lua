-- A load for GPUs that needs no cuBLAS and no compiler: every driver finishes the PTX for its GPU. Chains of
-- multiply-add in registers keep all SMs busy. Each two of them go around a circle, by an angle that differs between
-- threads: numbers that settle, or zeros, cost less power.

local PTX = [[
.version 6.0
.target sm_50
.address_size 64

.visible .entry regengine_heat(.param .u64 out, .param .u32 rounds)
{
  .reg .pred %p<3>;
  .reg .b32 %left, %thread;
  .reg .f32 %a<8>, %x, %y;
  .reg .b64 %at;

  ld.param.u64 %at, [out];
  ld.param.u32 %left, [rounds];
  mov.u32 %thread, %tid.x;
  cvt.rn.f32.u32 %x, %thread;
  mul.f32 %x, %x, 0f3A83126F;
  add.f32 %x, %x, 0f3F000000;
  neg.f32 %y, %x;
  mov.f32 %a0, %x;
  add.f32 %a1, %a0, %x;
  add.f32 %a2, %a1, %x;
  add.f32 %a3, %a2, %x;
  add.f32 %a4, %a3, %x;
  add.f32 %a5, %a4, %x;
  add.f32 %a6, %a5, %x;
  add.f32 %a7, %a6, %x;
AGAIN:
  fma.rn.f32 %a0, %a1, %x, %a0;
  fma.rn.f32 %a2, %a3, %x, %a2;
  fma.rn.f32 %a4, %a5, %x, %a4;
  fma.rn.f32 %a6, %a7, %x, %a6;
  fma.rn.f32 %a1, %a0, %y, %a1;
  fma.rn.f32 %a3, %a2, %y, %a3;
  fma.rn.f32 %a5, %a4, %y, %a5;
  fma.rn.f32 %a7, %a6, %y, %a7;
  sub.u32 %left, %left, 1;
  setp.ne.u32 %p1, %left, 0;
  @%p1 bra AGAIN;
  add.f32 %a0, %a0, %a1;
  add.f32 %a2, %a2, %a3;
  add.f32 %a4, %a4, %a5;
  add.f32 %a6, %a6, %a7;
  add.f32 %a0, %a0, %a2;
  add.f32 %a4, %a4, %a6;
  add.f32 %a0, %a0, %a4;
  setp.eq.f32 %p2, %a0, 0fBF800000;
  cvta.to.global.u64 %at, %at;
  @%p2 st.global.f32 [%at], %a0;
  ret;
}
]]

local THREADS, BLOCKS_PER_SM = 256, 8
local ROUNDS = 200000  -- about 20 ms on an H100: 11 instructions of 64 warps in each round, four a cycle
local QUEUED = 2

--- A function that queues work for some ten milliseconds on this context of a device, and one that waits for what was
--- queued before that: the GPU has work while the caller looks at it or sleeps for a moment.
return function(gpu, device)
  local kernel, out = gpu:load(PTX):kernel "regengine_heat", gpu:alloc(1, "f32")
  local grid = device.multiprocessors * BLOCKS_PER_SM
  local last, before = nil, nil  -- events after the work of the last two calls
  return function()
    for _ = 1, QUEUED do kernel:launch { grid = grid, block = THREADS, args = { out, { i32 = ROUNDS } } } end
    last, before = before or gpu:event(), last
    last:record()
  end, function()
    if before then before:synchronize() end
  end
end
