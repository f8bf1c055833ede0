-- Traces of programs that are hard to trace: many threads that launch, each way to end, and those that bring a profiler
-- of their own (torch, jax), where they are installed.

local t = require "rows"

local source = reg.process.run({ shell = "tr '\\0' '\\n' </proc/$PPID/cmdline" }).stdout:match "([^\n]*)/programs%.lua"
local THREADS, COUNT = 64, 100

local function why(trace) return tostring(trace.why or "all of it") end

local function launches(trace)
  local sum = 0
  for _, kernel in ipairs(trace.kernels or {}) do
    if kernel.name == "nothing" then sum = sum + kernel.count end
  end
  return sum
end

local function traced(ending)
  return reg.trace.run { cmd = { "./launches", tostring(THREADS), tostring(COUNT), ending }, timeout_s = 60 }
end

local built = reg.process.run {
  shell = 'for c in cc gcc clang; do command -v $c >/dev/null && exec $c -O1 -pthread -o launches "' .. source
    .. '/launches.c" -ldl; done; exit 127' }
if built.code == 127 then
  t.row("threads, endings", "no C compiler here")
else
  -- --- lines 10 and 11: threads, and each way to end -----------------------------------------------------------------
  t.part("threads", function()
    assert(built.ok, built.stderr)
    local run = traced "return"
    assert(run.ok, run.stderr)
    t.row(THREADS .. " threads: traced", why(run.trace), "all of it", run.trace.ok)
    t.row(THREADS .. " threads: launches in the trace", tostring(launches(run.trace)), tostring(THREADS * COUNT),
      launches(run.trace) == THREADS * COUNT)
    t.row(THREADS .. " threads: records lost", tostring(run.trace.dropped), "0", run.trace.dropped == 0)
  end)
  t.part("fork", function()
    local run = traced "fork"
    assert(run.ok, run.stderr)
    t.row("ended after a fork: launches in the trace", tostring(launches(run.trace)), tostring(THREADS * COUNT),
      launches(run.trace) == THREADS * COUNT)
  end)
  for _, ending in ipairs { "_exit", "kill" } do
    t.part(ending, function()
      local run = traced(ending)
      local whole = run.trace.ok and run.trace.why == nil
      -- Either the snapshot has all, or the summary says that the end may be missing.
      t.row("ended by " .. ending .. ": launches, or why not all", whole and tostring(launches(run.trace)) or why(run.trace),
        "all, or a reason", not whole or launches(run.trace) == THREADS * COUNT)
    end)
  end
end

local function has(module)
  return reg.process.run({ shell = "python3 -c 'import " .. module .. "'" }).ok
end

local function python(name, code, variables)
  reg.fs.write(name .. ".py", code)
  local run = reg.trace.run { cmd = { "python3", name .. ".py" }, env = variables, timeout_s = 120 }
  assert(run.ok, run.stderr)
  return run.trace
end

-- A program that profiles the first of its products and runs ten more: its profiler takes the records over, and that is
-- said, or it gets none (it may not subscribe beside the library), and the trace has all.
local PRODUCTS = 11
local function profiled(what, trace)
  local most = 0
  for _, kernel in ipairs(trace.kernels or {}) do most = math.max(most, kernel.count) end
  local said = why(trace):find "another CUPTI client" ~= nil
  t.row(what, said and why(trace) or string.format("%s, %d products", why(trace), most), "another CUPTI client, or all "
    .. PRODUCTS, said or trace.ok and most >= PRODUCTS)
end

local TORCH = 'import torch\na = torch.randn(2048, 2048, device="cuda")\n'

-- --- lines 9, 12 and 13: torch -----------------------------------------------------------------------------------------
if not has "torch" then
  t.row("torch: its profiler, its allocator, its ranges", "not here")
else
  t.part("torch.profiler", function()
    local trace = python("profiler", TORCH .. [[
with torch.profiler.profile():
    a @ a
    torch.cuda.synchronize()
for _ in range(10): a @ a
torch.cuda.synchronize()
]])
    profiled("torch.profiler beside the trace", trace)
  end)
  t.part("expandable_segments", function()
    local trace = python("segments", TORCH .. "a @ a\ntorch.cuda.synchronize()\n",
      { PYTORCH_CUDA_ALLOC_CONF = "expandable_segments:True" })
    local peak = trace.memory_peak_bytes
    t.row("expandable_segments: peak memory", peak and peak // (1 << 20) .. " MiB" or "absent", "absent, or >= 16 MiB",
      trace.ok and (not peak or peak >= 16 << 20))
  end)
  t.part("NVTX ranges", function()
    local trace = python("ranges", TORCH .. [[
torch.cuda.nvtx.range_push("products")
a @ a
torch.cuda.nvtx.range_pop()
torch.cuda.synchronize()
]])
    local found
    for _, range in ipairs(trace.ranges or {}) do found = found or range.name == "products" and range end
    local version = reg.process.run({ shell = "python3 -c 'import torch; print(torch.__version__)'" }).stdout
    t.row("torch " .. version:gsub("%s", "") .. ": kernels in an NVTX range", tostring(found and found.kernels), ">= 1",
      found ~= nil and found.kernels >= 1)
  end)
  t.part("two streams", function()
    local trace = python("streams", [[
import torch
streams = [torch.cuda.Stream(), torch.cuda.Stream()]
for _ in range(20):
    for stream in streams:
        with torch.cuda.stream(stream): torch.cuda._sleep(20_000_000)
torch.cuda.synchronize()
]])
    local sum = 0
    for _, kernel in ipairs(trace.kernels or {}) do sum = sum + kernel.total_s end
    local part = (trace.busy_s or 0) / sum
    t.row("two streams side by side: busy, of the kernels' sum", string.format("%.3f", part), "0.5 to 0.55",
      part >= 0.49 and part <= 0.55)
  end)
  t.part("a CUDA graph", function()
    local trace = python("graph", TORCH .. [[
for _ in range(3): a @ a
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph): b = a @ a
torch.cuda.nvtx.range_push("graph")
for _ in range(10): graph.replay()
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
]])
    local kernels = 0
    for _, range in ipairs(trace.ranges or {}) do if range.name == "graph" then kernels = range.kernels end end
    t.row("a CUDA graph of torch in a range, 10 times: kernels", tostring(kernels), ">= 10", kernels >= 10)
  end)
  t.part("memory", function()
    local trace = python("memory", TORCH .. [[
parts = [torch.empty(64 << 20, dtype=torch.uint8, device="cuda") for _ in range(8)]
a @ a
torch.cuda.synchronize()
open("reserved", "w").write(str(torch.cuda.max_memory_reserved()))
]])
    local peak, reserved = trace.memory_peak_bytes or 0, tonumber(reg.fs.read "reserved")
    t.row("peak memory beside that of torch", string.format("%.1f of %.1f MB", peak / 1e6, reserved / 1e6),
      "at least, and 10 % more", peak >= reserved and peak <= 1.1 * reserved + 64e6)
  end)
  t.part("a worker that ends by _exit", function()
    local trace = python("worker", [[
import multiprocessing, os
def work():
    import torch
    a = torch.randn(2048, 2048, device="cuda")
    for _ in range(10): a @ a
    torch.cuda.synchronize()
    os._exit(0)
if __name__ == "__main__":
    worker = multiprocessing.get_context("spawn").Process(target=work)
    worker.start()
    worker.join()
]])
    local most = 0
    for _, kernel in ipairs(trace.kernels or {}) do most = math.max(most, kernel.count) end
    t.row("a worker that ends by _exit: products, or why not all", trace.why or tostring(most), "10, or a reason",
      trace.why ~= nil or most >= 10)
  end)
end

-- --- lines 9 and 14: jax -----------------------------------------------------------------------------------------------
if not has "jax" then
  t.row("jax: traced, its profiler", "not here")
else
  local JAX = "import jax, jax.numpy as jnp\nf = jax.jit(lambda x: x @ x)\nx = jnp.ones((2048, 2048))\n"
  t.part("jax", function()
    local trace = python("jax_plain", JAX .. "f(x).block_until_ready()\n")
    t.row("jax: traced", why(trace), "all of it", trace.ok)
  end)
  t.part("jax.profiler", function()
    local trace = python("jax_profiler", JAX .. [[
with jax.profiler.trace("jax-trace"): f(x).block_until_ready()
for _ in range(10): f(x).block_until_ready()
]])
    profiled("jax.profiler beside the trace", trace)
  end)
end

return t.finish()
