-- One run of a subject in one configuration: makes the trial in the store, lets the script measure, and keeps what came
-- of it. A script's `measure` gets the trial as its second argument.

local gpu_watch = require "lib/sweep/gpu_watch"
local phase = require "lib/sweep/phase"
local tunings = require "lib/sweep/tunings"
local traced = require "lib/sweep/traced"

local Trial = {}
Trial.__index = Trial

-- A name for an output file nobody has used in this trial: OUT, OUT-2, ... as `&> OUT-08-26` would have it.
function Trial:output_file(base)
  self.files[base] = (self.files[base] or 0) + 1
  return self.folder and self.folder .. base .. (self.files[base] > 1 and "-" .. self.files[base] or "")
end

-- What gpu_watch wants to know of the trial's commands: where they ran, and which GPUs they may have used.
local function note_use(used, call, container)
  local inside = container ~= nil or call.image ~= nil
  used.host_only = not inside and used.host_only ~= false
  local named = call.image and call.gpus and call.gpus ~= "all" and call.gpus
  if not named then used.all_gpus = true end
  for index in (named or ""):gmatch "%d+" do used.gpus[tonumber(index)] = true end
end

local function start_command(self, options, base)
  local call = {}
  for key, value in pairs(options) do call[key] = value end
  local container = call.container
  call.container = nil
  call.out = call.out or self:output_file(base)
  call.err = call.err or call.out
  local words = call.cmd or { "sh", "-c", call.shell }
  self.command[#self.command + 1] = words
  for name, value in pairs(call.env or {}) do self.env[name] = value end
  if base == "OUT" then note_use(self.used, call, container) end
  local _ <close> = phase(base == "BUILD" and "build" or "run", tostring(call.shell or words[1]))
  if call.trace then
    if container then core.fail("usage", "sweep: a command in a kept container cannot be traced", "run it with `image` instead") end
    call.trace = nil
    call.folder = self:output_file("TRACE")
    return reg.trace.run(call)
  end
  call.trace = nil
  if container then return container:exec(call) end
  if call.image then return reg.container.run(call) end
  return reg.process.run(call)
end

local function keep_costs(self, run)
  for _, cost in ipairs { "wall_s", "user_s", "sys_s" } do
    self.costs[cost] = (self.costs[cost] or 0) + (run[cost] or 0)
  end
  self.costs.peak_bytes = math.max(self.costs.peak_bytes or 0, run.peak_bytes or 0)
  self.info.image_digest = run.image_digest or self.info.image_digest
  if not run.trace then return end
  for name, value in pairs(traced(run.trace)) do
    self.traced[name] = self.traced[name] or {}
    table.insert(self.traced[name], value)
  end
  self.info.trace = run.trace.why -- why it tells nothing, or what it may lack
end

-- The samples of a finished trial, with what was traced beside what `measure` gave.
local function with_traced(samples, traced_samples)
  local all = {}
  for name, values in pairs(traced_samples) do all[name] = values end
  for name, values in pairs(samples) do all[name] = values end
  return all
end

--- Runs a command - in `image`, in the kept `container`, or else on the host - with its output in the trial's folder.
--- Anything but exit code 0 ends the trial with the status that fits. The result is that of reg.process.run.
function Trial:run(options)
  local run = start_command(self, options, "OUT")
  keep_costs(self, run)
  if self.show then self.show(run) end
  if not run.ok and not run.dry then error(reg.skip(run), 0) end
  return run
end

--- As run(), for what must be made before it can be measured: here a failure means that the subject does not build.
function Trial:build(options)
  local run = start_command(self, options, "BUILD")
  if self.watching then self.watching:restart() end
  if not run.ok and not run.dry then error(reg.skip(run, not run.timed_out and "build_failed" or "timeout"), 0) end
  return run
end

--- For a search by pass and fail: true where the command succeeds, false where it fails. With `crash` only a failure whose
--- output holds that text is the one sought; another is skipped. So is a time-out, and exit code 125, as git bisect has it.
function Trial:passes(options, crash)
  local run = start_command(self, options, "OUT")
  keep_costs(self, run)
  if run.ok then return true end
  -- 125 says "skip" to git bisect; 126 and 127 are a shell that found nothing to run.
  if run.timed_out or run.oom or (run.code >= 125 and run.code <= 127) then error(reg.skip(run), 0) end
  if crash and not (run.stdout .. "\n" .. run.stderr):find(crash, 1, true) then
    error(reg.skip(run, run.signal ~= 0 and "crashed" or "test_failed"), 0)
  end
  return false
end

-- What `measure` returned or raised, as { status =, message =, samples = }. A defect of the script, or of the machinery,
-- is no trial: it is raised on.
local function outcome(metric, ok, result)
  local failed = type(result) == "table" and result.kind == "failed_trial" and result
  -- A failure of that kind from the engine has no status: a patch that does not apply is a subject that cannot be built.
  if failed then return { status = failed.status or "build_failed", message = failed.message } end
  if not ok then error(result, 0) end
  if type(result) == "number" then return { status = "ok", samples = { [metric] = { result } } } end
  if type(result) == "table" and #result > 0 then return { status = "ok", samples = { [metric] = result } } end
  if type(result) == "table" and next(result) ~= nil then return { status = "ok", samples = result } end
  core.fail("usage", "sweep: `measure` must return a number, a list, a table of metrics, or reg.skip(reason)")
end

local function new(subject, repeat_number, folder)
  return setmetatable({ subject = subject, repeat_number = repeat_number, folder = folder, files = {}, command = {},
    env = {}, info = {}, costs = {}, traced = {}, used = { gpus = {} } }, Trial)
end

local trial = {}

--- Runs measure(subject, trial) once and stores what came of it. `o`: store, investigation, key, id, kind, config, metric,
--- measure, and perhaps show (a function that sees the result of each command). Returns the stored trial, { id =, started =,
--- status =, message =, samples =, info =, ... }. Where the GPUs say that its numbers are not to be believed, info.suspect =
--- { why = { ... }, run_again = whether that is wanted and possible }.
function trial.run(subject, o, repeat_number, may_run_again)
  local started = o.store:start { investigation = o.investigation, subject = o.id, kind = o.kind, config = o.config, key = o.key }
  local _ <close> = phase("trial", "trial " .. started.id, started.id)
  local self = new(subject, repeat_number, (started.folder:gsub("/?$", "/")))
  self.info.quiet, self.show = tunings.record(), o.show
  local watching <close> = gpu_watch.start()
  self.watching = watching
  local result = outcome(o.metric, pcall(o.measure, subject, self))
  if watching then
    local why
    self.info.gpu, why = watching:stop(self.used)
    if #why > 0 then self.info.suspect = { why = why, run_again = may_run_again and result.status == "ok" } end
  end
  for name, value in pairs(self.costs) do result[name] = value end
  if result.samples then result.samples = with_traced(result.samples, self.traced) end
  result.command, result.env, result.info = self.command, self.env, self.info
  o.store:finish(started.id, result)
  result.id, result.started = started.id, started.started
  return result
end

--- The number of a trial that the search goes by: the median of the metric's samples; nil where it failed.
function trial.value(of, metric)
  if of.status ~= "ok" then return nil end
  local list = of.samples and of.samples[metric]
  if not list then
    core.fail("usage", "sweep: `measure` gave no metric '" .. metric .. "'", "name the one to search by with `metric`")
  end
  return type(list) == "table" and trial.median(list) or list
end

function trial.median(list)
  local sorted = table.move(list, 1, #list, 1, {})
  table.sort(sorted)
  return (sorted[(#sorted + 1) // 2] + sorted[#sorted // 2 + 1]) / 2
end

--- Lets measure() run for nothing, while a dry run records what it would do.
function trial.rehearse(subject, measure)
  pcall(measure, subject, new(subject, 1))
end

return trial
