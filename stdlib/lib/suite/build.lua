-- One build of a suite: what its commands run in. A checkout of a repository, patched and built, on the host or in a
-- container that stays up; without a repository the folder that the engine was started in.

local build = {}

local function fail(message, hint) core.fail("usage", "suite: " .. message, hint) end

local function checkout(o)
  local repo = reg.git.open(o.repo)
  local tree = repo:worktree(o.tree)
  local ok, commit = pcall(tree.checkout, tree, o.rev or "HEAD", { patch = o.patch, submodules = true })
  if not ok and type(commit) == "table" and commit.kind == "failed_trial" then
    tree:close()
    fail(commit.message, "Pass the commit that the patch was made for with --rev.")
  end
  if not ok then error(commit, 0) end
  return tree, commit
end

-- The digest of an image, which is pulled if this machine does not have it.
local function digest_of(image)
  local ok, found = pcall(reg.container.inspect, image)
  if ok then return found.digest end
  if type(found) ~= "table" or found.kind ~= "not_found" then error(found, 0) end
  reg.container.pull(image)
  return reg.container.inspect(image).digest
end

local Build = {}
Build.__index = Build

-- Runs a command that is not timed, with its output in the file `out`: nil, or why it failed, { status =, message = }.
local function run_untimed(self, command, timeout, out)
  local call = self.runner:command(command, timeout)
  local container = call.container
  call.container, call.out, call.err = nil, out, out
  local run
  if container then run = container:exec(call) else run = reg.process.run(call) end
  if run.ok or run.dry then return nil end
  return reg.skip(run, run.timed_out and "timeout" or "build_failed")
end

--- Starts the container and builds, on the first call. Raises unavailable if the build fails.
function Build:start()
  if self.runner then return end
  local o = self.o
  self.runner = reg.runner { folders = { self.work, reg.fs.absolute(self.folder) }, image = o.image, gpus = o.gpus,
    network = o.network, mounts = o.mounts, memory = o.memory, shm_size = o.shm_size }
  local why = o.build and run_untimed(self, o.build, o.timeout, reg.fs.absolute(o.log))
  if not why then return end
  core.fail("unavailable", "suite: the build failed: " .. why.message, "Read its output in " .. o.log .. ".")
end

--- A command as trial:run takes it; `env` is added to the runner's own.
function Build:call(command, timeout, env)
  self:start()
  local call = self.runner:command(command, timeout)
  local all = {}
  for name, value in pairs(call.env or {}) do all[name] = value end
  for name, value in pairs(env) do
    if value ~= reg.json.null then all[name] = tostring(value) end
  end
  call.env = all
  return call
end

--- Runs a command before anything is timed, with its output in the file `out`: nil, or why it failed,
--- { status =, message = }.
function Build:prepare(command, timeout, out)
  self:start()
  return run_untimed(self, command, timeout, out)
end

function Build:close()
  if self.runner then self.runner:close() end
  if self.tree then self.tree:close() end
end
Build.__close = Build.close

--- `o`: repo, rev, patch, build, image, runtime, gpus, network, mounts, memory, shm_size, timeout; `tree` and `log`:
--- paths of the checkout and of the build log; `folder`: the results folder. `facts` (commit, patch, image,
--- image_digest) go into records; `inputs` is what else results may depend on. Container and build wait for the first
--- command: a run whose results are all recorded needs neither.
function build.open(o, folder)
  if o.patch and not o.repo then
    fail("--patch needs a repository to apply it to", "Pass --repo PATH, or set `repo` in the suite file.")
  end
  local self = setmetatable({ o = o, folder = folder, work = reg.fs.absolute ".", facts = {},
    inputs = { build = o.build } }, Build)
  if o.repo then
    local commit
    self.tree, commit = checkout(o)
    self.work = self.tree.path
    self.facts.commit = commit.id
    if o.patch then self.facts.patch = { file = o.patch:match "[^/]+$", sha256 = core.file_hash(o.patch) } end
  end
  if o.image then
    reg.container.use { runtime = o.runtime }
    for _, name in ipairs { "runtime", "gpus", "network", "mounts", "memory", "shm_size" } do
      self.inputs[name] = o[name]
    end
    self.facts.image = o.image
    if not core.settings().dry_run then self.facts.image_digest = digest_of(o.image) end
  end
  return self
end

return build
