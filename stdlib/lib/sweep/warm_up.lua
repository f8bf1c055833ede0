-- Warms up GPUs until their temperature is steady: a cold GPU runs at other clocks for its first minutes.

local SIZE = 4096     -- of the matrices: a product takes a few milliseconds
local PRODUCTS = 20   -- queued at a time
local STEADY_C = 1    -- the largest change of a steady temperature
local STEADY_S = 10   -- over this time
local LIMIT_S = 180

-- Runs products until the temperature is steady or time is up: the last temperature, and whether it is steady.
local function heat(gpu, limit_s)
  local window_s = math.min(STEADY_S, limit_s / 3)
  local a, b, c = gpu:alloc(SIZE * SIZE, "f32"), gpu:alloc(SIZE * SIZE, "f32"), gpu:alloc(SIZE * SIZE, "f32")
  a:zero() b:zero()
  local started, low, high, since = core.seconds(), math.huge, -math.huge, core.seconds()
  while true do
    for _ = 1, PRODUCTS do gpu:gemm { n = SIZE, a = a, b = b, c = c } end
    gpu:synchronize()
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
    local now, temperature = core.seconds(), reg.gpu.get(gpu.uuid).temperature_c
    if not temperature then core.fail("unavailable", gpu.name .. " does not report its temperature") end
    low, high = math.min(low, temperature), math.max(high, temperature)
    if high - low > STEADY_C then low, high, since = temperature, temperature, now end
    if now - since >= window_s then return temperature, true end
    if now - started >= limit_s then return temperature, false end
  end
end

--- Warms up all GPUs and returns the measure for the tuning's record. `limit`: true, or the longest time.
return function(limit)
  local limit_s = limit == true and LIMIT_S or reg.time.seconds(limit)
  local measure = { measure = "warm_up", wanted = "a steady temperature", state = "done" }
  local started, reached = core.seconds(), {}
  local ok, why = pcall(function()
    for _, device in ipairs(reg.cuda.devices()) do
      local gpu <close> = reg.cuda.open(device.index)
      local temperature, steady = heat(gpu, limit_s)
      reached[#reached + 1] = string.format("%d C%s", temperature, steady and "" or ", not steady yet")
    end
  end)
  if not ok then
    if type(why) ~= "table" or (why.kind ~= "unavailable" and why.kind ~= "failed_trial") then error(why, 0) end
    measure.state, measure.why = "not supported", why.message
    return measure
  end
  measure.now = string.format("%s after %s", table.concat(reached, ", "), reg.time.words(core.seconds() - started))
  return measure
end
