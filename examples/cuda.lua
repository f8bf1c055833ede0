#!/usr/bin/env regengine
--- A kernel compiled, checked and timed: y += a x over 16 million numbers, with the caches cold and warm.

local SOURCE = [[
extern "C" __global__ void axpy(float a, const float* x, float* y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}]]

local status = reg.cuda.status()
if not status.ok then
  print("not timed: " .. status.message .. "\n  " .. status.hint)
  return 0
end
if not reg.cuda.versions().nvrtc then
  print "not timed: the kernel is compiled by NVRTC, and it is not here; it comes with the CUDA Toolkit"
  return 0
end

local N = 1 << 24
local gpu <close> = reg.cuda.open()
local x <close> = gpu:alloc(N, "f32")
local y <close> = gpu:alloc(N, "f32")
x:fill { 1, 2, 3 }
y:zero()
local axpy = gpu:load(reg.cuda.compile(SOURCE, { arch = gpu.arch, name = "axpy.cu" })):kernel "axpy"
local launch = axpy:bind { grid = N // 256, block = 256, args = { { f32 = 2 }, x, y, { i32 = N } } }

launch:run()
local first = string.unpack("<f", y:download_bytes())
print(string.format("y[0] is %g on %s (%s)", first, gpu.name, gpu.arch))

for _, mode in ipairs { "cold", "hot" } do
  local time = reg.cuda.time(launch, { mode = mode })
  print(string.format("%s: %.2f us, %.0f GB/s, +-%.2f %%, %d samples (%s), SM clock %.0f MHz, %d discarded", mode,
    time.median_s * 1e6, 3 * 4 * N / time.median_s / 1e9, 100 * time.stdev_rel, time.n, time.stopped, time.sm_mhz or 0,
    time.discarded))
end
