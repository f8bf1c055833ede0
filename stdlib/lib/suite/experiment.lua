-- One experiment of a suite: a workload in one configuration, and the processes that were run of it.

local Queue = require "lib/sweep/queue"
local Verification = require "lib/suite/verification"
local definition = require "lib/suite/definition"
local trials = require "lib/sweep/trial"

local of = definition.of

local NOT_STARTED = { not_found = true, permission = true }

local Experiment = {}
Experiment.__index = Experiment

--- `run`: what all experiments of a run of the suite share (see runner.lua); `c`: workload and axes. Nothing is run yet.
function Experiment.new(run, c)
  local o, d = run.o, run.definition
  local self = setmetatable({ run = run, id = definition.id(d, c), workload = c.workload, skipped = c.skipped, taken = {},
    values = definition.values(d, c), name = definition.folder(d, c) }, Experiment)
  self.folder = run.folder .. "/" .. self.name
  self.axes = { workload = c.workload }  -- what distinguishes it
  for name, value in pairs(self.values) do self.axes[name] = value end
  self.configuration = { workload = c.workload, repeats = o["repeat"], iterations = o.iterations,
    folder = reg.fs.absolute(self.folder) }
  for name, value in pairs(self.values) do self.configuration[name] = value end
  return self
end

local function check_variable(id, name, value)
  if type(value) == "table" or type(value) == "function" then
    core.fail("usage", string.format("suite: the variable %s of %s is a %s", name, id, type(value)), "a text, a number, true or false")
  end
end

local function check_command(id, command)
  local is_one = (type(command) == "string" or type(command) == "table") and #command > 0
  if not is_one then
    core.fail("usage", string.format("suite: %s has no command: it is %s", id, reg.inspect(command)),
      "a list of words, or a line for the shell")
  end
end

--- The command and its environment; `folders`: { dump =, profile = } that it is to fill, made empty. `folder`: another than its own.
function Experiment:command(folders, folder)
  -- Without a metric each repeat is a process, which has no use for their number.
  local c, env = {}, { REPEAT = self.run.definition.metric and self.run.o["repeat"] or nil, ITERATIONS = self.run.o.iterations }
  for name, value in pairs(self.configuration) do c[name] = value end
  c.folder = folder or c.folder
  for name, path in pairs(folders or {}) do
    reg.fs.remove(path)  -- what an earlier process left is not this one's
    reg.fs.mkdir(path)
    c[name] = reg.fs.absolute(path)
    env[name:upper() .. "_DIR"] = c[name]
  end
  local d = self.run.definition
  local special = folders and folders.profile and d.profile and d.profile(c) or {}
  for _, more in ipairs { of(d.env, c) or {}, special.env or {} } do
    for name, value in pairs(more) do
      check_variable(self.id, name, value)
      env[name] = value
    end
  end
  local command = special.command or of(d.command, c)
  check_command(self.id, command)
  return command, env
end

--- Where its commands run.
function Experiment:place() return self.run.places:of(self.configuration) end

--- What makes two processes the same measurement: all that reaches the program, and the processor or GPU.
function Experiment:key()
  if not self.known_key then
    local d, place = self.run.definition, self:place()
    local command, env = self:command(nil, self.name)  -- results that were moved are still known
    local facts = place.facts
    self.known_key = reg.store.key { suite = d.name, workload = self.workload, values = self.values, command = command, env = env,
      commit = facts.commit, patch = facts.patch and facts.patch.sha256, image = facts.image_digest or facts.image,
      made_of = place.made_of, prepare = of(d.prepare, self.workload), machine = self.run.accelerator, metric = d.metric,
      iterations = self.run.o.iterations }
  end
  return self.known_key
end

--- The same for its record: also how many processes, and against what and how it is verified.
function Experiment:record_key()
  local run, verify = self.run, nil
  if run.o.verify then
    local spec = run.definition.verify
    verify = { how = spec, reference = Experiment.new(run, Verification.reference_of(spec, self.axes)):key() }
  end
  return reg.store.key { processes = self:key(), count = run.processes, verify = verify }
end

-- The numbers in a process's output, or else the seconds it took.
local function samples_of(metric, run)
  if not metric then return { total_time = { run.wall_s } } end
  if type(metric) == "string" then return { total_time = reg.metric.all(run.stdout, metric) } end
  local samples = {}
  for name, pattern in pairs(metric) do samples[name] = reg.metric.all(run.stdout, pattern) end
  return samples
end

-- Runs a process of it in a trial. Its program may be missing: then it fails, and no other experiment.
function Experiment:process(trial, folders, more)
  local command, env = self:command(folders)
  local call = self:place():call(command, self.run.o.timeout, env)
  for name, value in pairs(more or {}) do call[name] = value end
  local ok, run = pcall(trial.run, trial, call)
  if not ok and type(run) == "table" and NOT_STARTED[run.kind] then run = reg.skip(run.message) end
  if not ok then error(run, 0) end
  return run
end

-- What the trials of a kind share, as Queue.new and trial.measure take it.
function Experiment:trials(kind, measure)
  local run = self.run
  return { store = run.store, investigation = run.investigation, kind = kind, config = self.values,
    metric = "total_time", show = run.show, suspicion = run.suspicion, redo = run.o.redo or {}, measure = measure }
end

--- Whether the next process must be run: false if the store has it.
function Experiment:fresh()
  if not self.queue then
    local resumes = self.run.o.resume ~= false
    self.queue = Queue.new(self:trials("experiment", function(_, trial)
      return samples_of(self.run.definition.metric, self:process(trial, self.dump_folder))
    end), resumes and { self:key() } or {})
  end
  return self.queue:empty()
end

--- Runs the next process, or takes it from the store. True if it was run now.
function Experiment:take()
  self:fresh()
  self.dump_folder = self.run.o.dump and { dump = string.format("%s/%d", self.folder, #self.taken) } or nil
  local trial, fresh = self.queue:take(self.configuration, self.id, self:key())
  self.taken[#self.taken + 1] = trial
  if trial.status ~= "ok" then self.failed = trial end
  return fresh
end

-- A process beside the measured ones: nil, or what failed.
function Experiment:beside(kind, folders, more)
  local trial = trials.measure(self.configuration, self:trials(kind, function(_, trial)
    return { wall_s = self:process(trial, folders, more).wall_s }
  end), { id = self.id, key = kind .. " " .. self:key(), number = 1 })
  return trial.status ~= "ok" and trial or nil
end

--- Runs it for nothing, so that caches are warm.
function Experiment:warm_up() self.failed = self:beside("warm-up") end

--- Runs it once more under a profiler - the suite's own, or reg.trace - with results in its folder.
function Experiment:profile()
  local more = not self.run.definition.profile and { trace = true } or nil
  local failed = self:beside("profile", { profile = self.folder .. "/profile" }, more)
  if failed then reg.log.warn("%s: its profile failed: %s", self.id, failed.message) end
end

--- Runs a configuration - its own or its reference's - with a dump folder of that name. The folder, or nil and why.
function Experiment:dump(name)
  local folder = self.folder .. "/" .. name
  local failed = self:beside("verification", { dump = folder })
  if failed then return nil, failed.status .. ", " .. tostring(failed.message) end
  return folder
end

-- How many values of total_time each process gave, or of every metric where there is no such; nil where they differ.
local function values_per_process(taken)
  local each
  for _, trial in ipairs(taken) do
    local total = trial.samples.total_time
    for _, values in pairs(total and { total } or trial.samples) do
      if each and each ~= #values then return nil end
      each = #values
    end
  end
  return each
end

--- The lists of its metrics, a value for each repeat; how many of them each process gave, where that is one number; and when each
--- process started: a process that stands in two records is told by that.
function Experiment:metrics()
  local metrics, started = {}, {}
  for i, trial in ipairs(self.taken) do
    started[i] = trial.started
    for name, values in pairs(trial.samples) do
      metrics[name] = metrics[name] or {}
      table.move(values, 1, #values, #metrics[name] + 1, metrics[name])
    end
  end
  local total = metrics.total_time
  if total and not metrics.per_iter_time then
    metrics.per_iter_time = {}
    for i, seconds in ipairs(total) do metrics.per_iter_time[i] = seconds / self.run.o.iterations end
  end
  return metrics, values_per_process(self.taken), started
end

return Experiment
