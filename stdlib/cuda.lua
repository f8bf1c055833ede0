-- reg.cuda: the functions of C++ unchanged, and reg.cuda.time, whose loop is here because it calls a function of the
-- script. Timed work runs between Timer::begin and Timer::end of engine/cuda/timer.h; lib/sampling decides when there
-- are enough samples.

local values = require "lib/values"

local core_cuda = core.nouns.cuda
local steps = core_cuda.internal

local cuda = values.merged(core_cuda)
cuda.internal = nil

local last_opened = setmetatable({}, { __mode = "v" })

--- Opens a GPU: its primary context, and the default stream for all work. Opening it again while it is open returns the
--- same context. In a dry run it opens nothing, and the returned context does nothing. Raises not_found for an invalid
--- index, and unavailable without a GPU.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- print(gpu.name, gpu.arch)
--- ```
---@param index? integer default 0
---@return cuda.Context gpu
function cuda.open(index)
  local gpu = core_cuda.open(index)
  last_opened.gpu = gpu
  return gpu
end

local DEFAULTS = { mode = "cold", max_noise = 0.005, min_time_s = 0.5, timeout_s = 15, block = true,
  block_limit_s = 10 }
local KEYS = values.sorted_names(values.merged(DEFAULTS, values.words "context clock_mhz min_samples n"))

local BATCH_FRACTION = 1 / 20  -- of min_time_s for a batch of mode "hot", so that there are several
local MAX_BATCH, FEW = 10000, 5
local MANY_DISCARDED = 0.1
local YIELD_S = 0.05  -- interval at which other tasks and Ctrl-C are served, between samples

local function misuse(message, hint) core.fail("usage", "cuda.time: " .. message, hint) end

local function check_number(o, name, least)
  local value = o[name]
  if type(value) == "string" then value = reg.time.seconds(value) end
  if type(value) ~= "number" or value ~= value or value < least then
    misuse(string.format("'%s' must be a number of at least %s, not %s", name, least, tostring(o[name])))
  end
  o[name] = value
end

local function read_options(given)
  if given ~= nil and type(given) ~= "table" then misuse("takes a table of options, not a " .. type(given)) end
  local o = setmetatable(values.merged(given), { __index = DEFAULTS })
  core.check_keys("cuda.time", o, KEYS)
  values.choice("cuda.time", "mode", o.mode, { "cold", "hot" })
  for _, name in ipairs { "max_noise", "min_time_s", "timeout_s", "block_limit_s" } do check_number(o, name, 0) end
  if o.clock_mhz then check_number(o, "clock_mhz", 0) end
  o.min_samples = o.min_samples or o.n or 10
  for _, name in ipairs { "n", "min_samples" } do values.check_count("cuda.time", o, name, 1) end
  if type(o.block) ~= "boolean" then misuse "'block' must be true or false" end
  return o
end

-- Whether it is the result of kernel:bind, which needs no Lua between calls; otherwise it must be a function.
local function is_launch(what)
  if getmetatable(what) == "cuda.Launch" then return true end
  if type(what) ~= "function" then misuse("takes a function or the result of kernel:bind, not a " .. type(what)) end
  return false
end

local function repeater(what)
  if is_launch(what) then return function(times) what:run(times) end end
  return function(times)
    for _ = 1, times do what() end
  end
end

-- Times one region: `times` calls between two events, abandoned if a call raises. Returns its seconds, the SM clock,
-- and whether the GPU started before all was queued.
local function region(timing, call, times)
  local _ <close> = setmetatable({}, { __close = function() steps.abandon(timing) end })
  steps.begin(timing)
  call(times)
  return steps.finish(timing)
end

-- What clock to expect: the one that a lock of this script holds. Others are unknown: many parts never reach their
-- highest clock under a load. 0: any.
local function locked_mhz(gpu)
  for _, lock in ipairs(core.nouns.machine.gpu_locks()) do
    for _, locked in ipairs(lock.gpus) do
      if lock.locked and locked.uuid == gpu.uuid then return locked.sm_mhz or 0 end
    end
  end
  return 0
end

-- Why the samples that were used may be the wrong ones: at a slow clock the cool ones are left.
local function doubt(result, clock_mhz)
  local share = result.discarded / (result.discarded + result.n)
  return share > MANY_DISCARDED and string.format(
    "%.0f %% of the samples were discarded: the SM clock was below 75 %% of %.0f MHz", 100 * share, clock_mhz) or nil
end

---@class cuda.TimeOptions
---@field mode? string "cold" (default) or "hot": see reg.cuda.time
---@field n? integer number of samples; without it as many as the noise needs
---@field max_noise? number stop when the relative standard deviation is below this (0.005) or no longer changes
---@field min_time_s? number|string total time of samples before that (0.5)
---@field min_samples? integer at least this many (10)
---@field timeout_s? number|string stop after this in any case (15)
---@field clock_mhz? number expected SM clock: samples below 0.75 of it are discarded; default: that of a lock, else 0
---@field block? boolean hold the GPU until a sample is queued, to exclude launches (true); false if the function waits
---@field block_limit_s? number|string time limit for that (10)
---@field context? cuda.Context default: the one opened last

---@class cuda.Timing
---@field median_s number of one call, measured with CUDA events
---@field mean_s number
---@field min_s number
---@field max_s number
---@field stdev_rel number standard deviation / mean
---@field n integer number of samples
---@field discarded integer samples below the expected clock, not used
---@field doubt? string if more than 10 % of the samples were discarded
---@field stopped string "noise" (low enough), "settled" (no longer decreasing), "count" or "timeout"
---@field sm_mhz? number median SM clock while it ran
---@field samples_s number[] each sample, in order
---@field mode string
---@field batch integer calls per sample
---@field released_early integer samples with so many launches that the GPU started before all were queued
---@field wall_s number duration of the measurement
---@field dry? boolean true in a dry run: all numbers are 0

--- Times a function that launches work, or the result of kernel:bind. Each sample is measured between two CUDA events.
--- A blocking kernel holds the GPU until the work of a sample is queued, so that launch overhead is not measured, as in
--- nvbench. Modes: cold: one call per sample, L2 cache flushed before each; hot: a batch of calls per sample, which is
--- their mean. The SM clock is read before and after each sample. Samples at a throttled clock are discarded, followed
--- by a pause.
---
--- The function is called at least once before the first sample. It must not wait for the GPU (synchronize, download,
--- upload) unless `block` is false: that raises usage, at once or after block_limit_s. Raises failed_trial if all
--- samples were discarded. Other tasks run between samples only.
--- ```lua
--- local gpu <close> = reg.cuda.open()
--- local a, b, c = gpu:alloc(1024 * 1024, "f32"), gpu:alloc(1024 * 1024, "f32"), gpu:alloc(1024 * 1024, "f32")
--- local time = reg.cuda.time(function() gpu:gemm { n = 1024, a = a, b = b, c = c } end, { mode = "cold" })
--- print(time.median_s * 1e6 .. " us", time.stdev_rel, time.stopped, time.sm_mhz)
--- ```
---@param what function|cuda.Launch
---@param options? cuda.TimeOptions
---@return cuda.Timing timing
function cuda.time(what, options)
  local o = read_options(options)
  local gpu = is_launch(what) and steps.context_of(what) or o.context or last_opened.gpu
  if not gpu then misuse("no GPU is open", "Write local gpu <close> = reg.cuda.open().") end
  local call = repeater(what)
  call(1)  -- loads the kernels
  if gpu.dry then
    return { mode = o.mode, stopped = "dry", n = 0, discarded = 0, released_early = 0, batch = 1, wall_s = 0,
      samples_s = {}, median_s = 0, min_s = 0, max_s = 0, mean_s = 0, stdev_rel = 0, dry = true }
  end
  gpu:synchronize()
  local timing = steps.timing(gpu, { flush = o.mode ~= "hot", block = o.block, block_limit_s = o.block_limit_s })
  local batch = 1
  if o.mode == "hot" then  -- estimated from a few calls
    local one_s = region(timing, call, FEW) / FEW
    batch = one_s <= 0 and MAX_BATCH
      or math.max(1, math.min(MAX_BATCH, math.ceil(o.min_time_s * BATCH_FRACTION / one_s)))
  end
  local clock_mhz = o.clock_mhz or locked_mhz(gpu)
  local sampling = require "lib/sampling" {
    count = o.n, max_noise = o.max_noise,
    min_time_s = o.min_time_s / batch,  -- a sample is the time of one call, the mean of a batch
    min_samples = o.min_samples, timeout_s = o.timeout_s, clock_mhz = clock_mhz,
  }

  local start, released_early = core.seconds(), 0
  local yielded, stopped = start
  repeat
    local passed_s = core.seconds() - start
    local seconds, sm_mhz, early = region(timing, call, batch)
    local pause_s = sampling:add(seconds / batch, sm_mhz)
    if early then released_early = released_early + 1 end
    stopped = sampling:reason(passed_s)
    if not stopped and (pause_s > 0 or core.seconds() - yielded > YIELD_S) then
      reg.sleep(pause_s)
      yielded = core.seconds()
    end
  until stopped

  local result = sampling:result()
  return values.merged(result, { released_early = released_early, doubt = doubt(result, clock_mhz), mode = o.mode,
    stopped = stopped, batch = batch, wall_s = core.seconds() - start })
end

return cuda
