#!/usr/bin/env regengine
--- Times square matrix products of cuBLAS, n = 256 to 8192 in f32, f16 and bf16,
--- and compares each with an earlier run in the store: another driver, another
--- cuBLAS, another day. Each is timed cold by the GPU's own events. A product
--- that the store has under the same name, at the same clocks, is not timed again.

reg.needs { gpu = "run" }
local opt = reg.options { "lock_clocks",
  name     = { 'name of this run; unless given, "driver D cublas C" of this machine', type = "string" },
  baseline = { "name of the run to compare with; unless given, the oldest one on this kind of GPU", type = "string" },
  device   = { "index of the GPU", type = "integer", default = 0, min = 0 },
  dtype    = { "data types", type = "string", list = true, choices = { "f32", "f16", "bf16" },
               default = { "f32", "f16", "bf16" } },
  from     = { "smallest n", type = "integer", default = 256, min = 1, not_after = "to" },
  to       = { "largest n", type = "integer", default = 8192, min = 1 },
  step     = { "step from one n to the next", type = "integer", default = 128, min = 1 },
  ieee     = { 'full f32 products; without it rounded to TF32, as in PyTorch at precision "high"', type = "boolean" },
  clock    = { "the old name of --lock-clocks MHZ", type = "integer", min = 1, not_with = { "lock_clocks" } },
  timeout  = { "time limit of one product", type = "duration", default = "15s" },
  csv      = { "file for all numbers", type = "output" },
}

local SAME_CLOCK = 0.02  -- relative: a GPU that is not locked moves by a step of 15 MHz or two
local MIN_TIME_S = 0.1  -- of each product; more where it is noisy
local TORCH = { f32 = "torch.float32", f16 = "torch.float16", bf16 = "torch.bfloat16" }
local plan = {}
for _, dtype in ipairs(opt.dtype) do
  for n = opt.from, opt.to, opt.step do plan[#plan + 1] = { dtype = dtype, n = n } end
end
if opt.dry_run then
  local dtypes = table.concat(opt.dtype, ", ")
  print("would time " .. #plan .. " products, " .. dtypes .. ", each for at most " .. opt.timeout)
  return 0
end

local gpu <close> = reg.cuda.open(opt.device)
local watches = reg.gpu.status().ok
local lock <close> = opt.clock and reg.gpu.lock { sm = opt.clock, device = gpu.uuid } or nil
local locked_mhz = opt.locked_mhz or lock and lock.sm_mhz
local _ <close> = watches and reg.gpu.lease { gpus = gpu.uuid } or nil  -- to itself among regengines
if watches and not (opt.clock or opt.lock_clocks) then
  reg.log.info("regengine has not locked the clocks of the GPU: runs with --lock-clocks are easier to compare")
end
local versions = reg.cuda.versions()
local name = opt.name or string.format("driver %s cublas %s", versions.driver, versions.cublas or "none")
local store <close> = reg.store.open(opt.store)
local NAMED = "SELECT count(*) AS n FROM subjects WHERE kind = 'matmul' AND name = ?"
if opt.baseline and store:query(NAMED, opt.baseline)[1].n == 0 then
  error({ kind = "usage", message = "--baseline: no such run: '" .. opt.baseline .. "' in " .. opt.store }, 0)
end
local facts = { gpu = gpu.name, versions = versions }
local run = store:begin { name = "matmul", script = "matmul.lua", options = opt, facts = facts }

-- Zeros are multiplied faster than other numbers because they cost less power. The count is prime, so that no two rows
-- are the same.
math.randomseed(1)
local numbers = {}
for i = 1, 65521 do numbers[i] = math.random() - 0.5 end

local function time(dtype, n, o)
  local a <close> = gpu:alloc(n * n, dtype)
  local b <close> = gpu:alloc(n * n, dtype)
  local c <close> = gpu:alloc(n * n, dtype)
  a:fill(numbers)
  b:fill(numbers)
  o.context = gpu
  return reg.cuda.time(function() gpu:gemm { n = n, a = a, b = b, c = c, tf32 = not opt.ieee } end, o)
end

local function is_near(a, b) return a == b or a and b and math.abs(a / b - 1) <= SAME_CLOCK end

-- The driver does not report a lock that nvidia-smi made. So a small product is run until two runs in a row have the
-- same SM clock: an idle GPU takes a moment.
local function clocks_now()
  local sm_mhz, before
  for _ = 1, 5 do
    before, sm_mhz = sm_mhz, time("f32", 256, { n = 20, timeout_s = 1, clock_mhz = 1 }).sm_mhz
    if not sm_mhz or before and is_near(before, sm_mhz) then break end
  end
  local found, state = pcall(reg.gpu.get, gpu.uuid)
  return { sm_mhz = sm_mhz, mem_mhz = found and state.mem_mhz or nil }
end

local clocks, told = clocks_now(), false
local function has_these(stored)
  stored = stored or {}
  local same = is_near(stored.sm_mhz, clocks.sm_mhz) and is_near(stored.mem_mhz, clocks.mem_mhz)
  if not same and not told then reg.log.info("%s was timed at other clocks: it is timed again", name) end
  told = told or not same
  return same
end

-- What the GPU suffered from while something was timed; nil for nothing. Its power limit alone is normal where clocks
-- are free.
local function doubt_of(seen)
  local words = { table.unpack(seen.faults or {}) }
  if seen.lost then words[#words + 1] = seen.lost end
  for reason, seconds in pairs(seen.throttle_s) do
    local normal = reason == "sw_power_cap" and not locked_mhz
    if seconds > 0.01 * seen.seconds and not normal then words[#words + 1] = reason end
  end
  for _, process in ipairs(seen.foreign) do words[#words + 1] = "process " .. process.pid end
  table.sort(words)
  return #words > 0 and table.concat(words, ", ") or nil
end

-- As pcall, under a watch: what is in doubt is timed once more, and then said.
local function watched(f, ...)
  for try = 1, 2 do
    local monitor <close> = watches and reg.gpu.monitor { device = gpu.uuid, period_s = "50ms" } or nil
    local ok, timing = pcall(f, ...)
    local doubt = ok and (monitor and doubt_of(monitor:stop()) or timing.doubt)
    if ok then timing.doubt = doubt or nil end
    if not doubt or try == 2 then return ok, timing end
  end
end

-- The number and the facts of this product from the store; it is timed now if the store does not have it.
local function measured(place, product)
  local key = reg.identity { name = name, place = place, versions = versions }  -- and the clocks that are locked
  for _, old in ipairs(store:trials { key = key, status = "ok" }) do
    if has_these(old.info.clocks) then return old.samples.ms[1], old.info end
  end
  local trial = store:start {
    investigation = run, subject = name, kind = "matmul", key = key, config = { place = place },
  }
  local ok, timing = watched(time, product.dtype, product.n, { min_time_s = MIN_TIME_S, timeout_s = opt.timeout })
  if not ok then
    local oom = timing.kind == "failed_trial" and timing.message:find "out of memory"
    store:finish(trial.id, { status = oom and "oom" or "crashed", message = timing.message or tostring(timing) })
    if not oom then error(timing, 0) end
    return nil, { failed = timing.message }
  end
  timing.samples_s, timing.clocks = nil, clocks
  local ms = timing.median_s * 1e3
  store:finish(trial.id, { status = "ok", samples = { ms = ms }, info = timing, wall_s = timing.wall_s })
  return ms, timing
end

-- Of a run at the same clocks, where there is one; with a warning, once, where there is none.
local warned = false
local function base_of(place)
  local base = store:query([[SELECT s.name AS name, m.value AS ms, json_extract(t.info, '$.clocks.sm_mhz') AS sm_mhz
    FROM trials t JOIN subjects s ON s.id = t.subject
    JOIN samples m ON m.trial = t.id WHERE s.kind = 'matmul' AND t.status = 'ok'
    AND json_extract(t.config, '$.place') = ?1 AND s.name = coalesce(?2, s.name) AND s.name <> ?3
    ORDER BY abs(coalesce(json_extract(t.info, '$.clocks.sm_mhz'), 0) - ?4) > ?5 * ?4, t.id LIMIT 1]],
    place, opt.baseline, name, clocks.sm_mhz or 0, SAME_CLOCK)[1] or {}
  if not warned and base.sm_mhz and clocks.sm_mhz and not is_near(base.sm_mhz, clocks.sm_mhz) then
    warned = true
    reg.log.warn("%s ran at an SM clock of %.0f MHz, and %s at %.0f MHz: the speedup includes that of the clock",
      base.name, base.sm_mhz, name, clocks.sm_mhz)
  end
  return base
end

-- At least three digits: with two decimals everything small is 0.01 ms.
local function milliseconds(ms)
  return ms and string.format("%." .. math.max(2, 2 - math.floor(math.log(ms, 10))) .. "fms", ms) or "-"
end

local rows, slower, faster, doubtful = {}, 0, 0, 0
for _, product in ipairs(plan) do
  local dtype, n = product.dtype, product.n
  local test = string.format("matmul-%s-lhs%dx%d-rhs%dx%d", TORCH[dtype], n, n, n, n)
  local tf32 = dtype == "f32" and not opt.ieee
  local place = reg.store.key { gpu = gpu.name, dtype = dtype, n = n, tf32 = tf32, mode = "cold" }
  local ms, info = measured(place, product)
  if not ms then
    print(test .. ": " .. info.failed)
  else
    local base = base_of(place)
    local speedup = base.ms and base.ms / ms
    if speedup and speedup < 0.95 then slower = slower + 1 end
    if speedup and speedup > 1.05 then faster = faster + 1 end
    print(string.format("%s: speedup=%s; base=%s; test=%s", test, speedup and string.format("%.2fx", speedup) or "-",
      milliseconds(base.ms), milliseconds(ms)))
    if info.doubt then print("  doubtful: " .. info.doubt) end
    doubtful = doubtful + (info.doubt and 1 or 0)
    rows[#rows + 1] = { test = test, dtype = dtype, n = n, name = name, baseline = base.name, speedup = speedup,
      base_ms = base.ms, test_ms = ms, tflops = 2 * n ^ 3 / (ms * 1e9), stdev_rel = info.stdev_rel, samples = info.n,
      discarded = info.discarded, stopped = info.stopped, sm_mhz = info.sm_mhz, doubt = info.doubt }
  end
end

store:finish_investigation(run, { products = #rows, slower = slower, faster = faster })
if opt.csv then reg.report.csv(rows, opt.csv) end
print(string.format("%s on %s: %d of %d products; %d slower than 0.95x, %d faster than 1.05x%s", name, gpu.name, #rows,
  #plan, slower, faster, doubtful > 0 and "; " .. doubtful .. " doubtful" or ""))
if opt.json then
  print(reg.json.encode { name = name, gpu = gpu.name, products = #rows, slower = slower, faster = faster,
    doubtful = doubtful })
end
return 0
