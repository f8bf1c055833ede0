-- The trials of one build, for whichever of its subjects they were made: those in the store first, oldest first, then new ones.

local trials = require "lib/sweep/trial"

local Queue = {}
Queue.__index = Queue

local UNUSABLE = { running = true, interrupted = true, set_aside = true }  -- running: broken off by an error, in this very script

-- Trials that may be used again: not those broken off, those the script asks to redo, and those set aside.
local function earlier(store, keys, redo, suspicion)
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

--- `keys`: of every subject that is this build.
function Queue.new(store, keys, redo, prepare, suspicion)
  return setmetatable({ stored = earlier(store, keys, redo, suspicion), used = 0, trials = {}, prepare = prepare }, Queue)
end

--- Whether the next trial must be run.
function Queue:empty() return self.used >= #self.stored end

local function prepared(self, subject)
  while self.preparing do reg.sleep(0.01) end  -- another task is at it
  if self.prepare then
    self.preparing = true
    local ok, why = pcall(self.prepare, subject)
    self.prepare, self.preparing = nil, nil
    if not ok and not (type(why) == "table" and why.kind == "failed_trial") then error(why, 0) end
    if not ok then self.unprepared = why end
  end
  return self.unprepared
end

--- The next trial: out of the store, or run for `subject` as trial.run has it. True beside it where it was run now.
function Queue:take(subject, o)
  self.used = self.used + 1
  local number = self.used
  local trial, fresh = self.stored[number], false
  if not trial then
    fresh = true
    local why = prepared(self, subject)
    local call = setmetatable({ measure = why and function() error(why, 0) end or o.measure }, { __index = o })
    trial = o.suspicion:run(o.store, function(may_run_again) return trials.run(subject, call, number, may_run_again) end)
  end
  self.trials[number] = trial
  return trial, fresh
end

return Queue
