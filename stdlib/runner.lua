-- reg.runner: runs the builds and tests of worktrees, on the host or in a container.

local check_measured = require "lib/check_measured"
local container = require "lib/options/container"
local last_line = require("lib/values").last_line
local leases = require "lib/gpu/leases"
local measured = require "lib/measured"
local tracing = require "lib/tracing"

--- Besides these it takes the options of reg.container.start, for the container.
---@class runner.Options: container.StartOptions
---@field folders (string|git.Worktree)[] for builds and tests, each at its own path; commands start in the first
---@field image? string run in one container of this image, kept until close; on the host when absent
---@field env? table<string, string> variables every command gets
---@field traced? boolean whether the commands in the container are traced
---@field options? options.Values of reg.options { "container" }; they override the others

--- Runs the builds and tests of worktrees.
--- ```lua
--- local runner = reg.runner { folders = { "." } }
--- runner:run("make inputs", "10m")
--- reg.sweep({ "a", "b" }, { build = function(_, trial) runner:build(trial, opt) end, measure = function(_, trial)
---   return trial:run(runner:command("./bench", "20m")).wall_s
--- end })
--- runner:close()
--- ```
---@class runner.Runner
---@field folder string the folder that commands start in
---@field env? table<string, string>
---@field container? container.Container
local Runner = {}
Runner.__index = Runner

--- The options of trial:build, trial:run and trial:passes for a command. The timeout is in seconds or a string, "1h".
--- It raises nothing.
---@param command string|string[] a shell line, or a list of words
---@param timeout? number|string
---@return sweep.TrialCommand options
function Runner:command(command, timeout)
  local call = { timeout_s = timeout, env = self.env, container = self.container }
  for name, value in pairs(self.on_nodes or {}) do call[name] = value end
  call[type(command) == "table" and "cmd" or "shell"] = command
  call[(self.container or self.on_nodes) and "workdir" or "cwd"] = self.folder
  leases.asked[call] = self.gpus
  return call
end

--- Runs a command outside of a trial, where the runner runs all of them. Raises failed_trial if it fails.
---@param command string|string[]
---@param timeout? number|string seconds, or such as "10m"
---@return process.Result run
function Runner:run(command, timeout)
  local call = self:command(command, timeout)
  local inside = call.container
  call.container = nil
  local run = inside and inside:exec(call) or reg.process.run(call)
  if run.ok or run.dry then return run end
  core.fail("failed_trial", string.format("'%s' %s", command, run.timed_out and "ran past its time limit"
    or "failed with exit code " .. run.code), last_line(run.stderr))
end

--- Builds in a trial as the options of a script say: the command --build, with the files of --artifact, and then the
--- check --check-build with --says. Without --build it only checks. Raises what Trial:build and Trial:check_build
--- raise.
---@param trial sweep.Trial
---@param opt options.Values build, artifact, check_build, says and timeout
function Runner:build(trial, opt)
  if opt.build then
    local call = self:command(opt.build, opt.timeout)
    call.artifact = opt.artifact
    trial:build(call)
  end
  if opt.check_build then trial:check_build(self:command(opt.check_build, opt.timeout), opt.says) end
end

--- Removes the container if there is one. A second close does nothing.
function Runner:close()
  if self.container then self.container:close() end
  local _ <close> = self.traces
end
Runner.__close = Runner.close

-- As the local runtime does it. What is shared out among trials is chosen for each of them.
local function choose_gpus(settings, each)
  if each or not settings.gpus or settings.gpus == "all" then return end
  local named = settings.gpus
  if named:find ":" and not core.settings().dry_run then  -- CUDA knows an instance by its UUID alone
    named = leases.uuids(core.nouns.machine.gpu_parts(named))
  end
  local variable = core.nouns.machine.gpu_variable()
  settings.env[variable] = settings.env[variable] or named
  settings.env.CUDA_DEVICE_ORDER = settings.env.CUDA_DEVICE_ORDER or core.variables().CUDA_DEVICE_ORDER or "PCI_BUS_ID"
end

-- Starts the container. If each trial gets a share of the GPUs, they have one for all trials, of those that are free.
local function start(self, settings, each)
  local lease <close> = settings.gpus and each and reg.gpu.lease { gpus = settings.gpus, count = each } or nil
  local gpus = settings.gpus
  if lease then gpus, settings.gpus, settings.lease = leases.uuids(lease.gpus), nil, lease end
  for path, inside in pairs(self.traces and self.traces.mounts or {}) do settings.mounts[path] = inside end
  self.container = reg.container.start(settings)
  if self.traces then tracing.note(self.container, self.traces) end
  leases.asked[self.container] = gpus
end

--- Makes a runner of commands: on the host, or in a container that is kept between measurements and has every folder at
--- its own path. Close it, or declare it `<close>`. Raises as reg.container.start does, and usage for `options` that
--- need a container if `image` is missing.
--- ```lua
--- local runner <close> = reg.runner { folders = { "/src/xla" }, image = "ubuntu:24.04" }
--- ```
---@param options runner.Options
---@return runner.Runner runner
return function(o)
  local metric = (o.options or {}).metric
  check_measured.at(metric, o.image and "kept" or "host")
  local folders = {}
  for i, folder in ipairs(o.folders) do folders[i] = type(folder) == "string" and folder or folder.path end
  local settings = container.completed(container.settings(o.options or {}, not o.image, folders[1]), o)
  local each = leases.per_trial(o.options or {})
  if not o.image then choose_gpus(settings, each) end
  local self = setmetatable({ folder = settings.workdir or folders[1], env = settings.env }, Runner)
  if o.image then
    for _, path in ipairs(folders) do
      -- A dry run makes no worktree.
      if not core.settings().dry_run or reg.fs.exists(path) then settings.mounts[path] = path end
    end
    settings.image, settings.env, settings.workdir = o.image, nil, nil
    if core.cluster then
      core.cluster:import(o.image)
      settings.env, self.on_nodes = self.env, settings
      return self
    end
    local ask = (measured[metric] or {}).ask or {}
    settings.usage = ask.usage
    self.traces = (ask.trace or o.traced) and tracing.place(settings.runtime)
    start(self, settings, each)
  elseif (settings.gpus or "") ~= "" then
    self.gpus = settings.gpus
  end
  return self
end
