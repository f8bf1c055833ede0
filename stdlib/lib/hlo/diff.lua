-- Findings about two sets of modules.

local compare = require "lib/hlo/compare"
local match = require "lib/hlo/match"
local passes = require "lib/hlo/passes"
local words = require "lib/hlo/words"

-- Adds a finding for each name in a list of entries that only one side has.
local function add_unmatched(findings, entries, is_new)
  local counts, order = {}, {}
  for _, entry in ipairs(entries) do
    if not counts[entry.name] then order[#order + 1] = entry.name end
    counts[entry.name] = (counts[entry.name] or 0) + 1
  end
  for _, name in ipairs(order) do
    local before, after = is_new and 0 or counts[name], is_new and counts[name] or 0
    findings[#findings + 1] = { kind = "module", module = name, before = before, after = after,
      what = name .. ": " .. words.more(before, after, "module") }
  end
end

-- Adds where the two began to differ: a finding of its own, or the pass.
local function add_origin(findings, pair)
  local before, after = pair.before.module, pair.after.module
  local input = passes.input(before, after)
  if input then
    table.insert(findings, 1, { kind = "input", module = after.name, what = after.name .. ": " .. input,
      before = before.before, after = after.before })
    return
  end
  local pass = passes.first(before, after)
  if not pass then return end
  for _, finding in ipairs(findings) do finding.pass = pass end
  findings[1].what = findings[1].what .. " after pass " .. pass
end

--- The findings; {} if both sides compile to the same programs.
return function(before, after)
  local found, gone, new = match.modules(before, after)
  local findings = {}
  for _, pair in ipairs(found) do
    local same = pair.before.fingerprint == pair.after.fingerprint
    local about = compare(pair.before.module, pair.after.module, same)
    if not same and #about > 0 then add_origin(about, pair) end
    table.move(about, 1, #about, #findings + 1, findings)
  end
  add_unmatched(findings, gone, false)
  add_unmatched(findings, new, true)
  return findings
end
