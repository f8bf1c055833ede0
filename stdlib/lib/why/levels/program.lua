-- The program that XLA compiled, from its dumps.

local dumped = require "lib/hlo/collect"

local level = { name = "program", pass = "dump" }

local FRAMEWORKS <const> = { jaxlib = true, torch_xla = true, tensorflow = true }

--- XLA aborts on flags that it does not know, and other programs have no use for them: whether the command imported
--- one of XLA's frameworks in its plain runs; else why there is nothing to dump.
function level.applies(runs)
  for _, module in ipairs(runs[1].host and runs[1].host.imports and runs[1].host.imports.modules or {}) do
    if FRAMEWORKS[module.name] then return true end
  end
  return false, "the command does not import JAX, TensorFlow or PyTorch/XLA"
end

function level.around(call, execute, folder) return dumped(call, folder, execute) end

function level.read(run)
  if not run.hlo or #run.hlo.modules == 0 then return nil, "XLA dumped no module: the program sets XLA_FLAGS itself" end
  return run.hlo
end

local function said_of(before, after)
  local said = {}
  for _, finding in ipairs(reg.hlo.diff(before, after)) do said[finding.what] = true end
  return said
end

-- What an end does not always do alike.
local function unstable_in(collected)
  local said = {}
  for i = 2, #collected do
    if reg.hlo.fingerprint(collected[1]) ~= reg.hlo.fingerprint(collected[i]) then
      for what in pairs(said_of(collected[1], collected[i])) do said[what] = true end
    end
  end
  return said
end

function level.compare(before, after)
  local left_out, right, list = unstable_in(before), unstable_in(after), {}
  local always = said_of(before[#before], after[#after])
  for _, one in ipairs(reg.hlo.diff(before[1], after[1])) do
    if always[one.what] and not left_out[one.what] and not right[one.what] then
      list[#list + 1] = { level = "program", what = one.what, before = one.before, after = one.after, kind = one.kind }
    end
  end
  local same = #list == 0 and next(left_out) == nil and next(right) == nil
  return list, same and "the compiled program is identical" or nil
end

return level
