-- Works a GPU until its temperature holds still: a cold one runs its first minutes at another clock than the rest.

local SIZE = 4096     -- of the matrices: some milliseconds of work a product
local PRODUCTS = 20   -- queued at a time
local STILL_C = 1     -- it holds still when it moved no more than that
local STILL_FOR_S = 10
local LIMIT_S = 180

-- Products until the temperature holds still or the time is over: the last temperature, and whether it does.
local function heat(gpu, limit_s)
  local window_s = math.min(STILL_FOR_S, limit_s / 3)
  local a, b, c = gpu:alloc(SIZE * SIZE, "f32"), gpu:alloc(SIZE * SIZE, "f32"), gpu:alloc(SIZE * SIZE, "f32")
  a:zero() b:zero()
  local started, low, high, since = core.seconds(), math.huge, -math.huge, core.seconds()
  while true do
    for _ = 1, PRODUCTS do gpu:gemm { n = SIZE, a = a, b = b, c = c } end
    gpu:synchronize()
    reg.sleep(0.01)  -- for other tasks, and Ctrl-C
    local now, temperature = core.seconds(), reg.gpu.get(gpu.uuid).temperature_c
    if not temperature then core.fail("unavailable", gpu.name .. " does not tell its temperature") end
    low, high = math.min(low, temperature), math.max(high, temperature)
    if high - low > STILL_C then low, high, since = temperature, temperature, now end
    if now - since >= window_s then return temperature, true end
    if now - started >= limit_s then return temperature, false end
  end
end

--- The measure for quiet's record. `asked`: true, or the longest that it may take.
return function(asked)
  local limit_s = asked == true and LIMIT_S or reg.time.seconds(asked)
  local measure = { measure = "warm_up", wanted = "a steady temperature", state = "done" }
  local started, said = core.seconds(), {}
  local ok, why = pcall(function()
    for _, device in ipairs(reg.cuda.devices()) do
      local gpu <close> = reg.cuda.open(device.index)
      local temperature, still = heat(gpu, limit_s)
      said[#said + 1] = string.format("%d C%s", temperature, still and "" or ", not steady yet")
    end
  end)
  if not ok then
    if type(why) ~= "table" or (why.kind ~= "unavailable" and why.kind ~= "failed_trial") then error(why, 0) end
    measure.state, measure.why = "not supported", why.message
    return measure
  end
  measure.now = string.format("%s after %s", table.concat(said, ", "), reg.time.words(core.seconds() - started))
  return measure
end
