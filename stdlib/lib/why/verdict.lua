-- From the findings of all levels to the one that is named first, and what is left unexplained.

local counts = require("lib/report/why").counts
local ends = require "lib/why/two_ends"
local some = require("lib/report/numbers").some
local values = require "lib/values"
local find, map, only = values.find, values.map, values.only

local verdict = {}

local MOST <const> = 0.5       -- of the slowdown: a finding with as much explains it
local REMOVED <const> = 0.5    -- of the slowdown: if collecting removes more, shares of what was collected mean nothing
local STATED <const> = 1       -- the confidence of what both runs of both ends state alike: a version, a fusion

local MEASURED <const> = { host = true, kernels = true }  -- levels of numbers; the others state facts
local OF_WALL <const> = { host = true, jit = true }       -- levels whose shares are of the wall time

--- Drops times that differ by no more than those of one command do: 3 standard errors of the difference between the
--- means of two runs an end, by the noise of the runs without collection. `name`: of the level that this is for, unless
--- for all.
function verdict.drop_noise(collected, slowdown, name)
  local least = 3 * (slowdown.noise or 0) * math.sqrt((slowdown.a ^ 2 + slowdown.b ^ 2) / 2)
  for _, level in ipairs(collected) do
    local is_measured = MEASURED[level.name] and (not name or name == level.name)
    level.findings = reg.json.array(only(level.findings, function(finding)
      return not (is_measured and finding.unit == "s" and math.abs(finding.after - finding.before) < least)
    end))
  end
end

--- Takes the shares away where they mean nothing, and says why; gives each finding its confidence.
function verdict.check_shares(collected, slowdown, is_wall)
  local notes = {}
  for _, level in ipairs(collected) do
    local runs, lost = collected.values[level.pass], false
    -- The part of the slowdown that is missing in the collected runs of a pass; 0 where it is not known.
    local part = runs and #runs[1] > 0 and #runs[2] > 0
      and 1 - (ends.mean(runs[2]) - ends.mean(runs[1])) / (slowdown.b - slowdown.a) or 0
    for _, finding in ipairs(level.findings) do
      lost = lost or part > REMOVED and finding.share ~= nil
      local of_another = OF_WALL[level.name] and not is_wall
      if part > REMOVED or of_another or slowdown.verdict == "inconclusive" then finding.share = nil end
      finding.confidence = finding.confidence or STATED
    end
    if lost and slowdown.verdict ~= "inconclusive" then notes[#notes + 1] = { level = level.name, removed = part } end
  end
  return notes
end

--- What the level of this name found.
function verdict.level(collected, name) return (find(collected, function(level) return level.name == name end)) end

local function first_of(collected, name, is_it)
  local findings = verdict.level(collected, name).findings
  return is_it and (find(findings, is_it)) or not is_it and findings[1] or nil
end

local function explains(finding) return (finding.share or 0) >= MOST end

-- The findings of the environment, without variables that were exchanged.
local function not_swapped(collected, swaps)
  return only(verdict.level(collected, "environment").findings, function(finding)
    return not find(swaps, function(one)
      local name = (one.variable or one.name) .. " "
      return finding.what:sub(1, #name) == name
    end)
  end)
end

-- The function that is named for what tracing and compiling take: the program's own before the operations in it.
local function of_tracing(collected)
  local shared = map(verdict.level(collected, "jit").findings, function(one) return one.share and one end)
  local first = find(shared, function(one) return one.again end) or shared[1]
  return values.sum(shared, function(one) return one.share end) >= MOST and first or nil
end

-- The likeliest cause in what a command itself does: what was timed, what is known to differ, the rest.
local function of_command(collected)
  return first_of(collected, "kernels", explains) or of_tracing(collected)
    or first_of(collected, "host", function(one) return explains(one) and one.what:find "^import " end)
    -- a function that is compiled again and again, and what that costs was not measured
    or first_of(collected, "jit", function(one) return one.again and not one.share end)
    or first_of(collected, "program") or first_of(collected, "host", explains) or first_of(collected, "kernels")
    -- that a program was changed is what was to be explained; that a library below it was says more
    or first_of(collected, "artifact", function(one) return not one.is_program end) or first_of(collected, "host")
end

-- Whether what was exchanged has packages.
local function has_packages(one) return one.kind == "python" or one.kind == "image" or one.name == "PYTHONPATH" end

--- The finding that is named first; nil if there is none, and whether the program itself differs, which is not a cause.
--- `swaps`: lib/why/swap, which are evidence of a cause.
function verdict.top(collected, swaps)
  local first, others = swaps[1], map(not_swapped(collected, swaps), function(finding) return finding.what end)
  local packages = #others > 0 and some(others, 2, "; ") or nil
  for _, one in ipairs(swaps) do  -- what is behind another Python, another folder of packages or another image
    if has_packages(one) then one.what = packages or one.what end
  end
  if first and first.only and first.kind == "image" and not packages then first = nil end  -- which is known
  if first and explains(first) and first.kind ~= "command" then return first end
  local own, program = of_command(collected), first_of(collected, "artifact")
  if first and explains(first) then
    own = own or program
    if own then own.moves_with = first end
    return own or first
  end
  local top = own and explains(own) and own or first_of(collected, "environment") or own
  return top, not top and program ~= nil
end

--- What differs in the environments and was not exchanged, where the top only says what the slowdown consists of, such
--- as waiting: that may be why. {} for any other top.
function verdict.beside(top, collected, swaps)
  if not top or top.level ~= "host" then return {} end
  local exchanged = find(swaps, has_packages)
  return only(not_swapped(collected, swaps), function(finding) return not (exchanged and finding.package) end)
end

--- What is left of the slowdown beside the findings of the top's level: shares add up within a level only.
function verdict.unexplained(top, collected, swaps)
  if not top or not top.share then return nil end
  local list = top.level == "swap" and swaps or verdict.level(collected, top.level).findings
  return math.max(0, 1 - values.sum(list, function(one) return counts(one) and one.share or 0 end))
end

--- Whether the ends run the same compiled program, and something was compared to say so.
function verdict.identical(collected)
  local levels = map({ "program", "artifact" }, function(name) return verdict.level(collected, name) end)
  local function differs(level) return #level.findings > 0 end
  local function is_identical(level) return level.said and level.said:find "identical" end
  return not find(levels, differs) and find(levels, is_identical) ~= nil
end

return verdict
