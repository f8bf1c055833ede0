-- The reference: a subject that is measured again and again, to tell a change of the machine from a change of the
-- subjects. Once the machine has changed, what was measured since the last check that agreed is discarded.

local median = require "lib/median"
local moved = require "lib/sweep/moved"
local trials = require "lib/sweep/trial"

local EVERY = 8     -- runs of subjects between two checks
local FIRST = 4     -- runs that establish its level, before anything else is run
local BASE = 8      -- good runs up to this one refine the level
local SUSPECT = 2   -- standard errors from which on it is run again
local SIGMAS = 4    -- standard errors that chance does not reach
local TRIES = 3     -- for a run that gives a number

local function time(seconds) return reg.time.format(math.floor(seconds)) end

local Reference = {}
Reference.__index = Reference

--- `o`: id, label, every (nil for 8), min_effect, metric, run() -> a new trial, and stored: its earlier trials.
function Reference.new(o)
  local self = setmetatable(o, Reference)
  self.every = self.every or EVERY
  self.values, self.runs, self.since = {}, 0, 0
  self.last_good = 0  -- the last trial that agreed with the first ones, and when it was started
  self.last_good_at = 0
  for _, trial in ipairs(self.stored) do
    local value = trials.value(trial, self.metric)
    if value then self:keep(trial, value) end
  end
  return self
end

function Reference:keep(trial, value)
  self.values[#self.values + 1] = value
  if #self.values <= BASE then self.base = median(self.values) end
  self.last_good, self.last_good_at = trial.id, trial.started
end

-- One more run: the trial and its number, or nil and why it gives no number any more.
function Reference:measure()
  local trial
  for _ = 1, TRIES do
    self.runs = self.runs + 1
    trial = self.run()
    local value = trials.value(trial, self.metric)
    if value then return trial, value end
  end
  return nil, trial.status .. ", " .. tostring(trial.message)
end

-- Whether these runs are off the level by more than chance and more than matters.
function Reference:off(recent, of_subjects, sigmas)
  local noise = moved.noise(of_subjects, self.values, self.base)
  local far, off = moved.distance(self.base, math.min(#self.values, BASE), recent, noise)
  return math.abs(far) > self.min_effect / 2 and off > sigmas
end

--- Whether to check before more is measured.
function Reference:due() return not self.checked or self.since >= self.every end

--- Counts runs of subjects that were made now.
function Reference:count(fresh) self.since = self.since + fresh end

--- Measures it. If it moved: why, in words, and the trials that show it. `noise`: of the subjects' runs, relative.
function Reference:check(noise)
  self.checked, self.since = true, 0
  local established = #self.values >= FIRST
  while #self.values < FIRST do
    local trial, value = self:measure()
    if not trial then core.fail("usage", "sweep: the reference " .. self.label .. " gives no number: " .. value) end
    self:keep(trial, value)
  end
  if not established then return nil end
  local made, recent, is_moved, failure = moved.look(function() return self:measure() end, function(recent)
    local last = #recent == moved.RECENT
    if not self:off(recent, noise, last and SIGMAS or SUSPECT) then return false end
    return last or nil
  end)
  if is_moved == nil then return "the reference " .. self.label .. " gives no number any more: " .. failure, made end
  if not is_moved then
    for i, good in ipairs(made) do
      self.last_good, self.last_good_at = good.id, good.started
      -- An odd one tells nothing about the noise.
      if not self:off({ recent[i] }, noise, SIGMAS) then self:keep(good, recent[i]) end
    end
    return nil
  end
  return string.format("the reference %s went from %.5g to %.5g (%+.1f %%) between %s and %s", self.label, self.base,
    median(recent), 100 * (median(recent) / self.base - 1), time(self.last_good_at), time(made[1].started)), made
end

--- What the series says of it.
function Reference:summary()
  return { id = self.id, label = self.label, values = self.values, runs = self.runs }
end

return Reference
