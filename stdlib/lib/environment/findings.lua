-- What differs between the environments of two ends, as findings, the likeliest cause of a slowdown first.

local ends = require "lib/why/two_ends"
local some = require("lib/report/numbers").some
local surroundings = require "lib/identity/surroundings"
local values = require "lib/values"

local find, map, merged, sorted_names = values.find, values.map, values.merged, values.sorted_names

local findings = {}

-- Variables that say where a program was started, not how it runs.
local VOLATILE <const> = { "^PWD$", "^OLDPWD$", "^HOSTNAME$", "^HOST$", "^SHLVL$", "^_$", "^REGENGINE_", "^SSH_",
  "^TERM", "^COLUMNS$", "^LINES$", "^COLORTERM$", "^LS_COLORS$", "^DISPLAY$", "^WINDOW", "^TMUX", "^STY$",
  "^XDG_SESSION", "^XDG_RUNTIME_DIR$", "^DBUS_", "^INVOCATION_ID$", "^JOURNAL_STREAM$", "^LESS", "^PS%d$",
  "^GPG_TTY$", "^VTE_", "^HIST", "^PAGER$", "^EDITOR$" }

local function any(patterns, name) return find(patterns, function(pattern) return name:find(pattern) end) end

local GPU_FIELDS <const> = { { "name", "GPU" }, { "driver", "GPU driver" }, { "cuda", "newest CUDA of the driver" },
  { "power_limit_w", "GPU power limit, W" }, { "persistence", "GPU persistence mode" }, { "ecc", "GPU ECC" },
  { "mig", "GPU MIG mode" } }

-- The facts of an environment, { [kind .. "\0" .. name] = value }, and which kinds were collected.
local function facts_of(environment)
  local found, kinds = {}, {}
  local function add(kind, name, value)
    if value ~= nil then kinds[kind], found[kind .. "\0" .. name] = true, tostring(value) end
  end
  local function add_all(kind, all)
    for name, value in pairs(all or {}) do add(kind, name, value) end
    kinds[kind] = kinds[kind] or all ~= nil
  end
  local image, cpu, gpus = environment.image or {}, environment.cpu or {}, environment.gpus
  add_all("checkout", environment.checkouts)
  add("python", "Python", environment.python)
  for _, manager in ipairs { "pip", "conda", "dpkg" } do add_all(manager, (environment.packages or {})[manager]) end
  add("toolkit", "CUDA Toolkit", environment.cuda)
  add_all("library", environment.libraries)
  add("gpu", "number of GPUs", gpus and #gpus)
  for _, field in ipairs(gpus and GPU_FIELDS or {}) do  -- the same value of all GPUs once, else that of each
    local of_each = map(gpus, function(gpu) return tostring(gpu[field[1]]) end)
    local differs = find(of_each, function(value) return value ~= of_each[1] end)
    add("gpu", field[2], differs and table.concat(of_each, ", ") or of_each[1])
  end
  add_all("variable", environment.variables)
  add("cpu", "CPU", cpu.model)
  add("cpu", "CPU flags", cpu.flags and table.concat(cpu.flags, " "))
  add("cpu", "number of CPUs", cpu.count)
  add("cpu", "CPUs that it may use", cpu.allowed)
  if cpu.allowed then add("cpu", "limit of the CPU time, in CPUs", cpu.quota or "none") end
  add_all("setting", environment.settings)
  add("system", "kernel", environment.kernel)
  add("system", "architecture", environment.architecture)
  add("os", "OS", environment.os)
  add_all("label", image.labels)
  return found, kinds
end

-- What differs between two environments: { kind =, name =, before =, after = }, nil where it is absent. A kind of facts
-- that was collected of one alone is passed over.
local function differing(a, b)
  local before, kinds_before = facts_of(a)
  local after, kinds_after = facts_of(b)
  local function differs(kind, name)
    local key = kind .. "\0" .. name
    return kinds_before[kind] and kinds_after[kind] and before[key] ~= after[key]
  end
  return map(sorted_names(merged(before, after)), function(key)
    local kind, name = key:match "^(%Z*)%z(.*)$"
    -- Variables that do not count, and packages of conda that pip sees, too.
    local is_left_out = kind == "variable" and any(VOLATILE, name) or kind == "conda" and differs("pip", name)
    return differs(kind, name) and not is_left_out
      and { kind = kind, name = name, before = before[key], after = after[key] } or nil
  end)
end

local MOST_SHOWN <const> = 80  -- characters of a value in a sentence

-- The words of flags in one value, or the folders of a path, in order, that are not in the other one.
local function parts_without(value, other, separator)
  local pattern = "[^" .. separator .. "]+"
  local has = values.set(values.matches(other or "", pattern))
  return map(values.matches(value or "", pattern), function(part) return not has[part] and part or nil end)
end

-- "lost A B; gained C; --d=1 -> --d=2".
local function by_parts(before, after, separator)
  local lost, gained = parts_without(before, after, separator), parts_without(after, before, separator)
  local said = {}
  for i = #lost, 1, -1 do  -- flags whose value alone changed
    local flag = lost[i]:match "^%-[^=]+="
    local _, at = find(gained, function(one) return flag and one:sub(1, #flag) == flag end)
    if at then table.insert(said, 1, table.remove(lost, i) .. " -> " .. table.remove(gained, at)) end
  end
  if #gained > 0 then table.insert(said, 1, "gained " .. table.concat(gained, " ")) end
  if #lost > 0 then table.insert(said, 1, "lost " .. table.concat(lost, " ")) end
  return #said > 0 and table.concat(said, "; ") or "has the same parts in another order or number"
end

--- What changed of a value in words: "XLA_FLAGS lost --xla_gpu_autotune_level=0", "kernel 6.1 -> 6.8", "X set to 1",
--- "X was 1, and is not set".
function findings.value(name, before, after)
  local both = " " .. (before or "") .. " " .. (after or "")
  local separator = name:find "PATH$" and ":" or (name == "CPU flags" or both:find "%s%-%-?%a") and "%s"
  if separator then return name .. " " .. by_parts(before, after, separator) end
  if #(before or "") > MOST_SHOWN or #(after or "") > MOST_SHOWN then return name .. " has another value" end
  if not before then return name .. " set to " .. after end
  if not after then return name .. " was " .. before .. ", and is not set" end
  return name .. " " .. before .. " -> " .. after
end

-- "jaxlib 0.4.30 -> 0.4.31", "jaxlib 0.4.31 added", "xla 1234567890 -> 2345678901".
local function package_words(fact)
  local function short(version)  -- a commit as git writes it in a line
    return #version == 40 and version:match "^%x+$" and version:sub(1, 10) or version
  end
  if not fact.before then return fact.name .. " " .. short(fact.after) .. " added" end
  return fact.name .. " " .. short(fact.before) .. (fact.after and " -> " .. short(fact.after) or " removed")
end

local PACKAGES <const> = values.words "pip conda dpkg"

local function sentence(fact)
  if PACKAGES[fact.kind] or fact.kind == "checkout" then
    return (fact.kind == "checkout" and "checkout " or "") .. package_words(fact)
      .. (fact.kind == "dpkg" and " (dpkg)" or "")
  end
  return findings.value(fact.kind == "label" and "label " .. fact.name or fact.name, fact.before, fact.after)
end

-- Packages that compute, or choose how to. Any other may be the cause, too, and comes later.
local COMPUTING <const> = { "^jax", "^torch", "^tensorflow", "^triton", "^pytorch", "^numpy$", "^scipy$", "^flax$",
  "^nvidia%-", "^cupy", "^numba", "^onnx", "^transformer", "^flash", "^xformers", "^libcu[bdfs]", "^libnccl",
  "^libnv", "^cuda", "^mkl", "^libopenblas", "^openblas", "^libc6$", "^rocm", "^xla" }

-- Computing packages are 2, and variables that frameworks read 5.
local RANKS <const> = { checkout = 1, python = 3, toolkit = 3, library = 3, gpu = 4, cpu = 6, setting = 6, system = 7,
  os = 8, pip = 9, conda = 10, variable = 11, dpkg = 12, label = 13 }

local function rank_of(fact)
  if PACKAGES[fact.kind] and any(COMPUTING, fact.name) then return 2 end
  if fact.kind == "variable" and surroundings.matters(fact.name) then return 5 end
  return RANKS[fact.kind]
end

-- More packages than these of one manager that do not compute are one finding, which names the first of them.
local MOST_PACKAGES <const>, MOST_NAMED <const> = 5, 3

local function change_of(fact) return not fact.before and "added" or not fact.after and "removed" or "changed" end

local function grouped(group, what)
  local function side(name)
    local list = map(group, function(fact) return fact[name] and fact.name .. " " .. fact[name] end)
    return #list > 0 and table.concat(list, "\n") or nil
  end
  local said = map(group, function(fact)
    return change_of(fact) == "changed" and package_words(fact) or fact.name .. " " .. (fact.after or fact.before)
  end)
  return { level = "environment", what = #group .. " " .. what .. ": " .. some(said, MOST_NAMED, ", "),
    before = side "before", after = side "after" }
end

local function diff(a, b)
  local facts = values.sort_by(differing(a, b), function(fact) return rank_of(fact), fact.kind, fact.name end)
  local function group_of(fact)  -- packages that do not compute, by manager, and by what happened to them
    return PACKAGES[fact.kind] and rank_of(fact) > 2 and fact.kind .. " packages " .. change_of(fact) or nil
  end
  local _, groups = values.grouped(facts, group_of)
  return map(facts, function(fact)
    local group = groups[group_of(fact)]
    if not group or #group <= MOST_PACKAGES then
      return { level = "environment", what = sentence(fact), before = fact.before, after = fact.after,
        package = fact.kind == "pip" and fact.name or nil }
    end
    return group[1] == fact and grouped(group, group_of(fact)) or nil
  end)
end

--- Findings of two ends, each an environment or a list of them.
function findings.diff(a, b)
  local before, after = ends.lists("environment.diff", a, b)
  return (ends.stated(before, after, diff))
end

return findings
