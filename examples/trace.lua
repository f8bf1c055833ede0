#!/usr/bin/env regengine
--- Shows what a command does on the GPU, kernel by kernel, without changing it:
--- regengine examples/trace.lua --command "python3 train.py"

local opt = reg.options {
  command = { "command to trace", type = "command", default = "true" },
  image   = { "image of the container to run it in; unless given, it runs on this machine", type = "image" },
  kernels = { "number of kernels to show", type = "integer", default = 10, min = 1 },
}

local run = reg.trace.run { shell = opt.command, image = opt.image, gpus = opt.image and "all" }
local trace = run.trace
print(string.format("code %d after %.2f s", run.code, run.wall_s))
if trace.why then print((trace.ok and "note: " or "not traced: ") .. trace.why) end
if not trace.kernels then
  local status = reg.trace.status()
  if not status.ok then print(status.message .. "\n" .. status.hint) end
  return 0
end

print(string.format("the GPU was busy for %.4f s of %.4f s; it used at most %.1f MB of its memory", trace.busy_s,
  trace.span_s, (trace.memory_peak_bytes or 0) / 1e6))
for i = 1, math.min(opt.kernels, #trace.kernels) do
  local kernel = trace.kernels[i]
  print(string.format("%9.4f ms %8d x  %s", 1000 * kernel.total_s, kernel.count, kernel.name))
end
for _, copy in ipairs(trace.copies) do
  print(string.format("%9.4f ms %8d x  %s, %.1f MB", 1000 * copy.total_s, copy.count, copy.kind, copy.bytes / 1e6))
end
for _, range in ipairs(trace.ranges) do
  local nccl = range.nccl_s > 0 and string.format(", %.0f %% of it NCCL", 100 * range.nccl_s / range.total_s) or ""
  print(string.format("%9.4f ms %8d x  in %s%s", 1000 * range.total_s, range.count, range.name, nccl))
end
