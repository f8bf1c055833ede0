-- Traces of programs that are hard to trace: many threads that launch, each way to end, and those that bring a profiler
-- of their own (torch, jax), where they are installed.

local t = require "rows"

local THREADS, COUNT = 64, 100

local function why(trace) return tostring(trace.why or "all of it") end

local function traced(ending)
  return reg.trace.run { cmd = { "./launches", tostring(THREADS), tostring(COUNT), ending }, timeout_s = 60 }
end

local ALL = THREADS * COUNT
if not t.build_launches() then
  t.row("threads, endings", "no C compiler here")
else
  -- --- lines 10 and 11: threads, and each way to end -----------------------------------------------------------------
  for _, ending in ipairs { "return", "fork" } do
    local what = ending == "fork" and "ended after a fork" or THREADS .. " threads"
    t.part(what, function()
      local run = traced(ending)
      assert(run.ok, run.stderr)
      local seen = t.launches(run.trace, "nothing")
      t.row(what .. ": launches in the trace", tostring(seen), tostring(ALL), seen == ALL)
      if ending == "fork" then return end
      t.row(what .. ": traced", why(run.trace), "all of it", run.trace.ok)
      t.row(what .. ": records lost", tostring(run.trace.dropped), "0", run.trace.dropped == 0)
    end)
  end
  for _, ending in ipairs { "_exit", "kill" } do
    t.part(ending, function()
      local trace = traced(ending).trace
      local whole, seen = trace.ok and trace.why == nil, t.launches(trace, "nothing")
      -- Either the snapshot has all, or the summary says that the end may be missing.
      t.row("ended by " .. ending .. ": launches, or why not all", whole and tostring(seen) or why(trace),
        "all, or a reason", not whole or seen == ALL)
    end)
  end
end

-- Each program's output is a file of its own; `check` has its trace.
local function python(what, variables, code, check)
  t.part(what, function()
    reg.fs.write("program.py", code)
    local run = reg.trace.run { cmd = { "python3", "program.py" }, env = variables, timeout_s = 120 }
    assert(run.ok, run.stderr)
    check(run.trace)
  end)
end

-- A program that profiles the first of its products and runs ten more: its profiler takes the records over, and that is
-- said, or it gets none (it may not subscribe beside the library), and the trace has all.
local PRODUCTS = 11
local function profiled(what, code)
  python(what, {}, code, function(trace)
    local most, said = t.launches(trace), why(trace):find "another CUPTI client" ~= nil
    t.row(what .. " beside the trace", said and why(trace) or string.format("%s, %d products", why(trace), most),
      "another CUPTI client, or all " .. PRODUCTS, said or trace.ok and most >= PRODUCTS)
  end)
end

-- --- lines 9, 12 and 13: torch -----------------------------------------------------------------------------------------
local TORCH = 'import torch\na = torch.randn(2048, 2048, device="cuda")\n'
local END = "torch.cuda.synchronize()\n"

local function with_torch()
  profiled("torch.profiler", TORCH .. [[
with torch.profiler.profile():
    a @ a
    torch.cuda.synchronize()
for _ in range(10): a @ a
]] .. END)
  python("expandable_segments", { PYTORCH_CUDA_ALLOC_CONF = "expandable_segments:True" }, TORCH .. "a @ a\n" .. END,
    function(trace)
      local peak = trace.memory_peak_bytes
      t.row("expandable_segments: peak memory", peak and peak // (1 << 20) .. " MiB" or "absent", "absent, or >= 16 MiB",
        trace.ok and (not peak or peak >= 16 << 20))
    end)
  python("NVTX ranges", {}, TORCH .. [[
torch.cuda.nvtx.range_push("products")
a @ a
torch.cuda.nvtx.range_pop()
]] .. END, function(trace)
    local found = t.range(trace, "products")
    local version = t.shell "python3 -c 'import torch; print(torch.__version__)'"
    t.row("torch " .. version .. ": kernels in an NVTX range", tostring(found and found.kernels), ">= 1",
      found ~= nil and found.kernels >= 1)
  end)
  python("two streams", {}, [[
import torch
streams = [torch.cuda.Stream(), torch.cuda.Stream()]
for _ in range(20):
    for stream in streams:
        with torch.cuda.stream(stream): torch.cuda._sleep(20_000_000)
]] .. END, function(trace)
    local sum = 0
    for _, kernel in ipairs(trace.kernels or {}) do sum = sum + kernel.total_s end
    local part = (trace.busy_s or 0) / sum
    t.row("two streams side by side: busy, of the kernels' sum", string.format("%.3f", part), "0.5 to 0.55",
      part >= 0.49 and part <= 0.55)
  end)
  python("a CUDA graph", {}, TORCH .. [[
for _ in range(3): a @ a
torch.cuda.synchronize()
graph = torch.cuda.CUDAGraph()
with torch.cuda.graph(graph): b = a @ a
torch.cuda.nvtx.range_push("graph")
for _ in range(10): graph.replay()
torch.cuda.synchronize()
torch.cuda.nvtx.range_pop()
]], function(trace)
    local kernels = (t.range(trace, "graph") or { kernels = 0 }).kernels
    t.row("a CUDA graph of torch in a range, 10 times: kernels", tostring(kernels), ">= 10", kernels >= 10)
  end)
  python("memory", {}, TORCH .. [[
parts = [torch.empty(64 << 20, dtype=torch.uint8, device="cuda") for _ in range(8)]
a @ a
torch.cuda.synchronize()
open("reserved", "w").write(str(torch.cuda.max_memory_reserved()))
]], function(trace)
    local peak, reserved = trace.memory_peak_bytes or 0, tonumber(reg.fs.read "reserved")
    t.row("peak memory beside that of torch", string.format("%.1f of %.1f MB", peak / 1e6, reserved / 1e6),
      "at least, and 10 % more", peak >= reserved and peak <= 1.1 * reserved + 64e6)
  end)
  python("a worker that ends by _exit", {}, [[
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
]], function(trace)
    local most = t.launches(trace)
    t.row("a worker that ends by _exit: products, or why not all", trace.why or tostring(most), "10, or a reason",
      trace.why ~= nil or most >= 10)
  end)
end

-- --- lines 9 and 14: jax -----------------------------------------------------------------------------------------------
local function with_jax()
  local JAX = "import jax, jax.numpy as jnp\nf = jax.jit(lambda x: x @ x)\nx = jnp.ones((2048, 2048))\n"
  python("jax", {}, JAX .. "f(x).block_until_ready()\n", function(trace)
    t.row("jax: traced", why(trace), "all of it", trace.ok)
  end)
  profiled("jax.profiler", JAX .. [[
with jax.profiler.trace("jax-trace"): f(x).block_until_ready()
for _ in range(10): f(x).block_until_ready()
]])
end

for _, one in ipairs { { "torch", "its profiler, its allocator, its ranges", with_torch },
  { "jax", "traced, its profiler", with_jax } } do
  local name, what, parts = table.unpack(one)
  if t.can("python3 -c 'import " .. name .. "'") then parts() else t.row(name .. ": " .. what, "not here") end
end

return t.finish()
