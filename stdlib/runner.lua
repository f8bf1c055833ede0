-- reg.runner { folders = { PATH, ... }, image = }: where builds and tests of worktrees run: in the first folder, on the
-- host or in one container that is kept between measurements. The container has every folder at its own path, and
-- `mounts`.

local Runner = {}
Runner.__index = Runner

--- The options of trial:build and trial:run for a command: a shell line, or a list of words.
function Runner:command(command, timeout)
  local call = { timeout_s = timeout, env = self.env, container = self.container }
  call[type(command) == "table" and "cmd" or "shell"] = command
  call[self.container and "workdir" or "cwd"] = self.folder
  return call
end

function Runner:close()
  if self.container then self.container:close() end
end
Runner.__close = Runner.close

return function(o)
  local self = setmetatable({ folder = o.folders[1], env = o.env }, Runner)
  if o.image then
    local mounts = {}
    for host, inside in pairs(o.mounts or {}) do mounts[host] = inside end
    for _, path in ipairs(o.folders) do mounts[path] = path end
    self.container = reg.container.start { image = o.image, mounts = mounts, gpus = o.gpus, network = o.network,
      memory = o.memory, shm_size = o.shm_size }
  end
  return self
end
