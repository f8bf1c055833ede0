-- How often JAX traces and compiles each function of a command, and the time that it takes; and what torch compiles
-- again, if the command runs with TORCH_LOGS=recompiles.

local collect = require "lib/jit/collect"
local count = require "lib/jit/count"

local level = { name = "jit", pass = "plain" }

function level.around(call, execute, folder) return collect.of_trial(call, folder, execute) end

function level.read(run)
  local jit = run.jit
  local counted = #jit.functions > 0 or #jit.compiled > 0 or jit.recompiles_logged
  if not counted then return nil, count.why_not(jit, "") end
  jit.wall_s = run.wall_s
  return jit
end

-- Seconds that a run spent on tracing, lowering and compiling the function `name`.
local function seconds_of(jit, name)
  local sum = 0
  for _, row in ipairs(jit.compiled) do
    if row.name == name then sum = sum + row.trace_s + row.lower_s + row.compile_s end
  end
  return sum
end

local function mean(collected, read)
  local sum = 0
  for _, one in ipairs(collected) do sum = sum + read(one) end
  return sum / #collected
end

local function difference(before, after, read) return mean(after, read) - mean(before, read) end

-- The seconds that each finding stands for: those of a function once, and those of all functions only where no
-- function has any.
local function seconds_by(found, before, after)
  local by, taken = {}, {}
  for _, one in ipairs(found) do
    local name = one.name and one.name:match "[^.]+$"
    if name and not taken[name] then
      taken[name] = true
      local seconds = difference(before, after, function(jit) return seconds_of(jit, name) end)
      by[one] = seconds > 0 and seconds or nil
    end
  end
  for _, one in ipairs(next(by) == nil and found or {}) do
    by[one] = not one.name and one.after > one.before and one.after - one.before or nil
  end
  return by
end

-- Shares of the time by which the runs differ. Functions that are traced within another have its seconds too: shares
-- that add up to more than that time are given to none.
local function give_shares(found, before, after)
  local slower = difference(before, after, function(jit) return jit.wall_s end)
  if slower <= 0 then return end
  local by, sum = seconds_by(found, before, after), 0
  for _, seconds in pairs(by) do sum = sum + seconds / slower end
  if sum > 1.1 then return end
  for one, seconds in pairs(by) do one.share = math.min(seconds / slower, 1) end
end

local function is_more_often(finding) return finding.before > 0 and finding.after > finding.before end

local function is_gone(finding) return finding.before > 0 and finding.after == 0 end

-- Marks functions that both ends trace, and that are traced and compiled more often than before, or recompiled; also
-- those that are run operation by operation now, as with jax_disable_jit.
local function mark_again(found)
  local compiled = {}
  for _, one in ipairs(found) do
    if one.kind == "compiled" then compiled[one.name] = is_more_often(one) or is_gone(one) end
  end
  for _, one in ipairs(found) do
    local traced = one.kind == "traced" and is_more_often(one) and compiled[one.name:match "[^.]+$"]
    one.again = traced or one.kind == "recompiled" and one.after > one.before or nil
  end
end

function level.compare(before, after)
  local found = reg.jit.diff(before, after)
  give_shares(found, before, after)
  mark_again(found)
  return found
end

return level
