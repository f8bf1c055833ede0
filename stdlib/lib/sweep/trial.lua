-- One trial: runs a script's `measure` once for a subject, and keeps in the store what came of it. `measure` gets the
-- trial as its second argument; the output of its commands goes to the trial's folder.

---@class sweep.TrialCommand: process.RunOptions, container.RunOptions
---@field container? container.Container a running container to execute the command in
---@field artifact? string[] of Trial:build: files or folders that it makes, relative to the folder it runs in
---@field trace? boolean run it with reg.trace.run: files go to the trial's folder, sums are samples ("kernel_s:NAME")
---@field ranges? boolean of the trace: false records no NVTX ranges

local commands = require "lib/sweep/commands"
local failure = require "lib/failure"
local leases = require "lib/gpu/leases"
local measured_of = require "lib/measured"
local not_finite = require "lib/not_finite"
local tracing = require "lib/tracing"
local values_of = require "lib/values"

local LEAST_CPU = 0.25  -- of the wall time; with less, a test waits for something else than a CPU
local CUT_TRACE = "the end of the GPU work may be missing (a process was killed, or left by _exit)"
local LOST_CHILD = "out of memory: the kernel killed a process during the run"

--- The trial that a script's `measure` gets beside the subject: one run of the subject, whose output and costs the
--- store keeps.
--- ```lua
--- reg.sweep(commits, { build = function(commit, trial)
---   trial:worktree(tree):checkout(commit.id)
---   trial:build { shell = "make -s", cwd = tree.path, timeout_s = "20m" }
---   trial:check_build({ cmd = { "./bench", "--version" }, cwd = tree.path }, "{subject}")
--- end, metric = "s", measure = function(_, trial)
---   if not trial:passes({ cmd = { "./test" }, cwd = tree.path }, "SIGSEGV") then return reg.skip "it crashes" end
---   local ms = trial:test({ shell = "./bench", cwd = tree.path }, { metric = "{number} ms", take = "last" })
---   return { s = trial:run({ shell = "./load", cwd = tree.path }).wall_s, ms = ms }
--- end })
--- ```
---@class sweep.Trial
---@field subject any
---@field repeat_number integer 1 for the subject's first run
---@field folder? string folder of this trial's output files; nil in a dry run
---@field node? string of a cluster: the node that it must run on
local Trial = {}
Trial.__index = Trial

-- A file name that is new in this trial: OUT, OUT-2, ...
function Trial:output_file(base)
  self.files[base] = (self.files[base] or 0) + 1
  return self.folder and self.folder .. base .. (self.files[base] > 1 and "-" .. self.files[base] or "")
end

-- The options of a command where the trial runs: in its slot, if the cluster has several.
function Trial:here(options) return self.slot and self.slot.here and self.slot:here(options) or options end

--- Runs a command in `image`, in `container`, or on the host, with its output also in the trial's folder (OUT, OUT-2,
--- ...). Takes the options of reg.process.run or reg.container.run, and raises what they raise. An exit code other than
--- 0, a signal or a time-out (in seconds) raises a failed trial with the status that fits. The trial's info has what
--- the command loaded from open worktrees, and which Python packages it installed into its image.
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:run(options)
  local run = commands.start(self, options, "OUT")
  if self.show then self.show(run) end
  if not run.ok and not run.dry then error(reg.skip(run), 0) end
  return run
end

-- Notes the hash of the files that the build made. A subject with the build of an earlier one takes its numbers.
local function compare_artifacts(self, options)
  self.info.artifact = require("lib/sweep/program_files").hash(options.artifact, options.cwd or options.workdir or ".")
  local same = self.artifacts and self.artifacts[self.info.artifact]
  if same and self.repeat_number == 1 then error({ kind = "same_artifact", trial = same }, 0) end
end

--- Runs a command that makes what is measured afterwards: its output goes to BUILD, its time counts as no cost, and a
--- failure raises a failed trial of status build_failed (or timeout). With `artifact`, a subject for which these files
--- are byte for byte as for an earlier one takes that one's numbers: the first trial of it ends here. Raises usage if
--- the build does not make one of them.
---@param options sweep.TrialCommand
---@return process.Result|container.Result result
function Trial:build(options)
  local run = commands.start(self, options, "BUILD")
  self.info.build_s = (self.info.build_s or 0) + (run.wall_s or 0)
  if self.watching then self.watching:restart() end
  if not run.ok and not run.dry then error(reg.skip(run, not run.timed_out and "build_failed" or "timeout"), 0) end
  if not run.dry and #(options.artifact or {}) > 0 then compare_artifacts(self, self:here(options)) end
  return run
end

--- Runs a command that prints what was built, such as its version, with its output in CHECK. Unless that contains
--- `says`, the build did not take effect: it raises a failed trial of status build_failed. {subject} in `says` stands
--- for the subject's `short` or `id`; of a commit for its first seven digits.
---@param options sweep.TrialCommand
---@param says string
function Trial:check_build(options, says)
  local run = commands.start(self, options, "CHECK")
  if run.dry then return end
  if not run.ok then error(reg.skip(run, "build_failed"), 0) end
  local why = require("lib/sweep/program_files").mismatch(run.stdout .. "\n" .. run.stderr, says, self.subject)
  if why then error(reg.skip(why, "", "build_failed"), 0) end
end

--- Returns the worktree, in which `build` of a sweep is about to check out: what the commands of the trial change there
--- is kept with its output.
---@param tree git.Worktree
---@return git.Worktree tree
function Trial:worktree(tree) return self.slot and self.slot:checks_out(self, tree) or tree end

-- Calls `build` before a sweep's `measure`, unless that was done for an earlier trial.
function Trial:make(build)
  if self.slot then return self.slot:make(self, build) end
  return build(self.subject, self)
end

--- For a search by pass and fail: true if the command succeeds, false if it fails. With `crash`, false only for a
--- failure whose output contains that text. Any other failure, a time-out (in seconds) unless `timeout_is_bad`, running
--- out of memory and exit codes 125 to 127 raise a failed trial.
---@param options sweep.TrialCommand
---@param crash? string
---@param timeout_is_bad? boolean a test that runs past its time limit fails
---@return boolean passed
function Trial:passes(options, crash, timeout_is_bad)
  -- How long it may take decides then, so it is part of the key.
  if timeout_is_bad and core.in_rehearsal then core.note("passes within " .. tostring(options.timeout_s)) end
  local run = commands.start(self, options, "OUT")
  if run.ok then return true end
  self.crash = crash and failure.line_with(crash, run.stdout .. "\n" .. run.stderr)
  failure.check_shortage(self, {}, self.crash ~= nil)
  if run.timed_out and timeout_is_bad then return false end
  -- 125 means "skip" in git bisect; with 126 and 127 the shell found nothing to run.
  if run.timed_out or run.oom or (run.code >= 125 and run.code <= 127) then error(reg.skip(run), 0) end
  if crash and not self.crash then error(reg.skip(run, run.signal ~= 0 and "crashed" or "test_failed"), 0) end
  return false
end

--- Runs a test as the shared options of a script ask: with `metric` it returns the number (reg.metric.of), or else
--- whether the test passes (Trial:passes, with `crash` and `timeout_is_bad`). So it is the body of a `measure` or of
--- `passes`. Time limits are in seconds. Raises what those two raise.
---@param options sweep.TrialCommand
---@param opt table<string, any> the options: metric, take, drop, crash, timeout_is_bad
---@return number|boolean result
function Trial:test(options, opt)
  if not opt.metric then return self:passes(options, opt.crash, opt.timeout_is_bad) end
  local ask = (measured_of[opt.metric] or {}).ask or {}
  -- What is known of these options, as their container, stays known.
  for name, value in pairs(ask) do options[name] = value end
  return reg.metric.of(self:run(options), opt)
end

-- The numbers of a trial by metric. One that is not finite fails the trial.
local function measured(samples)
  for _, name in ipairs(values_of.sorted_names(samples)) do
    for _, value in ipairs(type(samples[name]) == "table" and samples[name] or { samples[name] }) do
      local word = type(value) == "number" and not_finite.word(value)
      if word then return values_of.picked(not_finite.skip(name, word), { "status", "message" }) end
    end
  end
  return { status = "ok", samples = samples }
end

-- What `measure` returned or raised, as { status =, message =, samples = }, and facts for its info. An error in the
-- script or in the engine is raised again.
local function outcome(metric, ok, result, testing)
  local kind = type(result) == "table" and result.kind
  -- A failure that the engine raised has no status: a patch that does not apply is a subject that cannot be built, and
  -- an image whose container does not start one that cannot be tested.
  if kind == "failed_trial" then
    local status = result.status or testing and "test_failed" or "build_failed"
    return { status = status, message = result.message, shortage = result.shortage }, result.info
  end
  if not ok and kind == "same_artifact" then
    return { status = "ok", samples = result.trial.samples }, { same_as = result.trial.id }
  end
  if not ok then error(result, 0) end
  if type(result) == "number" then result = { result } end
  if type(result) ~= "table" or next(result) == nil then
    core.fail("usage", "sweep: `measure` must return a number, a list, a table of metrics, or reg.skip(reason)")
  end
  return measured(#result > 0 and { [metric] = result } or result)
end

-- What the machine was doing. `crowded`: the part of the time in which some process waited for a CPU.
local function machine_of(before, after, seconds)
  local crowded = before.crowded_s and after.crowded_s and (after.crowded_s - before.crowded_s) / seconds
  return { host = after.host, load_start = before.load, load_end = after.load, cpu_c = after.cpu_c,
    crowded = crowded and math.min(crowded, 1) }
end

-- A trial of a subject with these fields; the folder of its output is nil where it only shows what it would do.
local function new(subject, held, fields)
  return setmetatable(values_of.merged({ subject = subject, repeat_number = 1, leases = held, files = {}, command = {},
    env = {}, info = {}, costs = {}, instructions = 0, traced = {}, loaded = {}, used = {}, jobs = {} }, fields), Trial)
end

-- Notes why the numbers are in doubt, if they are. `why`: what the watch over the GPUs found; `stopped`: as by Ctrl-Z.
local function note_doubts(self, result, why, stopped, may_run_again)
  if stopped then why[#why + 1] = "regengine was stopped (as by Ctrl-Z) while it ran" end
  if self.lost_child then why[#why + 1] = LOST_CHILD end
  local may_help = #why > 0  -- to run it again; a program that leaves by _exit always does
  if self.cut_trace then why[#why + 1] = CUT_TRACE end
  if #why == 0 then return end
  -- Memory that a foreign process took is not the subject's failure.
  local doubted = self.lost_child or result.status == "ok" or result.status == "oom"
    or stopped and result.status == "timeout"
  self.info.suspect = { why = why, run_again = may_run_again and may_help and doubted }
end

-- Adds the costs, and what the commands of the trial loaded, traced and ran, to its result.
local function add_record(self, result)
  for name, value in pairs(self.costs) do result[name] = value end
  if result.status == "ok" then result.message = self.crash end
  for name, values in pairs(result.samples and self.traced or {}) do  -- what `measure` returned counts more
    result.samples[name] = result.samples[name] or values
  end
  local info = self.info
  info.instructions = self.instructions ~= 0 and self.instructions or nil
  info.loaded = next(self.loaded) and require("lib/sweep/program_files").loaded(self.loaded) or nil
  result.command, result.env, result.info = self.command, self.env, info
end

-- Whether a finished trial of this key has the result of a job that an earlier engine left.
local function counted(store, key, job)
  return values_of.find(store:trials { key = key }, function(one)
    return one.status ~= "running" and one.status ~= "interrupted" and values_of.set(one.info.jobs or {})[job:name()]
  end) ~= nil
end

local trial = {}

--- Calls o.measure(subject, trial) once and stores the result. `o`: of lib/sweep/investigation, and perhaps show
--- (called with the result of each command) and doing (called with the subject and what happens to it). It gets a
--- `session`: when the first of its trials started. `this`: id and key of the subject, number (1 for its first trial),
--- prepare_s (how long it took to prepare it), failure (of that), may_run_again, and node (of a cluster: where it must
--- run). Returns the trial, { id =, started =, status =, message =, samples =, info =, ... }; info.suspect says why its
--- numbers are in doubt.
function trial.measure(subject, o, this)
  local started = o.store:start { investigation = o.investigation, subject = this.id, kind = o.kind, config = o.config,
    key = this.key }
  local before, stops, began = core.nouns.machine.state(), core.stops(), core.seconds()
  o.session = o.session or started.started
  local _ <close> = tracing.phase("trial", "trial " .. started.id)
  local held <close> = leases.new(o.gpus_per_trial)
  local watching <close> = not core.cluster and leases.has_driver() and require("lib/gpu/watch").start() or nil
  local slot <close> = o.slots and o.slots:take(this.id)
  local tuned = values_of.flat(core.tunings or {}, function(tuning) return tuning:record() end)
  local info = { quiet = tuned[1] and tuned, session = o.session, passed_over = o.passed_over,
    prepare_s = this.prepare_s }
  local self = new(subject, held, { repeat_number = this.number, folder = started.folder:gsub("/?$", "/"), info = info,
    slot = slot or o.latest_build, show = o.show, artifacts = o.artifacts, doing = o.doing, watching = watching,
    subject_id = this.id, keep_going = o.keep_going, node = this.node, id = started.id, key = this.key,
    is_counted = function(job) return counted(o.store, this.key, job) end })

  local why, unused, ok, returned = {}, nil, false, this.failure
  if not returned then ok, returned = pcall(o.measure, subject, self) end
  local result, facts = outcome(o.metric, ok, returned, #self.command > 0)
  for name, value in pairs(facts or {}) do info[name] = value end
  if result.status ~= "ok" then failure.check_shortage(self, result) end
  if #held.gpus > 0 then info.leased = held.gpus end
  if watching then info.gpu, why, unused = watching:stop(self.used, info.quiet) end
  if unused and result.status == "ok" then result = { status = "skipped", message = "the GPU was not used" } end
  note_doubts(self, result, why, core.stops() > stops, this.may_run_again)
  add_record(self, result)
  info.machine = machine_of(before, core.nouns.machine.state(), core.seconds() - began)
  if #self.jobs > 0 then info.jobs, info.machine = reg.json.array {}, { host = info.node.name } end
  for i, job in ipairs(self.jobs) do info.jobs[i] = job:name() end
  if self.slot then self.slot:finish(result) end
  o.store:finish(started.id, result)
  if #self.jobs > 0 then core.cluster:forget(self.jobs) end
  result.id, result.started, result.ended = started.id, started.started, started.started + core.seconds() - began
  return result
end

--- The number the search uses: the median of the metric's samples; nil if the trial failed.
function trial.value(stored, metric)
  if stored.status ~= "ok" then return nil end
  local list = stored.samples and stored.samples[metric]
  if not list then
    core.fail("usage", "sweep: `measure` returned no metric '" .. metric .. "'",
      "Name the metric to search by with `metric`.")
  end
  return type(list) == "table" and values_of.median(list) or list
end

local OF_INFO = { "instructions", "needs_take", "artifact", "same_as", "loaded", "installed" }

--- What a search, a comparison or a minimization keeps of a stored trial; `value`: its number, or nil. cpu_s, its CPU
--- time, may be quieter than its time; cpu_share is the part of that in which other programs left it a CPU.
function trial.entry(stored, value)
  local wall_s, cpu_s, info = stored.wall_s, stored.user_s and stored.user_s + (stored.sys_s or 0), stored.info
  local share = cpu_s and wall_s and wall_s > 0 and cpu_s / wall_s or nil
  if share and share >= LEAST_CPU then share = share / (1 - (info.machine and info.machine.crowded or 0)) end
  return values_of.merged(values_of.picked(info, OF_INFO), { value = value, trial = stored.id,
    status = stored.status, message = stored.message, started = stored.started,
    suspect = info.suspect and info.suspect.why, cpu_s = cpu_s, cpu_share = share and math.min(share, 1),
    node = info.node and info.node.name })
end

--- The trial that `measure` gets where it only shows what it would do: in a dry run or a rehearsal.
function trial.rehearsed(subject, gpus_per_trial) return new(subject, leases.new(gpus_per_trial, true)) end

return trial
