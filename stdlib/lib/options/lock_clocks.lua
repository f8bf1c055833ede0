-- The option --lock-clocks: the clocks are locked until the script ends, or the next one in the same engine begins.

local native = core.nouns.machine

-- What was asked for, in MHz or percent; nil, with a warning, if it cannot be found out.
local function clock_of(asked, which)
  if asked ~= "auto" then return asked end
  local ok, found = pcall(function() return require("lib/gpu_load").holding_clock(reg.gpu.list(which)) end)
  if ok then return found end
  -- The lock at this clock is refused, too, with the command that somebody with the permission can run.
  if type(found) == "table" and found.kind == "permission" then return native.suggested_clock(which) end
  if type(found) ~= "table" or found.kind ~= "unavailable" then error(found, 0) end
  reg.log.warn("clocks not locked: %s%s", found.message, found.hint and ". " .. found.hint or "")
  return nil
end

-- The GPUs of a script: of --gpus, or that of --device, or all that programs see.
local function gpus_of(values)
  local device = math.type(values.device) == "integer" and reg.gpu.status().ok
    and reg.gpu.list("visible")[values.device + 1]
  return values.gpus or device and device.uuid or "visible"
end

--- `values`: of the script's options. Where the clocks cannot be locked, GPU time is measured in cycles instead.
return function(values)
  if core.locked_clocks then core.locked_clocks:close() end
  core.locked_clocks = nil
  local asked = values.lock_clocks
  local which = asked and gpus_of(values)
  local sm = asked and clock_of(asked, which)
  local held = sm and reg.gpu.lock { sm = sm, device = which } or nil
  core.locked_clocks = held
  values.locked_mhz = held and held.sm_mhz
  if asked and values.metric == "@gpu_time" and not (held and held.locked) then
    values.metric = "@gpu_cycles"
    reg.log.warn("GPU time is compared in SM cycles (@gpu_cycles): the clocks are not locked")
  end
end
