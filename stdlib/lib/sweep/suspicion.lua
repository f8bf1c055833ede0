-- What a sweep does with trials whose numbers are not to be believed (gpu_watch says which): they are set aside and run again, or
-- kept. One of these for all the trials of a sweep.

local known = { again = true, keep = true }

local EXTRA_RUNS = 2  -- of one measurement that stays suspect
local IN_VAIN = 3     -- measurements in a row that stayed suspect: the machine is like that, and each is run once from then on

local Suspicion = {}
Suspicion.__index = Suspicion

-- "foreign GPU process: 4711 (python)" is of the kind "foreign GPU process".
local function add_kinds(kinds, why)
  for _, words in ipairs(why) do kinds[words:match "^[^:]+"] = true end
end

--- `policy`: "again" (nil) or "keep".
function Suspicion.new(policy)
  policy = policy or "again"
  if not known[policy] then core.fail("usage", "sweep: 'suspect' is \"again\" or \"keep\", not '" .. tostring(policy) .. "'") end
  return setmetatable({ again = policy == "again", in_vain = 0, extra_runs = 0, set_aside = 0, kinds = {} }, Suspicion)
end

--- Calls run(may_run_again), which gives a trial, until one is believed or enough were run; the last is the result. The others
--- are set aside in the store, with the reason.
function Suspicion:run(store, run)
  for extra = 0, EXTRA_RUNS do
    local trial = run(self.again and self.in_vain < IN_VAIN and extra < EXTRA_RUNS)
    local suspect = trial.info.suspect
    if not suspect then self.in_vain = 0 end
    if not suspect or not suspect.run_again then
      if suspect and extra == EXTRA_RUNS then self.in_vain = self.in_vain + 1 end
      return trial
    end
    self:put_aside(store, trial)
    self.extra_runs = self.extra_runs + 1
  end
end

function Suspicion:put_aside(store, trial)
  local why = trial.info.suspect.why
  store:set_aside(trial.id, "suspect: " .. table.concat(why, ", "))
  self.set_aside = self.set_aside + 1
  add_kinds(self.kinds, why)
end

--- Whether a stored trial was to be run again when the engine was stopped; then it is set aside.
function Suspicion:is_undone(store, trial)
  local suspect = trial.info.suspect
  if not (self.again and suspect and suspect.run_again and trial.status == "ok") then return false end
  self:put_aside(store, trial)
  return true
end

--- Of `asked`, the runs that an answer rests on: how many are suspect and how many were set aside, and why; nil where none was.
function Suspicion:summary(asked)
  local found, kinds = { trials = 0, of = #asked, set_aside = self.set_aside, in_vain = self.in_vain >= IN_VAIN }, self.kinds
  for _, entry in ipairs(asked) do
    if entry.suspect then
      found.trials = found.trials + 1
      add_kinds(kinds, entry.suspect)
    end
  end
  if found.trials + found.set_aside == 0 then return nil end
  found.why = {}
  for kind in pairs(kinds) do found.why[#found.why + 1] = kind end
  table.sort(found.why)
  return found
end

--- The summaries of two sweeps as one.
function Suspicion.together(a, b)
  if not a or not b then return a or b end
  local kinds, both = {}, { trials = a.trials + b.trials, of = a.of + b.of, set_aside = a.set_aside + b.set_aside,
    in_vain = a.in_vain or b.in_vain, why = {} }
  add_kinds(kinds, a.why)
  add_kinds(kinds, b.why)
  for kind in pairs(kinds) do both.why[#both.why + 1] = kind end
  table.sort(both.why)
  return both
end

return Suspicion
