-- The facts that differ as findings, the likeliest cause of a slowdown first.

local is_volatile = require "lib/environment/volatile"
local surroundings = require "lib/identity/surroundings"
local wording = require "lib/environment/wording"

-- More packages than these of one manager are one finding, and it names the first of them.
local MOST_PACKAGES <const>, MOST_NAMED <const> = 5, 3

local PACKAGES <const> = { pip = true, conda = true, dpkg = true }

-- Packages that compute, or choose how to. Any other may be the cause, too, and comes later.
local COMPUTING <const> = { "^jax", "^torch", "^tensorflow", "^triton", "^pytorch", "^numpy$", "^scipy$", "^flax$",
  "^nvidia%-", "^cupy", "^numba", "^onnx", "^transformer", "^flash", "^xformers", "^libcu[bdfs]", "^libnccl",
  "^libnv", "^cuda", "^mkl", "^libopenblas", "^openblas", "^libc6$", "^rocm", "^xla" }

local function any(patterns, name)
  for _, pattern in ipairs(patterns) do
    if name:find(pattern) then return true end
  end
  return false
end

-- Computing packages are 2, and variables that frameworks read 5.
local RANKS <const> = { checkout = 1, python = 3, toolkit = 3, library = 3, gpu = 4, cpu = 6, setting = 6, system = 7,
  os = 8, pip = 9, conda = 10, variable = 11, dpkg = 12, label = 13, layers = 14 }

local function rank(fact)
  if PACKAGES[fact.kind] and any(COMPUTING, fact.name) then return 2 end
  if fact.kind == "variable" and surroundings.matters(fact.name) then return 5 end
  return RANKS[fact.kind]
end

local function sentence(fact)
  if PACKAGES[fact.kind] or fact.kind == "checkout" then
    local what = wording.package(fact)
    return fact.kind == "dpkg" and what .. " (dpkg)" or fact.kind == "checkout" and "checkout " .. what or what
  end
  if fact.kind == "layers" then return wording.layers(fact.before, fact.after) end
  local name = fact.kind == "label" and "label " .. fact.name or fact.name
  return wording.value(name, fact.before, fact.after)
end

local function finding(what, before, after)
  return { level = "environment", what = what, before = before, after = after }
end

local function change_of(fact)
  return not fact.before and "added" or not fact.after and "removed" or "changed"
end

-- Many packages as one finding.
local function grouped(group)
  local said, before, after = {}, {}, {}
  for i, fact in ipairs(group) do
    if i <= MOST_NAMED then
      said[i] = group.change == "changed" and wording.package(fact) or fact.name .. " " .. (fact.after or fact.before)
    end
    before[#before + 1] = fact.before and fact.name .. " " .. fact.before or nil
    after[#after + 1] = fact.after and fact.name .. " " .. fact.after or nil
  end
  local what = string.format("%d %s packages %s: %s, and %d more", #group, group.kind, group.change,
    table.concat(said, ", "), #group - #said)
  return finding(what, #before > 0 and table.concat(before, "\n") or nil,
    #after > 0 and table.concat(after, "\n") or nil)
end

-- The packages of one manager that do not compute, by what happened to them.
local function group_of(groups, fact)
  local change = change_of(fact)
  local key = fact.kind .. " " .. change
  groups[key] = groups[key] or { kind = fact.kind, change = change }
  return groups[key]
end

-- Conda lists what pip sees as well.
local function without_twins(differing)
  local seen, list = {}, {}
  for _, fact in ipairs(differing) do seen[fact.kind .. " " .. fact.name] = true end
  for _, fact in ipairs(differing) do
    local twin = fact.kind == "conda" and seen["pip " .. fact.name]
    local volatile = fact.kind == "variable" and is_volatile(fact.name)
    if not twin and not volatile then list[#list + 1] = fact end
  end
  return list
end

--- Findings of the facts that differ (lib/environment/facts).
return function(differing)
  local groups, places, list = {}, {}, {}
  local facts = without_twins(differing)
  for _, fact in ipairs(facts) do
    fact.rank = rank(fact)
    if PACKAGES[fact.kind] and fact.rank > 2 then table.insert(group_of(groups, fact), fact) end
  end
  table.sort(facts, function(a, b)
    if a.rank ~= b.rank then return a.rank < b.rank end
    if a.kind ~= b.kind then return a.kind < b.kind end
    return a.name < b.name
  end)
  for _, fact in ipairs(facts) do
    local group = PACKAGES[fact.kind] and fact.rank > 2 and group_of(groups, fact)
    if not group or #group <= MOST_PACKAGES then
      list[#list + 1] = finding(sentence(fact), fact.before, fact.after)
      list[#list].package = fact.kind == "pip" and fact.name or nil
    elseif not places[group] then
      places[group], list[#list + 1] = true, grouped(group)
    end
  end
  return list
end
