-- Collects what the levels of the evidence say of both ends.

local command = require "lib/why/command"
local instrumented = require "lib/instrumented"
local find, map = require("lib/values").find, require("lib/values").map
local jit = require "lib/why/levels/jit"
local surroundings = require "lib/why/levels/surroundings"
local times = require "lib/why/levels/times"
local xla = require "lib/why/levels/xla"

-- The levels, cheapest first. Each is a table:
--   name
--   pass        in which collected runs it looks: "plain", those of the program as it is, or "dump", those in which a
--               compiler writes what it makes
--   look(one)   what it sees of an end before a run
--   measures    whether it collects numbers that the load of the machine moves
--   applies(runs)                   whether it has something to collect of an end, by its plain runs; else why not
--   around(call, execute, folder, seen)   runs the command so that it can be read: what execute(call) returns. It may
--                                   change `call`; `folder` is its own for this run, and stays until the findings are
--                                   used. `seen`: what it read of each end so far, as two lists, with both `ends`
--   read(run, one, looked)          what it collected of a run; nil and why not. `looked`: what look saw
--   compare(before, after, seen)    findings of two lists of what was collected, and in a sentence what they mean; a
--                                   level without it collects for another one, and is among the last
-- An end `one` has `call`, options of reg.process.run or reg.container.run, and `parts` (lib/why/command).
local levels <const> = { surroundings.environment, surroundings.artifact, jit.jit, xla.program, times.kernels,
  times.host, jit.misses }

-- Each end runs twice a pass. Load that begins, ends, or comes and goes once hits both runs of an end only if it hits
-- one of the other as well, and then their ranges overlap: no finding. Neighboring runs of an end would be hit alone.
local TURNS <const> = { 1, 2, 1, 2 }

local attempt = instrumented.attempt  -- where something cannot be collected, other levels still can
local collect = { TURNS = TURNS }

-- Runs an end once, seen by all of these levels. What a level cannot do it says by raising: it is passed over.
local function run_once(self, one, looking)
  if one.build then command.build(one.build(one.parts), one.name) end  -- the other end's build may have replaced it
  local call, run, folder = command.call(one), instrumented.execute, string.format("%s/%d", self.folder, self.runs)
  for _, level in ipairs(looking) do
    local inner = run
    run = function(given) return level.around(given, inner, folder .. "/" .. level.name, self.collected[level.name]) end
  end
  return instrumented.check(one.name, run(call))
end

-- The runs of each end in a pass. Keeps what each level read of them, and what is compared where all of them say it.
local function run_pass(self, pass, looking)
  local runs = { {}, {} }
  for _, side in ipairs(TURNS) do
    local one, looked = self.ends[side], {}
    self.progress:update { done = self.runs, subject = one.name .. " with collection" }
    for _, level in ipairs(looking) do looked[level.name] = level.look and level.look(one) end
    local run = run_once(self, one, looking)
    self.runs = self.runs + 1
    runs[side][#runs[side] + 1] = run
    for _, level in ipairs(looking) do
      local read, why = attempt(level.read, run, one, looked[level.name])
      table.insert(self.collected[level.name][side], read)
      if not read then self.whys[level.name] = self.whys[level.name] or why end
    end
  end
  local before, after = map(runs[1], self.value), map(runs[2], self.value)
  self.values[pass] = #before == #runs[1] and #after == #runs[2] and { before, after } or nil
  return runs
end

local function levels_of(self, pass, runs)
  return map(levels, function(level)
    local applies = level.pass == pass
    for side = 1, applies and level.applies and 2 or 0 do
      if applies then applies, self.whys[level.name] = level.applies(runs[side]) end
    end
    return applies and level or nil
  end)
end

-- What a level says: { name =, pass =, findings =, said =, why = of one that is passed over }.
local function compared(self, level)
  local seen, why, findings, said = self.collected, self.whys[level.name], nil, nil
  local before, after = table.unpack(seen[level.name])
  if not why and #before > 0 and #after > 0 then findings, said = attempt(level.compare, before, after, seen) end
  return { name = level.name, pass = level.pass, findings = findings or {}, said = findings and said,
    why = not findings and (why or said or "nothing was collected") or nil }
end

-- Runs both ends twice more for the levels that measure, and puts what these find in place of what they found before:
-- two runs of an end that load hit differently hide any difference between the ends.
local function measure_again(self, found)
  local function again(level, i) return level.measures and not found[i].why and level or nil end
  local looking = map(levels, again)
  if #looking == 0 then return end
  for _, level in ipairs(looking) do self.collected[level.name] = { {}, {}, ends = self.ends } end
  self.progress:update { done = self.runs, total = self.runs + #TURNS }
  run_pass(self, "plain", looking)
  for i, level in ipairs(levels) do found[i] = again(level, i) and compared(self, level) or found[i] end
end

--- What the levels found of two ends: a list with an entry for each, `values` = what value(run) reads of the runs of
--- each pass, `seen` = what each level collected of both ends by its name, and `runs`, how many there were. `folder`:
--- for dumps; it exists, and stays until the findings are used. `differs`: there is something to find, and if the first
--- two runs of each end say nothing, two more are worth it.
function collect.both(both, folder, progress, value, differs)
  local self = { ends = both, folder = folder, progress = progress, value = value, values = {}, collected = {},
    whys = {}, runs = 0 }
  for _, level in ipairs(levels) do self.collected[level.name] = { {}, {}, ends = both } end
  local found = { values = self.values, seen = self.collected }
  local dumping = levels_of(self, "dump", run_pass(self, "plain", levels_of(self, "plain")))
  if #dumping > 0 then run_pass(self, "dump", dumping) end
  for i, level in ipairs(levels) do found[i] = level.compare and compared(self, level) end
  local function counts(finding) return not finding.is_program end
  local differing = find(found, function(level) return find(level.findings, counts) end)
  if differs and #dumping == 0 and not differing then measure_again(self, found) end
  found.runs = self.runs
  return found
end

return collect
