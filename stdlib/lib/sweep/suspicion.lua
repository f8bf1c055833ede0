-- What a sweep does with trials whose numbers gpu_watch doubts: it discards them and runs them again, or keeps them.
-- One object for all trials of a sweep.

local POLICIES = { again = true, keep = true }

local EXTRA_RUNS = 2  -- of one measurement that stays suspect
local IN_VAIN = 3     -- measurements in a row that stayed suspect: from then on each is run once

local Suspicion = {}
Suspicion.__index = Suspicion

-- "foreign GPU process: 4711 (python)" is of the kind "foreign GPU process".
local function add_kinds(kinds, why)
  for _, reason in ipairs(why) do kinds[reason:match "^[^:]+"] = true end
end

--- `policy`: "again" (also nil) or "keep".
function Suspicion.new(policy)
  policy = policy or "again"
  if not POLICIES[policy] then
    core.fail("usage", "sweep: 'suspect' must be \"again\" or \"keep\", not '" .. tostring(policy) .. "'")
  end
  return setmetatable({ again = policy == "again", in_vain = 0, extra_runs = 0, set_aside = 0, kinds = {} }, Suspicion)
end

--- Calls run(may_run_again), which returns a trial, until a trial is not suspect or enough were run. Returns the last
--- one; the store keeps the others as discarded, with the reason.
function Suspicion:run(store, run)
  for extra = 0, EXTRA_RUNS do
    local trial = run(self.again and self.in_vain < IN_VAIN and extra < EXTRA_RUNS)
    local suspect = trial.info.suspect
    if not suspect then self.in_vain = 0 end
    if not suspect or not suspect.run_again then
      if suspect and extra == EXTRA_RUNS then self.in_vain = self.in_vain + 1 end
      return trial
    end
    self:discard(store, trial)
    self.extra_runs = self.extra_runs + 1
  end
end

function Suspicion:discard(store, trial)
  local why = trial.info.suspect.why
  store:set_aside(trial.id, "suspect: " .. table.concat(why, ", "))
  self.set_aside = self.set_aside + 1
  add_kinds(self.kinds, why)
end

--- Whether a stored trial was about to be run again when the engine was stopped; if so, it is discarded.
function Suspicion:is_undone(store, trial)
  local suspect = trial.info.suspect
  if not (self.again and suspect and suspect.run_again) then return false end
  self:discard(store, trial)
  return true
end

local function sorted(kinds)
  local list = {}
  for kind in pairs(kinds) do list[#list + 1] = kind end
  table.sort(list)
  return list
end

--- Of `asked`, the runs that the answer rests on: how many are suspect, how many were discarded, and why; nil if there
--- are none.
function Suspicion:summary(asked)
  local kinds = self.kinds
  local found = { trials = 0, of = #asked, set_aside = self.set_aside, in_vain = self.in_vain >= IN_VAIN }
  for _, entry in ipairs(asked) do
    if entry.suspect then
      found.trials = found.trials + 1
      add_kinds(kinds, entry.suspect)
    end
  end
  if found.trials + found.set_aside == 0 then return nil end
  found.why = sorted(kinds)
  return found
end

--- The summaries of two sweeps as one.
function Suspicion.together(a, b)
  if not a or not b then return a or b end
  local kinds = {}
  add_kinds(kinds, a.why)
  add_kinds(kinds, b.why)
  return { trials = a.trials + b.trials, of = a.of + b.of, set_aside = a.set_aside + b.set_aside,
    in_vain = a.in_vain or b.in_vain, why = sorted(kinds) }
end

return Suspicion
