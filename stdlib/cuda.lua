-- reg.cuda: the nouns of engine/cuda as they are, and reg.cuda.time, whose loop stands here because it calls a function of
-- the script. What is timed runs between Timer::begin and Timer::end of engine/cuda/timer.h; when there are enough samples is
-- engine/cuda/sampling.h's to say.

local check_keys = require "lib/options/check_keys"

local core_cuda = core.nouns.cuda
local steps = core_cuda.internal

local cuda = {}
for name, f in pairs(core_cuda) do
  if name ~= "internal" then cuda[name] = f end
end

local last_opened = setmetatable({}, { __mode = "v" })

function cuda.open(index)
  local gpu = core_cuda.open(index)
  last_opened.gpu = gpu
  return gpu
end

local DEFAULTS = {
  mode = "cold", stop = "noise", n = 100,
  max_noise = 0.005, min_time_s = 0.5,               -- noise
  max_angle = 0.048, min_r2 = 0.36, window = 299,    -- entropy
  timeout_s = 15, block = true, block_limit_s = 10,
}
local KEYS = { "context", "clock_mhz", "min_samples" }
for key in pairs(DEFAULTS) do KEYS[#KEYS + 1] = key end
table.sort(KEYS)

-- A batch of mode "hot" should take this part of min_time_s, so that there are some of them to compare.
local BATCH = 1 / 20
local LARGEST_BATCH = 10000
-- Other tasks, and Ctrl-C, have their turn this often; never within a sample.
local BREATH_S = 0.05

local function misuse(message, hint) core.fail("usage", "cuda.time: " .. message, hint) end

local function one_of(name, value, words)
  for _, word in ipairs(words) do
    if value == word then return end
  end
  misuse(string.format("'%s' must be one of %s, not '%s'", name, table.concat(words, ", "), tostring(value)))
end

local function check_number(o, name, least)
  local value = o[name]
  if type(value) == "string" then value = reg.time.seconds(value) end
  if type(value) ~= "number" or value ~= value or value < least then
    misuse(string.format("'%s' must be a number of %s or more, not %s", name, least, tostring(o[name])))
  end
  o[name] = value
end

local function check_whole(o, name)
  if math.type(o[name]) ~= "integer" or o[name] < 1 then misuse("'" .. name .. "' must be a whole number of 1 or more") end
end

local function read_options(given)
  if given ~= nil and type(given) ~= "table" then misuse("takes a table of options, not a " .. type(given)) end
  local o = setmetatable({}, { __index = DEFAULTS })
  for key, value in pairs(given or {}) do o[key] = value end
  check_keys("cuda.time", o, KEYS)
  one_of("mode", o.mode, { "cold", "hot", "graph" })
  one_of("stop", o.stop, { "noise", "entropy", "count" })
  for _, name in ipairs { "max_noise", "min_time_s", "max_angle", "min_r2", "timeout_s", "block_limit_s" } do
    check_number(o, name, 0)
  end
  if o.clock_mhz then check_number(o, "clock_mhz", 0) end
  o.min_samples = o.min_samples or (o.stop == "count" and o.n or 10)
  for _, name in ipairs { "n", "window", "min_samples" } do check_whole(o, name) end
  if type(o.block) ~= "boolean" then misuse "'block' must be true or false" end
  return o
end

-- What is timed: a function, or what kernel:bind returned, whose calls in a row need no Lua between them.
local function is_launch(what)
  if getmetatable(what) == "cuda.Launch" then return true end
  if type(what) ~= "function" then misuse("takes a function or what kernel:bind returned, not a " .. type(what)) end
  return false
end

-- It, as a function of how often to call it.
local function caller(what, o, gpu)
  if o.mode == "graph" then
    local queue = is_launch(what) and function() what:run() end or what
    queue()  -- its kernels are loaded now, which a capture cannot do
    local graph = gpu:graph(queue)
    return function(times)
      for _ = 1, times do graph:launch() end
    end
  end
  if is_launch(what) then return function(times) what:run(times) end end
  return function(times)
    for _ = 1, times do what() end
  end
end

-- One region: `times` calls between the two events. Ended by `ending`, or given up where a call raises.
local function region(timing, call, times, ending, ...)
  local _ <close> = setmetatable({}, { __close = function() steps.abandon(timing) end })
  steps.begin(timing)
  call(times)
  return ending(timing, ...)
end

-- How many calls make a batch of the length wanted, by the time of a few.
local function batch_size(timing, call, o)
  if o.mode ~= "hot" then return 1 end
  local few = 5
  local one_s = region(timing, call, few, steps.measure) / few
  if one_s <= 0 then return LARGEST_BATCH end
  return math.max(1, math.min(LARGEST_BATCH, math.ceil(o.min_time_s * BATCH / one_s)))
end

local function dry_result(call, o)
  call(1)
  local result = { mode = o.mode, stopped = "dry", n = 0, discarded = 0, released_early = 0, batch = 1, wall_s = 0,
                   samples_s = {}, dry = true }
  for _, name in ipairs { "median_s", "q1_s", "q3_s", "min_s", "max_s", "mean_s", "stdev_rel", "iqr_rel" } do result[name] = 0 end
  return result
end

function cuda.time(what, options)
  local o = read_options(options)
  local gpu = is_launch(what) and steps.context_of(what) or o.context or last_opened.gpu
  if not gpu then misuse("there is no GPU open", "local gpu = reg.cuda.open()") end
  local call = caller(what, o, gpu)
  if gpu.dry then return dry_result(call, o) end

  call(1)  -- once outside, so that kernels are loaded
  gpu:synchronize()
  local timing = steps.timing(gpu, { flush = o.mode ~= "hot", block = o.block, block_limit_s = o.block_limit_s })
  local batch = batch_size(timing, call, o)
  steps.judge(timing, {
    stop = o.stop, n = o.n, max_noise = o.max_noise, max_angle = o.max_angle, min_r2 = o.min_r2, window = o.window,
    min_time_s = o.min_time_s / batch,  -- a sample is the time of one call, and stands for a batch of them
    min_samples = o.min_samples, timeout_s = o.timeout_s, clock_mhz = o.clock_mhz,
  })

  local start = core.seconds()
  local breath = start
  local pause_s, stopped
  repeat
    pause_s, stopped = region(timing, call, batch, steps.finish, batch, core.seconds() - start)
    if not stopped and (pause_s > 0 or core.seconds() - breath > BREATH_S) then
      reg.sleep(pause_s)
      breath = core.seconds()
    end
  until stopped

  local result = steps.result(timing)
  result.mode, result.stopped, result.batch, result.wall_s = o.mode, stopped, batch, core.seconds() - start
  return result
end

return cuda
