-- reg.runner { folders = { PATH, ... }, image =, options = }: where builds and tests of worktrees run: in the first
-- folder, on the host or in one container that is kept between measurements. The container has every folder at its own
-- path, and `mounts`.

local container = require "lib/options/container"
local gpu_containers = require "lib/sweep/gpu_containers"

local Runner = {}
Runner.__index = Runner

--- The options of trial:build and trial:run for a command: a shell line, or a list of words.
function Runner:command(command, timeout)
  local call = { timeout_s = timeout, env = self.env, container = self.container }
  call[type(command) == "table" and "cmd" or "shell"] = command
  call[self.container and "workdir" or "cwd"] = self.folder
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

-- As the local runtime does it.
local function choose_gpus(settings)
  if not settings.gpus or settings.gpus == "all" then return end
  settings.env.CUDA_VISIBLE_DEVICES = settings.env.CUDA_VISIBLE_DEVICES or settings.gpus
end

return function(o)
  local settings = container.settings(o.options or {}, not o.image, o.folders[1])
  container.complete(settings, o)
  if not o.image then choose_gpus(settings) end
  local self = setmetatable({ folder = settings.workdir or o.folders[1], env = settings.env }, Runner)
  if o.image then
    for _, path in ipairs(o.folders) do settings.mounts[path] = path end
    settings.image, settings.env, settings.workdir = o.image, nil, nil
    self.container = reg.container.start(settings)
    gpu_containers[self.container] = (settings.gpus or "") ~= ""
  end
  return self
end
