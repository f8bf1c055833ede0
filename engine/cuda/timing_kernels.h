#pragma once

namespace reg::cuda {

/// The two kernels that timing needs, as PTX of an old version: every driver finishes it for its GPU, so timing needs
/// no NVRTC and no compiler of the same age as the driver.
///
/// regengine_wait(u64 flag, u64 timed_out, u64 limit_ns): holds its stream until the 32-bit word at `flag`, which the
/// host writes, is not 0; after the limit it sets the one at `timed_out` and ends.
///
/// regengine_stamp(u64 stamps, u32 slots): each block writes its SM's cycle counter and the GPU's nanoseconds to
/// stamps[2 * SM], read right after the nanoseconds moved: on some GPUs they move in steps of a microsecond, as long as
/// what is being timed. At most 100000 cycles are spent on that.
inline constexpr const char* kTimingKernels = R"ptx(.version 6.0
.target sm_50
.address_size 64

.visible .entry regengine_wait(.param .u64 flag, .param .u64 timed_out, .param .u64 limit_ns)
{
  .reg .pred %p<3>;
  .reg .b32 %word;
  .reg .b64 %at, %out, %limit, %begin, %now;

  ld.param.u64 %at, [flag];
  ld.param.u64 %out, [timed_out];
  ld.param.u64 %limit, [limit_ns];
  cvta.to.global.u64 %at, %at;
  cvta.to.global.u64 %out, %out;
  mov.u64 %begin, %globaltimer;
LOOK:
  ld.volatile.global.u32 %word, [%at];
  setp.ne.u32 %p1, %word, 0;
  @%p1 bra DONE;
  mov.u64 %now, %globaltimer;
  sub.u64 %now, %now, %begin;
  setp.lt.u64 %p2, %now, %limit;
  @%p2 bra LOOK;
  mov.u32 %word, 1;
  st.volatile.global.u32 [%out], %word;
  membar.sys;
DONE:
  ret;
}

.visible .entry regengine_stamp(.param .u64 stamps, .param .u32 slots)
{
  .reg .pred %p<4>;
  .reg .b32 %slots, %sm;
  .reg .b64 %at, %first, %now, %begin, %cycles, %spent;

  ld.param.u64 %at, [stamps];
  ld.param.u32 %slots, [slots];
  mov.u32 %sm, %smid;
  setp.ge.u32 %p1, %sm, %slots;
  @%p1 bra DONE;
  cvta.to.global.u64 %at, %at;
  mad.wide.u32 %at, %sm, 16, %at;
  mov.u64 %begin, %clock64;
  mov.u64 %first, %globaltimer;
LOOK:
  mov.u64 %now, %globaltimer;
  mov.u64 %cycles, %clock64;
  setp.ne.u64 %p2, %now, %first;
  @%p2 bra FOUND;
  sub.u64 %spent, %cycles, %begin;
  setp.lt.u64 %p3, %spent, 100000;
  @%p3 bra LOOK;
FOUND:
  st.volatile.global.u64 [%at], %cycles;
  st.volatile.global.u64 [%at+8], %now;
  membar.sys;
DONE:
  ret;
}
)ptx";

}  // namespace reg::cuda
