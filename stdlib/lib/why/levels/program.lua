-- The program that XLA compiled, from its dumps.

local dumped = require "lib/hlo/collect"
local hot_of = require "lib/hlo/hot"
local passes = require "lib/hlo/passes"
local stated = require "lib/why/stated"
local xla = require "lib/why/xla"

--- XLA aborts on flags that it does not know, and other programs have no use for them.
local level = { name = "program", pass = "dump", applies = xla.is_used }

local PROTOS <const> = "--xla_dump_hlo_as_proto"
local PASSES <const> = "--xla_dump_hlo_pass_re=.*"
local MOST <const> = 40000  -- instructions of both ends: each pass dumps all of those that it changes

-- Whether the first runs leave open at which pass the ends begin to differ.
local function is_open(seen)
  local hot, size = hot_of(seen[1][1].modules, seen[2][1].modules)
  if not hot or hot.before.fingerprint == hot.after.fingerprint or size > MOST then return false end
  return not passes.input(hot.before.module, hot.after.module)
end

-- The first run of each end dumps protos, where they are wanted, and the second one dumps passes, where these say more.
-- A flag is passed only if both ends know it.
local function flags_of(seen)
  if #seen[1] == 0 or #seen[2] == 0 then
    if seen.protos and seen.knows_protos == nil then seen.knows_protos = xla.both_know(seen.ends, PROTOS) end
    return seen.knows_protos and { PROTOS } or {}
  end
  if seen.compares_passes == nil then
    local known, same = false, false
    if is_open(seen) then known, same = xla.both_know(seen.ends, PASSES) end
    seen.compares_passes = known and same
  end
  return seen.compares_passes and { PASSES } or {}
end

function level.around(call, execute, folder, seen)
  core.new_output(folder)
  return dumped.into(call, folder, execute, flags_of(seen))
end

-- Only the second run of each end has dumps of passes: findings are those of both.
function level.read(run)
  if not run.hlo or #run.hlo.modules == 0 then return nil, "XLA dumped no module: the program sets XLA_FLAGS itself" end
  for _, module in ipairs(run.hlo.modules) do module.dumped_passes, module.passes = module.passes, {} end
  return run.hlo
end

local function within(one, other)
  return reg.hlo.fingerprint(one) ~= reg.hlo.fingerprint(other) and reg.hlo.diff(one, other) or {}
end

-- Adds the first pass after which the hot module differs to what is said of it first.
local function add_pass(list, before, after)
  local hot = hot_of(before.modules, after.modules)
  local a, b = hot and hot.before.module, hot and hot.after.module
  local pass = hot and not passes.input(a, b)
    and passes.first({ passes = a.dumped_passes }, { passes = b.dumped_passes })
  for _, finding in ipairs(pass and list or {}) do
    if finding.module == b.name then
      finding.what, finding.pass = finding.what .. " after pass " .. pass, pass
      return
    end
  end
end

function level.compare(before, after)
  local list = {}
  local found, stable = stated(before, after, reg.hlo.diff, within)
  for i, one in ipairs(found) do
    local is_input = one.kind == "input"  -- whose paths are of dumps that do not stay
    list[i] = { level = "program", what = one.what, before = not is_input and one.before or nil,
      after = not is_input and one.after or nil, kind = one.kind, module = one.module }
  end
  add_pass(list, before[#before], after[#after])
  return list, #list == 0 and stable and "the compiled program is identical" or nil
end

return level
