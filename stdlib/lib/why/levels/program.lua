-- The program that XLA compiled, from its dumps.

local dumped = require "lib/hlo/collect"
local stated = require "lib/why/stated"
local xla = require "lib/why/xla"

--- XLA aborts on flags that it does not know, and other programs have no use for them.
local level = { name = "program", pass = "dump", applies = xla.is_used }

function level.around(call, execute, folder) return dumped(call, folder, execute) end

function level.read(run)
  if not run.hlo or #run.hlo.modules == 0 then return nil, "XLA dumped no module: the program sets XLA_FLAGS itself" end
  return run.hlo
end

local function within(one, other)
  return reg.hlo.fingerprint(one) ~= reg.hlo.fingerprint(other) and reg.hlo.diff(one, other) or {}
end

function level.compare(before, after)
  local list = {}
  local found, stable = stated(before, after, reg.hlo.diff, within)
  for i, one in ipairs(found) do
    list[i] = { level = "program", what = one.what, before = one.before, after = one.after, kind = one.kind }
  end
  return list, #list == 0 and stable and "the compiled program is identical" or nil
end

return level
