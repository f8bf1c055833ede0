-- One experiment of a suite: a workload in one configuration, and its trials, one for each process.

local Queue = require "lib/sweep/queue"
local definition = require "lib/suite/definition"
local leases = require "lib/gpu/leases"
local surroundings = require "lib/identity/surroundings"
local trials = require "lib/sweep/trial"
local values = require "lib/values"

local merged, resolve = values.merged, definition.resolve

local Experiment = {}
Experiment.__index = Experiment

--- `run`: what all experiments of a suite run share (see runner.lua); `c`: workload and axes. Runs nothing yet.
function Experiment.new(run, c)
  local o, d = run.o, run.definition
  local self = setmetatable({ run = run, id = definition.id(d, c), workload = c.workload, skipped = c.skipped,
    trials = {}, values = definition.values(d, c), name = definition.folder(d, c) }, Experiment)
  self.folder = o.folder .. "/" .. self.name
  self.configuration = merged({ workload = c.workload, repeats = o["repeat"], iterations = o.iterations,
    folder = reg.fs.absolute(self.folder) }, self.values)
  return self
end

--- The command and its environment. `folders`: { dump =, profile = }, to be emptied; `folder`: in place of c.folder.
function Experiment:command(folders, folder)
  local d, o = self.run.definition, self.run.o
  local c = merged(self.configuration, { folder = folder })
  local env = { REPEAT = d.metric and o["repeat"] or nil, ITERATIONS = o.iterations }
  for name, path in pairs(folders or {}) do
    reg.fs.remove(path)
    reg.fs.mkdir(path)
    c[name] = reg.fs.absolute(path)
    env[name:upper() .. "_DIR"] = c[name]
  end
  local special = folders and folders.profile and d.profile and d.profile(c) or {}
  for name, value in pairs(merged(resolve(d.env, c), special.env)) do
    if type(value) == "table" or type(value) == "function" then
      definition.usage(string.format("the variable %s of %s is a %s", name, self.id, type(value)),
        "Set it to a string, a number or a boolean.")
    end
    env[name] = value
  end
  local command = special.command or resolve(d.command, c)
  if not definition.is_command(command) then
    definition.usage(string.format("%s has no command: it is %s", self.id, reg.inspect(command)),
      "Return a list of strings, or a shell command line.")
  end
  return command, env
end

--- The build that its commands run in.
function Experiment:build() return self.run.builds:get(self.configuration) end

--- The hash of everything that reaches the program, and of the machine. Stores hold it: its fields keep their names.
function Experiment:key()
  if not self.own_key then
    local d, build = self.run.definition, self:build()
    local command, env = self:command(nil, self.name)  -- a relative folder: results can be moved
    local facts = build.facts
    self.own_key = reg.store.key { suite = d.name, workload = self.workload, values = self.values, command = command,
      env = env, commit = facts.commit, patch = facts.patch and facts.patch.sha256, image = facts.image_digest
      or facts.image, made_of = build.inputs, prepare = resolve(d.prepare, self.workload),
      machine = self.run.accelerator, metric = d.metric, iterations = self.run.o.iterations,
      variables = not facts.image and surroundings.variables() or nil } .. "@" .. surroundings.machine(build.leased)
  end
  return self.own_key
end

-- The experiment that it is verified against: with the axis values of the suite's reference in place of its own.
function Experiment:reference()
  return Experiment.new(self.run, merged(self.configuration, self.run.definition.verify.reference))
end

--- The same for its record, which also depends on the number of processes and on the verification.
function Experiment:record_key()
  local run, verify = self.run, nil
  if run.o.verify then verify = { how = run.definition.verify, reference = self:reference():key() } end
  return reg.store.key { processes = self:key(), count = run.processes, verify = verify }
end

-- The numbers in a process's output, or without a metric its seconds.
local function samples_of(metric, run)
  if not metric then return { total_time = { run.wall_s } } end
  local samples = {}
  for name, pattern in pairs(type(metric) == "table" and metric or { total_time = metric }) do
    samples[name] = reg.metric.all(run.stdout, pattern)
  end
  return samples
end

-- Runs one process in a trial. If its program is missing, this experiment fails and the others go on.
function Experiment:process(trial, folders, traced)
  local command, env = self:command(folders)
  local call = self:build():call(command, self.run.o.timeout, env)
  call.trace = traced
  local run, not_started = values.caught("not_found permission", trial.run, trial, call)
  return run or error(reg.skip(not_started.message), 0)
end

local function print_output(run)
  if run.stdout ~= "" then print((run.stdout:gsub("\n$", ""))) end
  if run.stderr ~= "" then reg.log.info("%s", (run.stderr:gsub("\n$", ""))) end
end

-- What the trials of a kind share, as Queue.new and trial.measure take it.
function Experiment:trial_options(kind, measure)
  local run = self.run
  return { store = run.store, investigation = run.investigation, kind = kind, config = self.values,
    metric = "total_time", show = run.o.print_output and print_output, gpus_per_trial = leases.per_trial(run.o.options),
    suspicion = run.suspicion, redo = run.o.redo or {}, measure = measure }
end

--- Whether the next process must be run: false if the store has its trial.
function Experiment:must_run()
  if not self.queue then
    local options = self:trial_options("experiment", function(_, trial)
      trial.info.units = self.run.units
      return samples_of(self.run.definition.metric, self:process(trial, self.dump_folder))
    end)
    options.only_new = self.run.o.resume == false
    self.queue = Queue.new(options, { subjects = { self.configuration }, ids = { self.id }, rehearsed = { {} },
      of = function() return { self:key() } end }, 1)
  end
  return self.queue:next() == nil
end

--- Adds the next trial: out of the store, or by running the process. Returns true if it ran now.
function Experiment:add_trial()
  self:must_run()
  self.dump_folder = self.run.o.dump and { dump = string.format("%s/%d", self.folder, #self.trials) } or nil
  local trial, fresh = self.queue:take()
  self.trials[#self.trials + 1] = trial
  if trial.status ~= "ok" then self.failed = trial end
  return fresh
end

--- Runs a process that does not count as a repeat: nil, or the failed trial.
function Experiment:run_extra(kind, folders, traced)
  local trial = trials.measure(self.configuration, self:trial_options(kind, function(_, trial)
    return { wall_s = self:process(trial, folders, traced).wall_s }
  end), { id = self.id, key = kind .. " " .. self:key(), number = 1 })
  return trial.status ~= "ok" and trial or nil
end

--- Runs it once more under a profiler, the suite's own or reg.trace, which writes to the experiment's folder.
function Experiment:profile()
  local traced = not self.run.definition.profile or nil
  local failed = self:run_extra("profile", { profile = self.folder .. "/profile" }, traced)
  if failed then reg.log.warn("%s: the profile failed: %s", self.id, failed.message) end
end

-- Runs it once more with a dump folder of that name, once for all that ask. Returns the file that it writes there for
-- the verification, or nil and why it failed.
local function dump(self, name)
  local folder, dumps = self.folder .. "/" .. name, self.run.dumps
  if not dumps[folder] then
    local failed = self:run_extra("verification", { dump = folder })
    dumps[folder] = failed and { why = failed.status .. ", " .. tostring(failed.message) }
      or { file = folder .. "/" .. self.run.definition.verify.result }
  end
  return dumps[folder].file, dumps[folder].why
end

--- Verifies that it computes the same numbers as its reference: both run once more, and the files that they write to
--- their dump folders are compared. Returns { code =, message =, value = } as reg.verify does.
function Experiment:verify()
  local spec, reference, again = self.run.definition.verify, self:reference(), nil
  local first, why = dump(reference, "reference")
  if first and spec.repeat_reference then again, why = dump(reference, "reference-again") end
  if why then return { code = "EAGER_FAILED", message = "the reference failed: " .. why } end
  local result, failed = dump(self, "result")
  if failed then return { code = "VERIFIER_DIDNT_RUN", message = "failed: " .. failed } end
  return reg.verify { reference = first, result = result, repeat_reference = again, tolerance = spec.tolerance }
end

--- Adds to a record's fields: metrics, one value for each repeat; how many values of total_time each process reported,
--- or without one of every metric, if that is one number; when each process started, which identifies it; and the load
--- average before each, or its node.
function Experiment:add_metrics(fields)
  local metrics, started, load, nodes, counts = {}, {}, {}, {}, {}
  for i, trial in ipairs(self.trials) do
    started[i], load[i] = trial.started, (trial.info.machine or {}).load_start
    nodes[i] = trial.info.node and trial.info.node.name
    for name, list in pairs(trial.samples) do
      metrics[name] = values.flat { metrics[name] or {}, list }
      if name == "total_time" or not trial.samples.total_time then counts[#list] = true end
    end
  end
  metrics.per_iter_time = metrics.per_iter_time or metrics.total_time
    and values.map(metrics.total_time, function(seconds) return seconds / self.run.o.iterations end)
  local each = next(counts)
  fields.metrics, fields.process_started = metrics, started
  fields.values_per_process = each and not next(counts, each) and each or nil
  fields.process_load = #load == #started and load or nil
  fields.process_node = #nodes > 0 and nodes or nil  -- of a cluster
end

return Experiment
