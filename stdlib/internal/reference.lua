-- A subject that is measured again and again, to see whether the machine moved and not the subjects. Where it did, what was
-- measured since the last good check is worth nothing.

local trials = require "internal/trial"

local FIRST = 3    -- runs that say what it measures
local RECENT = 3   -- runs that must say that it moved
local SIGMAS = 4   -- standard errors that chance does not reach
local TRIES = 3    -- for a run that gives a number

local function time(seconds) return reg.time.format(math.floor(seconds)) end

local Reference = {}
Reference.__index = Reference

-- `o`: subject, label, every, min_effect, metric, run(number) -> a trial, and stored: its earlier trials.
function Reference.new(o)
  local self = setmetatable(o, Reference)
  self.values, self.ids, self.runs, self.since = {}, {}, 0, 0
  self.last_good = 0  -- when the last run that agreed with the first ones was started
  for _, trial in ipairs(self.stored) do
    local value = trials.value(trial, self.metric)
    if value then self:keep(trial, value) end
  end
  return self
end

function Reference:keep(trial, value)
  self.values[#self.values + 1], self.ids[#self.ids + 1] = value, trial.id
  if not self.base and #self.values >= FIRST then self.base = trials.median(self.values) end
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

-- How far these runs are off, where that is more than chance and more than matters. A median: one odd run is no move.
function Reference:off(recent, noise)
  local far = trials.median(recent) / self.base - 1
  local error_of_median = noise * math.sqrt(1 / FIRST + 1 / #recent)
  return math.abs(far) > math.max(self.min_effect / 2, SIGMAS * error_of_median) and far or nil
end

--- Whether to check before more is measured.
function Reference:due() return not self.checked or self.since >= self.every end

--- Told of each run of a subject that was made now.
function Reference:count(fresh) self.since = self.since + fresh end

--- Measures it; where it moved, why in words. `noise`: relative standard deviation of a run.
function Reference:check(noise)
  self.checked, self.since = true, 0
  while not self.base do
    local trial, value = self:measure()
    if not trial then core.fail("usage", "sweep: the reference " .. self.label .. " gives no number: " .. value) end
    self:keep(trial, value)
    if self.base then return nil end
  end
  local made, recent = {}, {}
  while #recent < RECENT do
    local trial, value = self:measure()
    if not trial then return "the reference " .. self.label .. " gives no number any more: " .. value, made end
    made[#made + 1], recent[#recent + 1] = trial, value
    if not self:off(recent, noise) then
      for i, good in ipairs(made) do self:keep(good, recent[i]) end
      return nil
    end
  end
  return string.format("the reference %s went from %.5g to %.5g (%+.1f %%) between %s and %s", self.label, self.base,
    trials.median(recent), 100 * self:off(recent, noise), time(self.last_good), time(made[1].started)), made
end

return Reference
