-- The injection library on this GPU: a small CUDA program - this engine, launching kernels by reg.cuda and timing them by events -
-- run with and without it. What CUPTI's records add up to is held against the events. And the same of torch, where there is one.

local t = require "rows"

local engine = t.engine()

-- Launches long kernels and short ones, and prints the seconds of each lot by events.
t.script("program.lua", [==[
local long = module:kernel("multiply"):bind { grid = 1, block = 1, args = { gpu:alloc(1, "f32"), { u32 = 500000 } } }
local start, stop = gpu:event(), gpu:event()
local function seconds(launch, n)
  launch:run()
  gpu:synchronize()
  start:record()
  for _ = 1, n do launch:run() end
  stop:record()
  stop:synchronize()
  return stop:seconds_since(start)
end
local block <close> = gpu:alloc(64 << 20)
block:zero()
print(reg.json.encode { long_s = seconds(long, 200), short_s = seconds(nothing, 20000) })
]==])

local function percent(part) return string.format("%.2f %%", 100 * part) end

t.part("a small CUDA program", function()
  local call = { cmd = { engine, "program.lua" } }
  local plain = reg.process.run(call)
  assert(plain.ok, plain.stderr)
  local traced = reg.trace.run(call)
  assert(traced.ok, traced.stderr)
  t.row("traced", tostring(traced.trace.why or "all of it"), "ok", traced.trace.ok)
  if not traced.trace.kernels then return end
  local without, with = reg.json.decode(plain.stdout), reg.json.decode(traced.stdout)
  -- One launch of each more than the events enclose: the warm-up.
  for _, one in ipairs { { "multiply", 201 }, { "nothing", 20001 } } do
    local name, launches = table.unpack(one)
    local seen = t.launches(traced.trace, name)
    t.row("kernel '" .. name .. "': launches in the trace", tostring(seen), tostring(launches), seen == launches)
  end
  local long_s = 0
  for _, kernel in ipairs(traced.trace.kernels) do
    if kernel.name == "multiply" then long_s = kernel.total_s end
  end
  local apart = math.abs(long_s / 201 * 200 / with.long_s - 1)
  t.row("long kernels: their sum, apart from the events", percent(apart), "<= 1 %", apart <= 0.01)
  t.row("busy within span", string.format("%.4f s of %.4f s", traced.trace.busy_s, traced.trace.span_s), "",
    traced.trace.busy_s <= traced.trace.span_s)
  t.row("peak memory", string.format("%.1f MB", (traced.trace.memory_peak_bytes or 0) / 1e6), ">= 67.1 MB",
    (traced.trace.memory_peak_bytes or 0) >= 64 << 20)
  t.row("records lost", tostring(traced.trace.dropped), "0", traced.trace.dropped == 0)
  t.row("slow-down of long kernels", percent(with.long_s / without.long_s - 1))
  t.row("slow-down of short kernels in a row", percent(with.short_s / without.short_s - 1))
  t.row("slow-down of the whole program", percent(traced.wall_s / plain.wall_s - 1))
end)

-- Matrix products of torch in an NVTX range: their sum and the range's against torch's events.
reg.fs.write("program.py", [==[
import json, torch
a = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
b = torch.randn(8192, 8192, device="cuda", dtype=torch.bfloat16)
a @ b
torch.cuda.synchronize()
start, stop = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
start.record()
torch.cuda.nvtx.range_push("products")
for _ in range(100): a @ b
torch.cuda.nvtx.range_pop()
stop.record()
torch.cuda.synchronize()
print(json.dumps({"seconds": start.elapsed_time(stop) / 1000}))
]==])

if t.can "python3 -c 'import torch; assert torch.cuda.is_available()'" then
  t.part("torch", function()
    local call = { cmd = { "python3", "program.py" } }
    local plain, traced = reg.process.run(call), reg.trace.run(call)
    assert(plain.ok and traced.ok, traced.stderr)
    t.row("torch: traced", tostring(traced.trace.why or "all of it"), "ok", traced.trace.ok)
    local without, with = reg.json.decode(plain.stdout), reg.json.decode(traced.stdout)
    local products = t.range(traced.trace, "products")
    local apart = products and math.abs(products.total_s / with.seconds - 1) or math.huge
    t.row("torch: the range's sum, apart from the events", percent(apart), "<= 1 %", apart <= 0.01)
    t.row("torch: slow-down", percent(with.seconds / without.seconds - 1))
  end)
else
  t.row("torch", "not here")
end

return t.finish()
