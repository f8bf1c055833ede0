-- A subject that is measured again and again, to see whether the machine moved and not the subjects. Where it did, what was
-- measured since the last good check is worth nothing.

local trials = require "lib/sweep/trial"

local FIRST = 4     -- runs that say what it measures, before anything else is run
local BASE = 8      -- and its good runs up to this one say it better
local RECENT = 3    -- runs that must say that it moved
local SUSPECT = 2   -- standard errors that are looked into with more runs
local SIGMAS = 4    -- and those that chance does not reach
local TRIES = 3     -- for a run that gives a number

local function time(seconds) return reg.time.format(math.floor(seconds)) end

local Reference = {}
Reference.__index = Reference

-- `o`: subject, label, every, min_effect, metric, run(number) -> a trial, and stored: its earlier trials.
function Reference.new(o)
  local self = setmetatable(o, Reference)
  self.values, self.runs, self.since = {}, 0, 0
  self.last_good = 0  -- when the last run that agreed with the first ones was started
  for _, trial in ipairs(self.stored) do
    local value = trials.value(trial, self.metric)
    if value then self:keep(trial, value) end
  end
  return self
end

function Reference:keep(trial, value)
  self.values[#self.values + 1] = value
  if #self.values <= BASE then self.base = trials.median(self.values) end
  self.last_good = trial.started
end

-- One more run; nil and why where it gives no number any more.
function Reference:measure()
  local trial
  for _ = 1, TRIES do
    self.runs = self.runs + 1
    trial = self.run(#self.values + 1)
    local value = trials.value(trial, self.metric)
    if value then return trial, value end
  end
  return nil, trial.status .. ", " .. tostring(trial.message)
end

-- Relative standard deviation of its runs, as the subjects show it or it does itself; a few runs may lie close by chance.
function Reference:noise(of_subjects)
  local sum, n = 0, #self.values
  for _, value in ipairs(self.values) do sum = sum + (value / self.base - 1) ^ 2 end
  return math.max(of_subjects, math.sqrt(sum / (n - 1)) * (1 + 1 / n))
end

-- How far these runs are off, where that is more than chance and more than matters. A median: one odd run is no move.
function Reference:off(recent, of_subjects, sigmas)
  local far = trials.median(recent) / self.base - 1
  local error_of_median = self:noise(of_subjects) * math.sqrt(1 / math.min(#self.values, BASE) + 1 / #recent)
  return math.abs(far) > math.max(self.min_effect / 2, sigmas * error_of_median) and far or nil
end

--- Whether to check before more is measured.
function Reference:due() return not self.checked or self.since >= self.every end

--- Told of each run of a subject that was made now.
function Reference:count(fresh) self.since = self.since + fresh end

--- Measures it; where it moved, why in words, and the trials that say so. `noise`: of the subjects' runs, relative.
function Reference:check(noise)
  self.checked, self.since = true, 0
  local known = #self.values >= FIRST
  while #self.values < FIRST do
    local trial, value = self:measure()
    if not trial then core.fail("usage", "sweep: the reference " .. self.label .. " gives no number: " .. value) end
    self:keep(trial, value)
  end
  if not known then return nil end
  local made, recent = {}, {}
  while #recent < RECENT do
    local trial, value = self:measure()
    if not trial then return "the reference " .. self.label .. " gives no number any more: " .. value, made end
    made[#made + 1], recent[#recent + 1] = trial, value
    if not self:off(recent, noise, #recent < RECENT and SUSPECT or SIGMAS) then
      for i, good in ipairs(made) do
        self.last_good = good.started
        if not self:off({ recent[i] }, noise, SIGMAS) then self:keep(good, recent[i]) end  -- an odd one says nothing of the noise
      end
      return nil
    end
  end
  return string.format("the reference %s went from %.5g to %.5g (%+.1f %%) between %s and %s", self.label, self.base,
    trials.median(recent), 100 * (trials.median(recent) / self.base - 1), time(self.last_good), time(made[1].started)), made
end

return Reference
