-- reg.runner { folders = { PATH, ... }, image =, options = }: where builds and tests of worktrees run: in the first
-- folder, on the host or in one container that is kept between measurements. The container has every folder at its own
-- path, and `mounts`.

local container = require "lib/options/container"
local asked_gpus = require "lib/sweep/asked_gpus"
local leases = require "lib/sweep/leases"

local Runner = {}
Runner.__index = Runner

--- The options of trial:build and trial:run for a command: a shell line, or a list of words.
function Runner:command(command, timeout)
  local call = { timeout_s = timeout, env = self.env, container = self.container }
  call[type(command) == "table" and "cmd" or "shell"] = command
  call[self.container and "workdir" or "cwd"] = self.folder
  asked_gpus[call] = self.gpus
  return call
end

--- Builds in a trial as --build says, with what --artifact and --check-build ask for.
function Runner:build(trial, opt)
  if opt.build then
    local call = self:command(opt.build, opt.timeout)
    call.artifact = opt.artifact
    trial:build(call)
  end
  if opt.check_build then trial:check_build(self:command(opt.check_build, opt.timeout), opt.says) end
end

function Runner:close()
  if self.container then self.container:close() end
end
Runner.__close = Runner.close

-- As the local runtime does it. What is shared out among trials is chosen for each of them.
local function choose_gpus(settings, each)
  if each or not settings.gpus or settings.gpus == "all" then return end
  settings.env.CUDA_VISIBLE_DEVICES = settings.env.CUDA_VISIBLE_DEVICES or settings.gpus
end

-- Starts the container. If each trial gets a share of the GPUs, it has one for all its trials, of those that are free.
local function start(settings, each)
  local lease <close> = settings.gpus and each and reg.gpu.lease { gpus = settings.gpus, count = each } or nil
  local gpus = settings.gpus
  if lease then
    local uuids = {}
    for i, gpu in ipairs(lease.gpus) do uuids[i] = gpu.uuid end
    gpus, settings.gpus, settings.lease = table.concat(uuids, ","), nil, lease
  end
  local started = reg.container.start(settings)
  asked_gpus[started] = gpus
  return started
end

return function(o)
  local settings = container.settings(o.options or {}, not o.image, o.folders[1])
  container.complete(settings, o)
  local each = leases.per_trial(o.options or {})
  if not o.image then choose_gpus(settings, each) end
  local self = setmetatable({ folder = settings.workdir or o.folders[1], env = settings.env }, Runner)
  if o.image then
    for _, path in ipairs(o.folders) do settings.mounts[path] = path end
    settings.image, settings.env, settings.workdir = o.image, nil, nil
    self.container = start(settings, each)
  elseif (settings.gpus or "") ~= "" then
    self.gpus = settings.gpus
  end
  return self
end
