-- A run of a suite: one workload after the other, the processes of its experiments interleaved, a record for each as
-- soon as it is complete. Every process is a trial in the store, so an interrupted run resumes where it stopped.

local Builds = require "lib/suite/build"
local Experiment = require "lib/suite/experiment"
local Suspicion = require("lib/sweep/queue").Suspicion
local definition = require "lib/suite/definition"
local how_started = require "lib/provenance/record"
local record = require "lib/suite/record"
local values = require "lib/values"

local Runner = {}
Runner.__index = Runner

-- The machine, for the records, with the GPUs that its processes see: of --gpus or the suite's `gpus`, or all visible.
local function describe_machine(self)
  local row = self.store:query("SELECT host, kernel, cpu, engine FROM investigations WHERE id = ?",
    self.investigation)[1]
  local wanted = self.o.options.gpus or self.definition.gpus or "visible"
  local gpus = reg.gpu.status().ok and reg.gpu.list(wanted) or {}
  local function model_of(gpu) return gpu.name end
  local models = table.concat(values.map(values.unique(gpus, model_of), model_of), ", ")
  self.accelerator = { accelerator = self.definition.accelerator or gpus[1] and "cuda" or "cpu",
    accelerator_model = gpus[1] and models or row.cpu }
  self.facts = values.merged(row, { order = self.o.order, driver = gpus[1] and gpus[1].driver or nil,
    seed = self.o.order == "random" and self.o.seed or nil })
end

-- Adds what all records have to the fields of an experiment's, and writes the record.
function Runner:write(experiment, own)
  local fields = values.merged(self.facts, experiment:build().facts, own)
  fields.key, fields.units = experiment:record_key(), next(self.units) and self.units or nil
  fields.model = { suite_name = self.definition.name, model_name = experiment.workload }
  fields.experiment = values.merged(record.EXPERIMENT, self.accelerator, experiment.values)
  fields["repeat"], fields.iterations_per_run = self.o["repeat"], self.o.iterations
  -- When the investigation of its processes began, also if their record was lost and is written again.
  local last = experiment.trials[#experiment.trials]
  fields.timestamp = self.store:query("SELECT started FROM investigations WHERE id = ?",
    last and last.investigation or self.investigation)[1].started
  fields.command, fields.env = experiment:command()
  local line = record.line(fields)
  reg.fs.append(self.results, line .. "\n")
  experiment.record = reg.json.decode(line)
end

-- Records a complete experiment, after its verification, so that one line holds both.
function Runner:complete(experiment)
  local failed, last = experiment.failed, experiment.trials[#experiment.trials]
  local verified = self.o.verify and not failed and experiment:verify()
  if self.o.profile and not failed then experiment:profile() end
  local info = last and last.info or {}
  local fields = { status = failed and failed.status or "ok", clocks = info.gpu, quiet = info.quiet,
    verification_code = failed and "VERIFIER_DIDNT_RUN" or "VERIFIER_SKIPPED" }
  if verified then
    fields.verification_code, fields.verification_message = verified.code, verified.message
    local is_finite = verified.value and math.abs(verified.value) < math.huge
    fields.verification_mean_rel_error = is_finite and verified.value or nil
  end
  if failed then
    fields.metrics = { error = failed.status .. ": " .. tostring(failed.message) }
  else
    experiment:add_metrics(fields)
  end
  self:write(experiment, fields)
end

-- Takes the record of an earlier run if it holds one that is not to be redone.
function Runner:reuse(experiment)
  local found = self.o.resume ~= false and self.recorded[experiment:record_key()]
  if not found or values.set(self.o.redo or {})[found.status] then return false end
  experiment.reused = (found.status == "skipped") == (experiment.skipped ~= nil)
  experiment.record = experiment.reused and found or nil
  return experiment.reused
end

-- The order in which `rounds` processes of each of n configurations run, so that drift does not hit the same one each
-- time. abba: forwards, backwards, forwards ...; random: shuffled by the seed; none: all of 1, then all of 2, ...
local function order_of(n, rounds, how, seed)
  local order = {}
  for round = 1, rounds do
    local turn = {}
    for i = 1, n do turn[i] = round % 2 == 1 and i or n + 1 - i end
    if how == "random" then values.sort_by(turn, function(i) return reg.store.key { seed, round, i } end) end
    table.move(turn, 1, n, #order + 1, order)
  end
  if how == "none" then table.sort(order) end
  return order
end

-- Runs the processes in their order, until each experiment is complete or has failed.
function Runner:run_interleaved(experiments)
  for _, at in ipairs(order_of(#experiments, self.processes, self.o.order, self.o.seed)) do
    local experiment = experiments[at]
    if not experiment.record then
      if experiment:must_run() and not experiment.warm then
        experiment.warm = true
        for _ = 1, self.o.warmup do experiment.failed = experiment.failed or experiment:run_extra "warm-up" end
      end
      if not experiment.failed then self.ran = self.ran + (experiment:add_trial() and 1 or 0) end
      if experiment.failed or #experiment.trials == self.processes then self:complete(experiment) end
    end
    self.done = self.done + 1
    self.progress:update { done = self.done, subject = experiment.id,
      note = experiment.failed and experiment.failed.status or nil }
  end
end

-- Builds, and prepares a workload there before its first process. Returns why that failed, { status =, message = }, or
-- nil. A build that fails ends the suite, since no experiment can do without it; with a build for each configuration,
-- it fails those that need it.
local function make_ready(self, build, workload)
  local d, why = self.definition, build:start()
  if why and type(d.build) ~= "function" then
    core.fail("unavailable", "suite: the build failed: " .. why.message, "Read its output in " .. build.o.log .. ".")
  end
  local command = not why and definition.resolve(d.prepare, workload)
  if not command then return why end
  local folder = self.o.folder .. "/" .. definition.workload_folder(workload)
  reg.fs.mkdir(folder)
  why = build:prepare(command, self.o.timeout, reg.fs.absolute(folder) .. "/PREPARE")
  return why and { status = why.status, message = "preparation failed: " .. why.message }
end

function Runner:run_workload(workload, experiments)
  local waiting = values.map(experiments, function(experiment)
    if self:reuse(experiment) then return nil end
    if not experiment.skipped then return experiment end
    self:write(experiment, { metrics = { error = "SKIP" }, verification_code = "VERIFIER_SKIPPED",
      status = "skipped", reason = experiment.skipped })
  end)
  self.done = self.done + self.processes * (#experiments - #waiting)
  local failures = {}  -- by build; false for none
  for _, experiment in ipairs(waiting) do
    local build = experiment:build()
    if failures[build] == nil then failures[build] = make_ready(self, build, workload) or false end
    experiment.failed = failures[build] or nil
  end
  self:run_interleaved(waiting)
end

local runner = {}

-- The number of processes of an experiment.
local function processes_of(d, o) return d.metric and o.processes or o["repeat"] end

--- A row for each of `chosen` with what would run, and a line that says how often.
function runner.plan(d, chosen, o)
  local run, skipped = { definition = d, o = o }, #values.only(chosen, function(c) return c.skipped end)
  local rows = values.map(chosen, function(c)
    local experiment = Experiment.new(run, c)
    local command, env = experiment:command()
    local variables = values.map(values.sorted_names(env), function(name)
      return env[name] ~= reg.json.null and name .. "=" .. tostring(env[name]) or nil
    end)
    return { experiment = experiment.id, skipped = c.skipped, env = table.concat(variables, " "),
      command = type(command) == "table" and table.concat(command, " ") or command }
  end)
  return rows, string.format("experiments: %d%s; processes per experiment: %d%s. Finished experiments are skipped",
    #rows, skipped > 0 and " (" .. skipped .. " skipped)" or "", processes_of(d, o),
    o.warmup > 0 and " after " .. o.warmup .. " warm-up" or "")
end

--- Runs `chosen`. `o`: complete options of reg.suite.run; `file`: the suite's, if it has one. Returns a suite.Done.
function runner.run(d, chosen, o, file)
  local self = setmetatable({ definition = d, o = o, results = o.folder .. "/results.jsonl", ran = 0, done = 0,
    processes = processes_of(d, o), units = definition.units(d), suspicion = Suspicion.new(), dumps = {} }, Runner)
  reg.fs.mkdir(o.folder)
  local store <close> = reg.store.open(o.store or o.folder .. "/suite.db")
  local builds <close> = Builds.new(d, o)
  self.store, self.builds, self.recorded = store, builds, record.read(self.results)
  local begun = how_started.of(d.name, { file })
  begun.options = values.merged(o, { started = o.resume == false and core.seconds() or nil })  -- not the unfinished one
  self.investigation = store:begin(begun)
  describe_machine(self)
  local all = values.map(chosen, function(c) return Experiment.new(self, c) end)
  for _, experiment in ipairs(all) do experiment:command() end  -- misuse raises before anything runs
  local progress <close> = reg.progress { title = d.name, total = #all * self.processes }
  self.progress = progress
  for _, list in ipairs(values.grouped(all, function(experiment) return experiment.workload end)) do
    self:run_workload(list[1].workload, list)
  end
  local result = record.summary(all)
  store:finish_investigation(self.investigation, { experiments = #all, ran = self.ran,
    title = #all .. " experiments, " .. result.summary,
    text = reg.report.table(result.rows, { columns = result.columns, width = 0 }):gsub("\n$", "") })
  result.experiments, result.ran, result.results, result.store = all, self.ran, self.results, store.path
  return result
end

return runner
