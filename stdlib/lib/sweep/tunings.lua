-- The tunings of reg.machine.tune that are in effect, oldest first, whose record each trial stores; and the one that
-- Lua does itself, warming up GPUs.

local all = {}

local tunings = {}

function tunings.add(one) all[#all + 1] = one end

function tunings.remove(one)
  for i = #all, 1, -1 do
    if all[i] == one then table.remove(all, i) end
  end
end

--- The measures of all tunings in one list; nil without any.
function tunings.record()
  local list = {}
  for _, one in ipairs(all) do
    for _, measure in ipairs(one:record()) do list[#list + 1] = measure end
  end
  return #list > 0 and list or nil
end

local STEADY_C = 1    -- the largest change of a steady temperature
local STEADY_S = 10   -- over this time
local LIMIT_S = 180

-- A GPU with a load, and what is known of its temperature.
local function start(device)
  local gpu = reg.cuda.open(device.index)
  local queue, wait = require "lib/gpu_load"(gpu, device)  -- few tunings warm up
  return { gpu = gpu, queue = queue, wait = wait, low = math.huge, high = -math.huge, since = core.seconds() }
end

local function look(one, now)
  local temperature = reg.gpu.get(one.gpu.uuid).temperature_c
  if not temperature then core.fail("unavailable", one.gpu.name .. " does not report its temperature") end
  one.low, one.high = math.min(one.low, temperature), math.max(one.high, temperature)
  if one.high - one.low > STEADY_C then one.low, one.high, one.since = temperature, temperature, now end
  one.temperature = temperature
end

-- Loads all GPUs at once until their temperatures are steady or time is up; sets `steady` of each.
local function heat(gpus, limit_s)
  local window_s, started = math.min(STEADY_S, limit_s / 3), core.seconds()
  repeat
    for _, one in ipairs(gpus) do one.queue() end
    for _, one in ipairs(gpus) do one.wait() end
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
    local now, waiting = core.seconds(), false
    for _, one in ipairs(gpus) do
      look(one, now)
      one.steady = now - one.since >= window_s
      waiting = waiting or not one.steady
    end
  until not waiting or now - started >= limit_s
end

--- Warms up all GPUs, since a cold one runs at other clocks for its first minutes, until their temperature is steady.
--- Returns the measure for the tuning's record. `limit`: true, or the longest time.
function tunings.warm_up(limit)
  local limit_s = limit == true and LIMIT_S or reg.time.seconds(limit)
  local measure = { measure = "warm_up", wanted = "a steady temperature", state = "done" }
  local started, reached, gpus = core.seconds(), {}, {}
  local ok, why = pcall(function()
    for i, device in ipairs(reg.cuda.devices()) do gpus[i] = start(device) end
    heat(gpus, limit_s)
    for i, one in ipairs(gpus) do
      reached[i] = string.format("%d C%s", one.temperature, one.steady and "" or ", not steady yet")
    end
  end)
  for _, one in ipairs(gpus) do one.gpu:close() end
  if not ok then
    if type(why) ~= "table" or (why.kind ~= "unavailable" and why.kind ~= "failed_trial") then error(why, 0) end
    measure.state, measure.why = "not supported", why.message
    return measure
  end
  measure.now = string.format("%s after %s", table.concat(reached, ", "), reg.time.words(core.seconds() - started))
  return measure
end

return tunings
