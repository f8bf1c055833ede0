-- How often JAX traces and compiles each function of a command, the time that it takes, and why JAX traces it again in
-- its own words; and what torch compiles again, if the command runs with TORCH_LOGS=recompiles.

local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local record = require "lib/jit/record"
local values = require "lib/values"

local jit = { name = "jit", pass = "plain" }

function jit.around(call, execute, folder) return instrumented.briefly(record.into, call, folder, execute) end

function jit.read(run)
  local counted = #run.jit.functions > 0 or #run.jit.compiled > 0 or run.jit.recompiles_logged
  if not counted then return nil, record.why_not(run.jit, "") end
  run.jit.wall_s = run.wall_s
  return run.jit
end

-- The seconds that each finding stands for: those of a function once, and those of all functions only where no
-- function has any.
local function seconds_by(found, before, after)
  local by = {}
  local function name_of(one) return one.name and one.name:match "[^.]+$" end
  for _, one in ipairs(values.unique(found, name_of)) do
    local name = name_of(one)
    local seconds = ends.difference(before, after, function(run)  -- of tracing, lowering and compiling it
      return values.sum(run.compiled, function(row)
        return row.name == name and row.trace_s + row.lower_s + row.compile_s or 0
      end)
    end)
    by[one] = seconds > 0 and seconds or nil
  end
  for _, one in ipairs(next(by) == nil and found or {}) do
    by[one] = not one.name and one.after > one.before and one.after - one.before or nil
  end
  return by
end

-- Shares of the time by which the runs differ. Functions that are traced within another have its seconds too: shares
-- that add up to more than that time are given to none.
local function give_shares(found, before, after)
  local slower = ends.difference(before, after, function(run) return run.wall_s end)
  if not slower or slower <= 0 then return end
  local by = seconds_by(found, before, after)
  if values.sum(found, function(one) return by[one] end) > 1.1 * slower then return end
  for one, seconds in pairs(by) do one.share = math.min(seconds / slower, 1) end
end

local function is_more_often(finding) return finding.before > 0 and finding.after > finding.before end

-- Marks functions that both ends trace, and that are traced and compiled more often than before, or recompiled; also
-- those that are run operation by operation now, as with jax_disable_jit.
local function mark_again(found)
  local compiled = {}
  for _, one in ipairs(found) do
    if one.kind == "compiled" then compiled[one.name] = is_more_often(one) or one.before > 0 and one.after == 0 end
  end
  for _, one in ipairs(found) do
    local traced = one.kind == "traced" and is_more_often(one) and compiled[one.name:match "[^.]+$"]
    one.again = traced or one.kind == "recompiled" and one.after > one.before or nil
  end
end

-- Why JAX traces functions again: for the findings of the level jit, in runs whose times count for nothing, since JAX
-- explains at length.
local misses = { name = "misses", pass = "dump" }

function misses.applies(runs)
  return values.find(runs, function(run) return run.jit and #run.jit.functions > 0 end) ~= nil
end

function misses.around(call, execute, folder) return instrumented.briefly(record.into, call, folder, execute, true) end

function misses.read(run) return run.jit end

-- What JAX says of a miss of its tracing cache with JAX_EXPLAIN_CACHE_MISSES=1 (0.4.24 and newer, whose words differ),
-- and what is different in ours, whose %1 is the first that the pattern captures: a type at a place in the arguments, a
-- static argument, an option, or how it is called.
local EXPLAINED <const> = {
  { "%* at ([^\n]-), now ([^\n]-) and before ([^\n]+)", "%1 is %2, before %3" },  -- 0.6.2 and 0.10.2
  { "%* at ([^\n]-), seen ([^\n]-), but now given ([^\n]+)", "%1 is %3, before %2" },  -- 0.4.30
  { "%* (%S+) differs: now ([^\n]-) and before ([^\n]+)", "%1 is %2, before %3" },
  { "never seen passing (%d+) positional args and (%d+) keyword args",
    "it is called with %1 positional and %2 keyword arguments for the first time" },
  { "different value of static args:%s*now ([^\n]-) and before ([^\n]+)", "a static argument is %1, before %2" },
  { "re%-defined repeatedly", "it is defined anew each time" },
  { "racing context doesn't match", "an option or context manager of JAX differs" },
}

-- Without what is only of use to developers of JAX.
local function plain(value)
  value = value:gsub("<class '[^']*'> with pytree metadata ", "")
  return (value:gsub(", so the pytree node metadata does not match", ""):gsub("%s+$", ""))
end

local function difference_in(why)
  for _, form in ipairs(EXPLAINED) do
    local parts = { why:match(form[1]) }
    if #parts > 0 then return (form[2]:gsub("%%(%d)", function(place) return plain(parts[tonumber(place)]) end)) end
  end
end

-- The last of the `list` of misses that is of this function and says what was different, in words; nil without one.
local function reason_of(list, fun)
  local name = fun.name:match "[^.]+$"
  for i = #list, 1, -1 do
    local why = list[i].why or ""
    local of, at = why:match "^for (%S+) defined at ([^\n]+)"
    if not of then of, at = why:match "^never seen function:%s*(%S+) id=%d+ defined at ([^\n]+)" end
    local said = of == name and at == fun.at and difference_in(why)
    if said then return said end
  end
end

-- Adds the reason to findings of functions that B traces more often.
local function add_reasons(findings, explained)
  for _, finding in ipairs(findings) do
    for _, fun in ipairs(finding.again and finding.kind == "traced" and explained.functions or {}) do
      local why = not finding.reason and fun.name == finding.name and reason_of(explained.misses, fun)
      if why then finding.what, finding.reason = finding.what .. ": " .. why, why end
    end
  end
end

function jit.compare(before, after, seen)
  local found = reg.jit.diff(before, after)
  give_shares(found, before, after)
  mark_again(found)
  local explained = seen and seen.misses[2][1]  -- of the first run of B
  if explained then add_reasons(found, explained) end
  return found
end

return { jit = jit, misses = misses }
