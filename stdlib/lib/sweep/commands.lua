-- Runs the commands of a trial: on the host or in a container, on GPUs that the trial leases, traced, and beside
-- monitors of the GPU. `self` is the trial (lib/sweep/trial). And the build that the worktrees of a sweep have.

local leases = require "lib/gpu/leases"
local tracing = require "lib/tracing"
local values = require "lib/values"

local find, merged = values.find, values.merged

local GPU_PERIOD_S = 0.05
local KILLED = 137  -- the exit code of what was ended by SIGKILL

local commands = {}

-- Leases the GPUs that a measured command, or its kept container, asks for. From then on only these are watched.
local function lease_gpus(self, call, container, asked)
  local lease, is_new = call.lease
  if lease then
    is_new = self.leases:note(lease)
  else
    lease, is_new = self.leases:take(asked, container ~= nil)
    if lease and self.leases.each and not container then call.gpus, call.lease = nil, lease end
  end
  if is_new and self.watching then self.watching:only(self.leases.gpus, lease.waited_s > 0) end
end

local DOING = { BUILD = "building", CHECK = "checking", OUT = "testing" }

-- What a command writes for a metric such as @hlo:fusion, and what reads it: loaded where one is asked for.
local COLLECTED <const> = { { option = "hlo", base = "HLO", by = "lib/hlo/dumps" },
  { option = "jit", base = "JIT", by = "lib/jit/record" } }

-- Runs what call_command made of the options.
local function execute(self, call, container, base)
  if core.cluster and not core.in_rehearsal then
    local run, job = core.cluster:run(call, { trial = tostring(self.id), key = self.key .. " " .. #self.command,
      node = self.node or type(self.subject) == "table" and self.subject.node or nil, is_counted = self.is_counted })
    self.jobs[#self.jobs + 1], self.info.node = job, run.node
    return run
  end
  for _, one in ipairs(COLLECTED) do
    if call[one.option] then
      call[one.option] = nil
      local function inner(made) return execute(self, made, container, base) end
      return require("lib/instrumented").briefly(require(one.by).into, call, self:output_file(one.base), inner)
    end
  end
  local trace = call.trace
  call.trace = nil
  if not container and not call.image then call.usage = nil end  -- on the host it is always measured
  if trace then
    local folder = self:output_file("TRACE")
    if container then return tracing.exec(container, call, folder) end
    call.folder = folder
    return reg.trace.run(call)
  end
  if call.image and not container then
    call.installed = base == "OUT" and self.repeat_number == 1
    return reg.container.run(call)
  end
  if base == "OUT" then call.loaded_below = call.loaded_below or core.open_worktrees() end
  if container then return container:exec(call) end
  if base == "OUT" and call.instructions == nil then call.instructions = (pcall(core.check_instructions)) end
  return reg.process.run(call)
end

-- Samples the GPU memory or the clock, on the GPUs that the trial has leased if it has; nil where nothing runs.
local function sample_gpus(self)
  if core.in_rehearsal or core.settings().dry_run then return nil end
  local uuids = leases.uuids(self.leases.gpus)
  return reg.gpu.monitor { device = uuids ~= "" and uuids or nil, period_s = GPU_PERIOD_S }
end

-- Keeps what a measured command cost, and what it loaded, installed and traced.
local function keep_costs(self, run)
  for _, cost in ipairs { "wall_s", "user_s", "sys_s" } do
    if run[cost] then self.costs[cost] = (self.costs[cost] or 0) + run[cost] end
  end
  self.instructions = self.instructions and run.instructions and self.instructions + run.instructions
  if run.peak_bytes then self.costs.peak_bytes = math.max(self.costs.peak_bytes or 0, run.peak_bytes) end
  self.info.image_digest = run.image_digest or self.info.image_digest
  for path, id in pairs(run.loaded or {}) do self.loaded[path] = id end
  self.info.installed = run.installed or self.info.installed
  if not run.trace then return end
  for name, value in pairs(tracing.samples(run.trace)) do
    self.traced[name] = self.traced[name] or {}
    table.insert(self.traced[name], value)
  end
  self.info.trace = run.trace.why  -- why it has no data, or what it may lack
  self.cut_trace = self.cut_trace
    or find(run.trace.ok and run.trace.processes or {}, function(process) return not process.complete end) ~= nil
end

--- Runs a command of the trial, with its output in a file named after `base`, and notes what the machine did to it.
--- With the base "OUT" it is measured, and its costs are kept.
function commands.start(self, options, base)
  options = self:here(options)
  if self.doing then self.doing(self.subject, DOING[base]) end
  local call, container = merged(options), options.container
  call.container = nil
  if call.timeout_s then self.info.timeout_s = math.max(self.info.timeout_s or 0, reg.time.seconds(call.timeout_s)) end
  call.out = call.out or self:output_file(base)
  call.err = call.err or call.out
  local words = call.cmd or { "sh", "-c", call.shell }
  self.command[#self.command + 1] = words
  for name, value in pairs(call.env or {}) do self.env[name] = value end
  if base == "OUT" then
    local asked = leases.asked[container or options] or call.lease or call.gpus ~= "" and call.gpus or nil
    -- What lib/gpu/watch has to know: where commands ran, and whether they asked for GPUs.
    local used, variable = self.used, core.nouns.machine.gpu_variable()
    used.host_only = not (container or call.image) and used.host_only ~= false
    used.asked = used.asked or asked ~= nil or (call.env and call.env[variable] or "") ~= ""
    if asked then lease_gpus(self, call, container, asked) end
    if asked and container then require("lib/gpu/watch").check_access(container) end
  end
  call.artifact = nil
  local _ <close> = tracing.phase(base == "BUILD" and "build" or "run", tostring(call.shell or words[1]))
  local monitor <close> = (call.gpu_memory or call.gpu_clock) and sample_gpus(self) or nil
  call.gpu_memory, call.gpu_clock = nil, nil
  local run = execute(self, call, container, base)
  local seen = monitor and monitor:stop()
  if seen then run.gpu_memory, run.gpu_mhz = seen.own_peak_bytes or false, (seen.busy_sm_mhz or {}).mean or false end
  if not run.ok and not run.dry then self.failed_run = run end
  -- What was killed itself has no number; the number of what only lost a child may be wrong.
  if run.oom and run.code ~= KILLED then self.lost_child = true end
  if base == "OUT" then keep_costs(self, run) end
  return run
end

-- After these a process may have been stopped while it wrote.
local STOPPED <const> = { timeout = true, oom = true, crashed = true, interrupted = true }

-- The build that the worktrees of a sweep have: one more run of its subject costs its test alone. One that failed, was
-- stopped, or whose test did not end by itself is made again. What a test changes in the worktrees stays until then.
local LatestBuild = {}
LatestBuild.__index = LatestBuild
commands.LatestBuild = LatestBuild

--- Worktrees without a build.
function LatestBuild.new() return setmetatable({ built = {} }, LatestBuild) end

--- A trial will check out in this worktree, which is returned: what its commands change is kept with its output.
function LatestBuild:checks_out(trial, tree)
  self.built[tree] = true
  core.keep_changes_in(tree, trial.folder)
  return tree
end

--- Builds for a trial, unless its subject is what was built last.
function LatestBuild:make(trial, build)
  if self.of == trial.subject_id then
    for tree in pairs(self.built) do core.keep_changes_in(tree, trial.folder, true) end
    trial.info.artifact = self.artifact
    table.move(self.command, 1, #self.command, 1, trial.command)
    return
  end
  self.of = nil
  local _, same = values.caught("same_artifact", function() build(trial.subject, trial) end)
  self.of, self.artifact = trial.subject_id, trial.info.artifact
  self.command = table.move(trial.command, 1, #trial.command, 1, {})
  if same then error(same, 0) end
end

--- A trial has ended.
function LatestBuild:finish(result)
  if STOPPED[result.status] then self.of = nil end
end

return commands
