-- When reg.cuda.time has enough samples, and what they say. It sees times and clocks, and no GPU.

local Sequence = require "lib/ab/sequence"
local values = require "lib/values"

local SLOW_CLOCK <const> = 0.75                             -- of the expected clock: samples below it are discarded
local PAUSE_S <const>, LONGEST_PAUSE_S <const> = 0.05, 0.5  -- after such a sample, for the GPU to recover
local PATIENCE <const> = 2                                  -- so many in a row before the pauses grow
local REMEMBERED <const> = 512  -- deviations after each sample, the latest,
local LEAST <const> = 64        -- of which more than this are looked at,
local STILL <const> = 0.05      -- and lie so close together, relative to the latest, once they have settled

local Sampling = {}
Sampling.__index = Sampling

local function deviation(self)
  local moments = self.moments
  return moments.mean > 0 and (moments:deviation() or 0.0) / moments.mean or 0.0
end

--- Takes the time of a call and the SM clock while it ran, where that could be told. Returns how long to pause before
--- the next sample.
function Sampling:add(seconds, sm_mhz)
  if sm_mhz and sm_mhz < SLOW_CLOCK * self.options.clock_mhz then
    self.in_a_row = self.in_a_row + 1
    table.insert(self.slow_clocks, sm_mhz)
    return math.min(PAUSE_S * (1 + math.max(0, self.in_a_row - PATIENCE)), LONGEST_PAUSE_S)
  end
  local n = #self.seconds + 1
  self.in_a_row, self.seconds[n], self.total_s = 0, seconds, self.total_s + seconds
  if sm_mhz then table.insert(self.clocks, sm_mhz) end
  self.moments:add(seconds)
  if n > 1 then self.deviations[(n - 2) % REMEMBERED + 1] = deviation(self) end
  return 0
end

local function reason_of_noise(self)
  local latest, all, squares = deviation(self), self.deviations, 0
  if self.total_s < self.options.min_time_s or #all == 0 then return nil end
  if latest < self.options.max_noise then return "noise" end
  if #all <= LEAST then return nil end
  for _, one in ipairs(all) do squares = squares + (one - latest) ^ 2 end
  return math.sqrt(squares / #all) < STILL * latest and "settled" or nil
end

--- Why no more are needed, in one word; nil while more are.
function Sampling:reason(passed_s)
  local n, o, reason = #self.seconds, self.options
  if n >= o.min_samples and o.count then
    reason = n >= o.count and "count" or nil
  elseif n >= o.min_samples then
    reason = reason_of_noise(self)
  end
  return reason or passed_s >= o.timeout_s and "timeout" or nil
end

--- The numbers of a cuda.Timing. Raises failed_trial if all samples were discarded.
function Sampling:result()
  local clocks = #self.clocks > 0 and self.clocks or self.slow_clocks
  local sorted = values.sorted(self.seconds)
  local sm_mhz = #clocks > 0 and values.median(clocks) or nil
  if #sorted == 0 then
    core.fail("failed_trial", ("cuda.time: all %d samples were discarded: the SM clock was %.0f MHz instead of %.0f "
      .. "MHz"):format(#self.slow_clocks, sm_mhz or 0, self.options.clock_mhz),
      "Check for throttling with nvidia-smi -q -d CLOCK,PERFORMANCE, or pass clock_mhz = 0 to use all samples.")
  end
  return { n = #sorted, discarded = #self.slow_clocks, sm_mhz = sm_mhz, samples_s = self.seconds, min_s = sorted[1],
    median_s = values.median(sorted), max_s = sorted[#sorted], mean_s = self.moments.mean, stdev_rel = deviation(self) }
end

--- Samples until there are `count`; or, without it, until their relative standard deviation is below `max_noise`
--- ("noise") or does not move any more, so that more would not lower it ("settled"), and their times add up to
--- `min_time_s`. In any case `min_samples`, unless `timeout_s` have passed. `clock_mhz`: what the SM clock should be;
--- 0: any.
return function(options)
  return setmetatable({ options = options, seconds = {}, clocks = {}, slow_clocks = {}, in_a_row = 0,
    moments = Sequence.new(), total_s = 0.0, deviations = {} }, Sampling)
end
