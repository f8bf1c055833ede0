-- Where two modules begin to differ: what XLA was given, or the first pass after which they differ, from the dumps of
-- --xla_dump_hlo_pass_re=.* of both sides.

local donated = require "lib/hlo/donated"
local load = require "lib/hlo/load"
local normal = require "lib/hlo/normal"
local ordered = require "lib/hlo/ordered"
local promotions = require "lib/hlo/promotions"
local summary = require "lib/hlo/summary"
local words = require "lib/hlo/words"

local MOST = 4  -- differences in a sentence

local passes = {}

local function fingerprint(path)
  local module = load.module(path)
  return module and normal.fingerprint(module)
end

local function add_type(parts, now, before, count)
  parts[#parts + 1] = string.format("%s instead of %s in %s", now, before, words.several(count, "instruction"))
end

-- What differs, the clearest first.
local function parts_of(a, b)
  local of_a, of_b, parts = summary.of(a), summary.of(b), {}
  for _, one in ipairs(promotions(of_a.types, of_b.types)) do add_type(parts, one.wide, one.narrow, one.count) end
  for _, one in ipairs(promotions(of_b.types, of_a.types)) do add_type(parts, one.narrow, one.wide, one.count) end
  if donated(a) ~= donated(b) then parts[#parts + 1] = words.more(donated(a), donated(b), "donated buffer") end
  for _, opcode in ipairs(ordered(of_a.counts, of_b.counts)) do
    local was, is = of_a.counts[opcode] or 0, of_b.counts[opcode] or 0
    if was ~= is and not summary.LIGHT[opcode] and opcode ~= "call" then
      parts[#parts + 1] = words.more(was, is, opcode)
    end
  end
  local rest = #parts - MOST
  return table.concat(parts, ", ", 1, math.min(#parts, MOST)) .. (rest > 0 and " and " .. rest .. " more" or "")
end

--- How what XLA was given differs, as words; nil if it does not, or is not known.
function passes.input(before, after)
  local a, b = before.before and load.module(before.before), after.before and load.module(after.before)
  if not a or not b or normal.fingerprint(a) == normal.fingerprint(b) then return nil end
  local parts = parts_of(a, b)
  if parts == "" then parts = "the same opcodes with other operands or attributes" end
  return "XLA was given another program: " .. parts
end

local function has(list, pass, from)
  for i = from, #list do
    if list[i].pass == pass.pass and list[i].pipeline == pass.pipeline then return true end
  end
  return false
end

-- A dump at the start of a pipeline has the changes of what ran before it without a dump.
local function name_of(pass) return pass.pass == "pipeline-start" and pass.pipeline or pass.pass end

--- The name of the first pass after which they differ; nil unless both sides have dumps of passes. XLA dumps a pass
--- only if it changed the module.
function passes.first(before, after)
  local old, new = before.passes or {}, after.passes or {}
  if #old == 0 or #new == 0 then return nil end
  for i = 1, math.max(#old, #new) do
    if not old[i] or not new[i] then return name_of(old[i] or new[i]) end
    if old[i].pass ~= new[i].pass or old[i].pipeline ~= new[i].pipeline then
      return name_of(has(new, old[i], i) and new[i] or old[i])
    end
    if fingerprint(old[i].path) ~= fingerprint(new[i].path) then return name_of(new[i]) end
  end
  return nil
end

return passes
