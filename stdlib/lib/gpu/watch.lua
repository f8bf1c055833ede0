-- Watches the GPUs during a trial, and finds reasons to doubt its numbers.

local leases = require "lib/gpu/leases"
local values = require "lib/values"

local find, sorted_names = values.find, values.sorted_names

local PERIOD_S = 0.2         -- a sample takes time on a processor that may be measured
local LOCK_TOLERANCE = 0.02  -- of the locked clock
local FEWEST_SAMPLES = 5     -- a shorter trial may use a GPU between two of them
local THROTTLED = 0.01       -- of the time; less has no measurable effect
local REASONS = { sw_thermal = "SW thermal slowdown", hw_thermal = "HW thermal slowdown", hw_slowdown = "HW slowdown",
  sw_power_cap = "SW power cap", hw_power_brake = "power brake" }

local Watch = {}
Watch.__index = Watch

local active = {}              -- the running watches
local in_containers = {}       -- pids that appeared while a trial may have run a container, so they may be its own
local told = false             -- that clocks are free
local any_container = false    -- whether a trial may have run a container

function Watch:close()
  active[self] = nil
  if self.monitor then self.monitor:close() end
end

Watch.__close = Watch.close

--- Begins, and discards what it has seen so far, for instance during a build before the measurement. `before`: the
--- processes that were there before the trial, if they are known.
function Watch:restart(before)
  if self.monitor then self.monitor:close() end
  self.monitor = nil
  local ok, why = pcall(function()
    self.before = before or values.set(values.flat(reg.gpu.list(self.leased or "visible"), function(gpu)
      return values.map(gpu.processes, function(process) return process.pid end)
    end))
    self.monitor = reg.gpu.monitor { device = self.leased, period_s = PERIOD_S }
  end)
  if not ok then self.lost = tostring(type(why) == "table" and why.message or why) end
end

--- Begins again with these GPUs alone, which the trial has leased. `waited`: others used them until now.
function Watch:only(gpus, waited)
  self.leased = leases.uuids(gpus)
  self:restart(not waited and self.before or nil)
end

-- The monitor's foreign processes without those that may be of a trial's container.
function Watch:foreign(processes, used)
  return values.only(processes, function(process)
    if not self.before[process.pid] and not used.host_only then in_containers[process.pid] = true end
    local of_other_trial = not self.leased and self.overlaps and any_container
    return not of_other_trial and not in_containers[process.pid]
  end)
end

-- Reasons to doubt a trial: a list of "kind: detail".
local function suspicions(info, locks)
  local found, locked = {}, values.flat(locks, function(lock) return lock.gpus end)
  local function add(why) found[why] = true end
  if info.lost then add("GPU lost: " .. info.lost) end
  for _, gpu in ipairs(info.gpus or {}) do
    local lock = find(locked, function(other) return other.uuid == gpu.uuid end)
    for reason, text in pairs(REASONS) do
      local lasted = (gpu.throttle_s[reason] or 0) > THROTTLED * gpu.seconds
      local normal = reason == "sw_power_cap" and not lock  -- then it sets the clock, under a heavy load always
      if lasted and not normal then add(text) end
      if lasted and reason == "sw_power_cap" then info.power_capped = true end
    end
    for _, process in ipairs(gpu.foreign) do
      add(string.format("foreign GPU process: %d%s", process.pid, process.name and " (" .. process.name .. ")" or ""))
    end
    for _, fault in ipairs(gpu.faults or {}) do add("GPU fault: " .. fault) end
    local mhz = lock and lock.sm_mhz
    local busy = mhz and gpu.busy_sm_mhz
    if busy and math.abs(busy.median / mhz - 1) > LOCK_TOLERANCE then
      add(string.format("SM clock off its lock: %.0f MHz, not %d", busy.median, mhz))
    end
  end
  return sorted_names(found)
end

-- Whether a command asked for GPUs and no process used one: a program that falls back to the processor only warns.
local function is_unused(info, used)
  local function may_be_used(gpu) return gpu.used ~= false or gpu.samples < FEWEST_SAMPLES end
  return used.asked and #(info.gpus or {}) > 0 and not find(info.gpus, may_be_used)
end

-- Records whether clocks are locked, or why not. `measures`: of the tunings in effect, or nil.
local function add_locks(info, locks, measures)
  local refused = find(locks, function(lock) return lock.why end)
    or find(measures or {}, function(measure) return measure.measure == "gpu" end) or { why = "no lock was requested" }
  info.locked, info.locks = find(locks, function(lock) return lock.locked end) ~= nil, #locks > 0 and locks or nil
  info.why_not_locked = not info.locked and refused.why or nil
end

-- Says once that the clocks of the GPUs that a command asked for are free, where an option would lock them.
local function tell_of_free_clocks(info, used)
  local lockable = core.nouns.machine.gpu_variable() == "CUDA_VISIBLE_DEVICES"  -- and not AMD GPUs
  if told or info.locked or not lockable or not used.asked or not (core.options or {}).gpus then return end
  told = true
  reg.log.info("regengine has not locked the clocks of the GPUs: runs with --lock-clocks are easier to compare")
end

--- Stops it. `used`: { host_only = no command ran in a container, asked = a command asked for GPUs }; `measures`: of
--- tunings in effect. Returns the info for the trial, why its numbers are suspect, and whether no GPU was used.
function Watch:stop(used, measures)
  any_container = any_container or not used.host_only
  local info = self.monitor and self.monitor:stop() or {}
  info.lost = info.lost or self.lost
  for _, gpu in ipairs(info.gpus or {}) do gpu.foreign = self:foreign(gpu.foreign, used) end
  info.foreign = nil  -- each GPU has its own
  local locks = core.nouns.machine.gpu_locks()
  add_locks(info, locks, measures)
  if #(info.gpus or {}) > 0 then tell_of_free_clocks(info, used) end
  self:close()
  return info, suspicions(info, locks), is_unused(info, used)
end

local watch = {}

--- Starts a watch, on a machine that has a GPU. Keep it in a `<close>` variable.
function watch.start()
  local self = setmetatable({ before = {} }, Watch)
  for other in pairs(active) do self.overlaps, other.overlaps = true, true end
  active[self] = true
  self:restart()
  return self
end

local CHECK = "command -v nvidia-smi >/dev/null 2>&1 || exit 0; nvidia-smi -L"
local LIMIT_S = 60
local FIRST_OF_SHELL = 125  -- and above: the container has no shell, or no nvidia-smi

local worked = setmetatable({}, { __mode = "k" })  -- by container: whether nvidia-smi ever did

-- Why the GPUs are gone; nil if they are there, or nobody knows.
local function lost(container)
  local run = container:exec { shell = CHECK, timeout_s = LIMIT_S }
  local says_nothing = run.code >= FIRST_OF_SHELL and run.code <= 127
  if run.ok or run.dry or run.timed_out or says_nothing then return nil end
  return (run.stdout .. "\n" .. run.stderr):match "%S[^\n]*" or "nvidia-smi failed with exit code " .. run.code
end

--- Checks whether a kept container still has its GPUs, which it loses by systemctl daemon-reload or the update of a
--- package, and restarts it if not: most programs go on with the processor. Raises unavailable if they stay away.
function watch.check_access(container)
  if core.in_rehearsal or core.settings().dry_run or worked[container] == false then return end
  local why = lost(container)
  if why and worked[container] then
    container:restart()
    local still = lost(container)
    if still then
      core.fail("unavailable", "the container " .. container.name .. " no longer has its GPUs: " .. still,
        "Check with nvidia-smi on this machine; --device /dev/nvidia0 keeps a GPU over systemctl daemon-reload.")
    end
    reg.log.warn("the container lost its GPUs, as by systemctl daemon-reload (%s): it was restarted", why)
  end
  worked[container] = worked[container] or not why
end

return watch
