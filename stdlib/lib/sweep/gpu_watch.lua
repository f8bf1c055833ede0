-- What the GPUs did beside a trial, and whether its numbers are to be believed. Where there is no GPU it is silent.

local tunings = require "lib/sweep/tunings"

local PERIOD_S = 0.2         -- a sample costs a moment of a processor that may be measured on
local OFF_THE_LOCK = 0.02    -- a clock that is farther from its lock than this does not hold it
local THROTTLED = 0.01       -- of the time: below it a reason shows in no number
local REASONS = { sw_thermal = "SW thermal slowdown", hw_thermal = "HW thermal slowdown", hw_slowdown = "HW slowdown",
  sw_power_cap = "SW power cap", hw_power_brake = "power brake" }

local Watch = {}
Watch.__index = Watch

local here                     -- whether there is a GPU: asked once, at the first trial
local under_way = {}           -- the watches that are not over
local in_containers = {}       -- pids that came up while a trial may have run a container: no child of the engine, and its own
local any_container = false    -- whether some trial may have run one

local function compute_processes()
  local pids = {}
  for _, gpu in ipairs(reg.gpu.list()) do
    for _, process in ipairs(gpu.processes) do pids[process.pid] = true end
  end
  return pids
end

function Watch:begin()
  local ok, why = pcall(function()
    self.before = compute_processes()
    self.monitor = reg.gpu.monitor { period_s = PERIOD_S }
  end)
  if not ok then self.lost = tostring(type(why) == "table" and why.message or why) end
end

function Watch:close()
  under_way[self] = nil
  if self.monitor then self.monitor:close() end
end

Watch.__close = Watch.close

--- Forgets what it has seen so far: a build says nothing of the measuring after it.
function Watch:restart()
  if self.monitor then self.monitor:close() end
  self.monitor = nil
  self:begin()
end

-- Those of the monitor's foreign processes that are indeed somebody else's.
function Watch:foreign(processes, used)
  local found = {}
  for _, process in ipairs(processes) do
    local new = not self.before[process.pid]
    if new and not used.host_only then in_containers[process.pid] = true end
    local of_the_other = self.overlaps and any_container
    if not of_the_other and not in_containers[process.pid] then found[#found + 1] = process end
  end
  return found
end

local function clock_off(gpu, locks)
  for _, lock in ipairs(locks) do
    for _, locked in ipairs(lock.gpus) do
      local busy = gpu.uuid == locked.uuid and gpu.busy_sm_mhz
      if busy and locked.sm_mhz and math.abs(busy.median / locked.sm_mhz - 1) > OFF_THE_LOCK then
        return string.format("SM clock off its lock: %.0f MHz, not %d", busy.median, locked.sm_mhz)
      end
    end
  end
end

-- Why the numbers of a trial that used these GPUs are not to be believed: a list of "kind: detail".
local function suspicions(info, locks, used)
  local list, there = {}, {}
  local function add(why)
    if not there[why] then list[#list + 1] = why end
    there[why] = true
  end
  if info.lost then add("GPU lost: " .. info.lost) end
  for _, gpu in ipairs(info.gpus or {}) do
    if used.all_gpus or next(used.gpus) == nil or used.gpus[gpu.index] then
      for reason, words in pairs(REASONS) do
        if (gpu.throttle_s[reason] or 0) > THROTTLED * gpu.seconds then add(words) end
      end
      for _, process in ipairs(gpu.foreign) do
        add(string.format("foreign GPU process: %d%s", process.pid, process.name and " (" .. process.name .. ")" or ""))
      end
      local off = clock_off(gpu, locks)
      if off then add(off) end
    end
  end
  table.sort(list)
  return list
end

-- Whether clocks are locked, and where not, why.
local function add_locks(info, locks)
  info.locked = false
  for _, lock in ipairs(locks) do
    info.locked = info.locked or lock.locked
    info.why_not_locked = info.why_not_locked or lock.why
  end
  if #locks > 0 then info.locks = locks end
  if info.locked then
    info.why_not_locked = nil
  elseif not info.why_not_locked then
    info.why_not_locked = "no lock was asked for"
    for _, measure in ipairs(tunings.record() or {}) do
      if measure.measure == "gpu" then info.why_not_locked = measure.why end
    end
  end
end

--- Ends it. `used`: { host_only = no command ran in a container, gpus = those that were named, as { [index] = true }, all_gpus =
--- whether some command named none }.
--- What was seen, for the trial's record, and why its numbers are suspect, a list.
function Watch:stop(used)
  any_container = any_container or not used.host_only
  local info = self.monitor and self.monitor:stop() or {}
  info.lost = info.lost or self.lost
  for _, gpu in ipairs(info.gpus or {}) do gpu.foreign = self:foreign(gpu.foreign, used) end
  info.foreign = nil  -- each GPU has its own
  local locks = core.nouns.machine.gpu_locks()
  add_locks(info, locks)
  self:close()
  return info, suspicions(info, locks, used)
end

local watch = {}

--- Begins to watch; nil where there is no GPU. To be kept in a `<close>` variable.
function watch.start()
  if here == nil then here = reg.gpu.status().ok end
  if not here then return nil end
  local self = setmetatable({ before = {} }, Watch)
  for other in pairs(under_way) do self.overlaps, other.overlaps = true, true end
  under_way[self] = true
  self:begin()
  return self
end

return watch
