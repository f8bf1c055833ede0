-- The trials of one build, whichever of its subjects they were made for: the stored ones first, oldest first, then new
-- ones.

local trials = require "lib/sweep/trial"

local Queue = {}
Queue.__index = Queue

-- A trial that is still "running" was cut short by an error in this very script.
local UNUSABLE = { running = true, interrupted = true, set_aside = true }

-- The trials that may be used again: none that was interrupted or discarded, and none of a status to redo.
local function usable(store, keys, redo, suspicion)
  local kept = {}
  for _, key in ipairs(keys) do
    for _, trial in ipairs(store:trials { key = key }) do
      local again = UNUSABLE[trial.status] or suspicion:is_undone(store, trial)
      for _, status in ipairs(redo) do again = again or trial.status == status end
      if not again then kept[#kept + 1] = trial end
    end
  end
  table.sort(kept, function(a, b) return a.id < b.id end)
  return kept
end

--- `o`: what all trials of the sweep share, as trial.measure takes it, and suspicion, redo (statuses) and prepare, a
--- function that may be nil. `keys`: of every subject that is this build.
function Queue.new(o, keys)
  local stored = usable(o.store, keys, o.redo, o.suspicion)
  return setmetatable({ o = o, stored = stored, used = 0, prepare = o.prepare }, Queue)
end

--- Whether the next trial must be run.
function Queue:empty() return self.used >= #self.stored end

-- Prepares the build once, whichever task comes first; nil, or the failure.
local function prepared(self, subject)
  while self.preparing do reg.sleep(0.01) end
  if self.prepare then
    self.preparing = true
    local ok, why = pcall(self.prepare, subject)
    self.prepare, self.preparing = nil, nil
    if not ok and not (type(why) == "table" and why.kind == "failed_trial") then error(why, 0) end
    if not ok then self.unprepared = why end
  end
  return self.unprepared
end

--- The next trial: a stored one, or one run now for `subject`, whose id and key are given. True beside it where it was
--- run now.
function Queue:take(subject, id, key)
  self.used = self.used + 1
  local number, o = self.used, self.o
  if self.stored[number] then return self.stored[number], false end
  local failure = prepared(self, subject)
  return o.suspicion:run(o.store, function(may_run_again)
    return trials.measure(subject, o, { id = id, key = key, number = number, failure = failure,
      may_run_again = may_run_again })
  end), true
end

return Queue
