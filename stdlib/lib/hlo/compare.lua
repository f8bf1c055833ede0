-- How two sets of HLO modules differ, as findings, and where two compilations of one module begin to differ.

local content = require "lib/hlo/content"
local dumps = require "lib/hlo/dumps"
local numbers = require "lib/report/numbers"
local values = require "lib/values"

local compare = {}

-- "1 more copy (0 -> 1)", "2 fewer transposes (3 -> 1)".
local function more(before, after, noun)
  local count = math.abs(after - before)
  if count ~= 1 then noun = noun:gsub("([^aeiou])y$", "%1ie"):gsub("([sx])$", "%1e") .. "s" end
  return string.format("%d %s %s (%d -> %d)", count, after > before and "more" or "fewer", noun, before, after)
end

-- What moves data or waits for it is named first: it is what a slowdown is most often made of.
local FIRST <const> = " copy transpose convert custom-call all-reduce all-gather reduce-scatter all-to-all "
  .. "collective-permute while conditional opt-barrier "

-- The keys of two tables of counts in the order in which findings name them.
local function keys_of(a, b)
  return values.sort_by(values.sorted_names(values.merged(a, b)), function(key)
    return FIRST:find(" " .. key .. " ", 1, true) or math.huge
  end)
end

-- How many outputs of a module use the buffers of donated inputs: input_output_alias={ {0}: (0, {}, may-alias) }.
local function donated(module)
  local _, count = (module.attributes.input_output_alias or ""):gsub("%-alias%)", "")
  return count
end

local WIDTHS <const> = { { "f32", "f64" }, { "bf16", "f32" }, { "f16", "f32" }, { "bf16", "f64" }, { "f16", "f64" },
  { "c64", "c128" }, { "s32", "s64" }, { "u32", "u64" }, { "f8e4m3fn", "bf16" }, { "f8e5m2", "bf16" } }

-- { what, before, after } for each wider element type that stands where a narrower one was: how many instructions have
-- the wide type. `a` and `b`: instructions by type. `is_back`: the other way round, from wide to narrow.
local function promotions(a, b, is_back)
  return values.map(WIDTHS, function(pair)
    local narrow, wide = pair[1], pair[2]
    local before, after = a[wide] or 0, b[wide] or 0
    local count = math.min(after - before, (a[narrow] or 0) - (b[narrow] or 0))
    return count > 0 and { before = before, after = after, what = string.format("%s instead of %s in %s",
      is_back and narrow or wide, is_back and wide or narrow,
      count == 1 and "an instruction" or count .. " instructions") } or nil
  end)
end

-- The instructions of one side that run on their own and are not on the other side, by what they are.
local function new_in(side, other)
  local left, writer = {}, content.writer(other.module)
  for _, instruction in ipairs(other.items) do
    local key = writer:content(instruction)
    left[key] = (left[key] or 0) + 1
  end
  local own = content.writer(side.module)
  return values.map(side.items, function(instruction)
    local key = not content.LIGHT[instruction.opcode] and own:content(instruction)
    local is_new = key and (left[key] or 0) == 0
    if key and not is_new then left[key] = left[key] - 1 end
    return is_new and { instruction = instruction, content = key } or nil
  end)
end

-- Where B has an instruction that A does not, by opcode: its name, or the fusion that holds it.
local function places_of(module, new)
  local where = {}
  for _, one in ipairs(new) do
    local instruction = one.instruction
    where[instruction.opcode] = where[instruction.opcode] or ", such as " .. instruction.name
    for _, name in ipairs(instruction.opcode == "fusion" and instruction.calls or {}) do
      local called = module.by_name[name]
      for _, inner in ipairs(called and called.instructions or {}) do
        where[inner.opcode] = where[inner.opcode] or ", in " .. instruction.name
      end
    end
  end
  return where
end

-- Fusions and custom calls are counted by kind and by target.
local function without_counted(counts)
  local rest = {}
  for opcode, count in pairs(counts) do
    local elsewhere = content.LIGHT[opcode] or opcode == "fusion" or opcode == "custom-call"
    rest[opcode] = not elsewhere and count or nil
  end
  return rest
end

-- Adds how two modules that are not the same program differ.
local function compare_programs(before, after, findings, add)
  local a, b = content.summary(before), content.summary(after)
  a.module, b.module = before, after
  -- `noun`: what to call a key, with its name as %s; `where[key]`: where a new one is.
  local function counted(kind, olds, news, noun, where)
    for _, key in ipairs(keys_of(olds, news)) do
      local x, y = olds[key] or 0, news[key] or 0
      if x ~= y then add(kind, more(x, y, noun:format(key)) .. (y > x and where[key] or ""), x, y) end
    end
  end
  for _, one in ipairs(promotions(a.types, b.types)) do
    add("promotion", string.format("%s (%d -> %d)", one.what, one.before, one.after), one.before, one.after)
  end
  local had, has = donated(before), donated(after)
  if had ~= has then
    add("donation", string.format("%s outputs reuse an input's buffer (%d -> %d)",
      has < had and "donation lost: fewer" or "more", had, has), had, has)
  end
  local was, is = before.attributes.entry_computation_layout, after.attributes.entry_computation_layout
  if was and is and was ~= is then
    add("interface", "parameters and results are " .. is:sub(1, 200) .. ", before " .. was:sub(1, 200), was, is)
  end
  local old, new = new_in(a, b), new_in(b, a)
  counted("custom_call", a.targets, b.targets, "custom call to %s", {})
  counted("opcode", without_counted(a.counts), without_counted(b.counts), "%s", places_of(after, new))
  counted("fusion_kind", a.kinds, b.kinds, "%s fusion", {})
  if #findings > 0 then return end
  if #old + #new == 0 then return add("order", "the same instructions in another order or with other operands") end
  -- The first instruction that differs, where no other words fit.
  add("content", (new[1] or old[1]).instruction.name .. " differs", old[1] and old[1].content:sub(1, 200),
    new[1] and new[1].content:sub(1, 200))
end

-- The findings about two modules; {} if they are the same program and need the same memory. `same`: their fingerprints
-- are equal.
local function compare_modules(before, after, same)
  local findings = {}
  local function add(kind, what, x, y)
    findings[#findings + 1] = { kind = kind, module = after.name, what = after.name .. ": " .. what, before = x,
      after = y }
  end
  if not same then compare_programs(before, after, findings, add) end
  local a, b = before.buffers, after.buffers
  if a and b and (a.total ~= b.total or a.temporary ~= b.temporary) then
    add("buffers", string.format("memory %d -> %d bytes (temporary %d -> %d)", a.total, b.total, a.temporary,
      b.temporary), a.total, b.total)
  end
  return findings
end

local MOST <const> = 4  -- differences in a sentence

-- What differs in what XLA was given, the clearest first.
local function differences(a, b)
  local of_a, of_b = content.summary(a), content.summary(b)
  local parts = values.map(promotions(of_a.types, of_b.types), function(one) return one.what end)
  for _, one in ipairs(promotions(of_b.types, of_a.types, true)) do parts[#parts + 1] = one.what end
  if donated(a) ~= donated(b) then parts[#parts + 1] = more(donated(a), donated(b), "donated buffer") end
  for _, opcode in ipairs(keys_of(of_a.counts, of_b.counts)) do
    local was, is = of_a.counts[opcode] or 0, of_b.counts[opcode] or 0
    if was ~= is and not content.LIGHT[opcode] and opcode ~= "call" then parts[#parts + 1] = more(was, is, opcode) end
  end
  return #parts > 0 and numbers.some(parts, MOST, ", ") or "the same opcodes with other operands or attributes"
end

-- A dump at the start of a pipeline has the changes of what ran before it without a dump.
local function name_of(pass) return pass.pass == "pipeline-start" and pass.pipeline or pass.pass end

local function fingerprint_of(path)
  local module = path and dumps.module(path)
  return module and content.fingerprint(module), module
end

-- The name of the first pass after which they differ, by two lists of dumps of --xla_dump_hlo_pass_re=.*; nil unless
-- both have dumps. XLA dumps a pass only if it changed the module.
local function first_pass(old, new)
  for i = 1, #old > 0 and #new > 0 and math.max(#old, #new) or 0 do
    if not old[i] or not new[i] then return name_of(old[i] or new[i]) end
    local function is_same(pass) return pass.pass == old[i].pass and pass.pipeline == old[i].pipeline end
    if not is_same(new[i]) then return name_of(values.find({ table.unpack(new, i) }, is_same) and new[i] or old[i]) end
    if fingerprint_of(old[i].path) ~= fingerprint_of(new[i].path) then return name_of(new[i]) end
  end
end

-- { module, name, fingerprint } of each module, the largest first. "jit_f.12" is "jit_f": older releases of JAX
-- number them.
local function entries(modules)
  return values.sort_by(values.map(modules, function(module)
    return { module = module, name = module.name:gsub("%.%d+$", ""), fingerprint = content.fingerprint(module) }
  end), function(entry) return -content.size(entry.module) end)
end

-- Pairs what has the same key(entry), in order. Returns what is left of both lists.
local function pair_by(key, before, after, found)
  local taken, _, by_key = {}, values.grouped(after, key)
  local rest = values.map(before, function(entry)
    local other = table.remove(by_key[key(entry)] or {}, 1)
    if not other then return entry end
    taken[other], found[#found + 1] = true, { before = entry, after = other }
  end)
  return rest, values.map(after, function(entry) return not taken[entry] and entry or nil end)
end

-- By which the modules of both sides are paired, one after the other.
local SAME <const> = {
  function(one) return one.name .. " " .. one.fingerprint end,
  function(one) return one.fingerprint end,
  function(one) return one.name end,
}

-- Adds where the two began to differ: a finding of its own, or the pass.
local function add_origin(findings, before, after)
  local one, a = fingerprint_of(before.before)
  local other, b = fingerprint_of(after.before)
  if one and other and one ~= other then
    return table.insert(findings, 1, { kind = "input", module = after.name, before = before.before,
      after = after.before, what = after.name .. ": XLA was given another program: " .. differences(a, b) })
  end
  local pass = first_pass(before.passes or {}, after.passes or {})
  for _, finding in ipairs(pass and findings or {}) do finding.pass = pass end
end

--- Names the pass after which a module begins to differ in the first of its findings; `dumped` are findings that have
--- the passes.
function compare.name_passes(findings, dumped)
  local passes = {}
  for _, finding in ipairs(dumped) do passes[finding.module] = passes[finding.module] or finding.pass end
  for _, finding in ipairs(findings) do
    local pass = passes[finding.module]
    finding.what, passes[finding.module] = finding.what .. (pass and " after pass " .. pass or ""), nil
  end
end

-- A finding for each name that only one side has.
local function unmatched(entries_of_side, is_new)
  return values.map((values.grouped(entries_of_side, function(entry) return entry.name end)), function(group)
    local name, before, after = group[1].name, is_new and 0 or #group, is_new and #group or 0
    return { kind = "module", module = name, before = before, after = after,
      what = name .. ": " .. more(before, after, "module") }
  end)
end

--- The findings about two lists of modules; {} if both compile to the same programs.
function compare.diff(before, after)
  local found, gone, new = {}, entries(before), entries(after)
  for _, key in ipairs(SAME) do gone, new = pair_by(key, gone, new, found) end
  local of_pairs = values.flat(found, function(pair)
    local same = pair.before.fingerprint == pair.after.fingerprint
    local about = compare_modules(pair.before.module, pair.after.module, same)
    if not same and #about > 0 then add_origin(about, pair.before.module, pair.after.module) end
    return about
  end)
  return values.flat { of_pairs, unmatched(gone, false), unmatched(new, true) }
end

return compare
