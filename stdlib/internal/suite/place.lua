-- Where a suite's commands run: on the host or in one kept container, at a checkout of a repository, patched and built, or else in
-- the folder that the engine was started in.

local place = {}

local function fail(message, hint) core.fail("usage", "suite: " .. message, hint) end

local function checkout(o)
  local repo = reg.git.open(o.repo)
  local tree = repo:worktree(o.tree)
  local ok, commit = pcall(tree.checkout, tree, o.rev or "HEAD", { patch = o.patch, submodules = true })
  if not ok and type(commit) == "table" and commit.kind == "failed_trial" then
    tree:close()
    fail(commit.message, "the patch was made for another commit: name it with --rev")
  end
  if not ok then error(commit, 0) end
  return tree, commit
end

-- Runs what must be done before anything is timed, its output in a file.
local function run_before(self, command, timeout, out)
  local call = self.there:command(command, timeout)
  local container = call.container
  call.container, call.out, call.err = nil, out, out
  if container then return container:exec(call) end
  return reg.process.run(call)
end

local Place = {}
Place.__index = Place

--- The call of a command, as trial:run takes it; `env` beside the place's own.
function Place:call(command, timeout, env)
  local call = self.there:command(command, timeout)
  local all = {}
  for name, value in pairs(call.env or {}) do all[name] = value end
  for name, value in pairs(env) do
    if value ~= reg.json.null then all[name] = tostring(value) end
  end
  call.env = all
  return call
end

--- nil, or why it failed: { status =, message = }.
function Place:before(command, timeout, out)
  local run = run_before(self, command, timeout, out)
  if run.ok or run.dry then return nil end
  return reg.skip(run, run.timed_out and "timeout" or "build_failed")
end

function Place:close()
  self.there:close()
  if self.tree then self.tree:close() end
end
Place.__close = Place.close

--- `o`: repo, rev, patch, build, image, runtime, gpus, network, mounts, memory, shm_size, timeout; tree and log: where the checkout and
--- the build's output belong; `folder`: where results go. The place says what the results are of (facts: commit,
--- patch, image and image_digest) and what else they may depend on (made_of).
function place.open(o, folder)
  if o.patch and not o.repo then fail("--patch needs a repository to apply it to", "--repo PATH, or `repo` in the suite file") end
  local self = setmetatable({ facts = {}, made_of = { build = o.build, runtime = o.runtime, gpus = o.gpus, network = o.network,
    mounts = o.mounts, memory = o.memory, shm_size = o.shm_size } }, Place)
  local work = reg.fs.absolute "."
  if o.repo then
    local commit
    self.tree, commit = checkout(o)
    work = self.tree.path
    self.facts.commit = commit.id
    if o.patch then self.facts.patch = { file = o.patch:match "[^/]+$", sha256 = core.file_hash(o.patch) } end
  end
  if o.image then reg.container.use { runtime = o.runtime } end
  self.there = reg.place { folders = { work, reg.fs.absolute(folder) }, image = o.image, gpus = o.gpus, network = o.network,
    mounts = o.mounts, memory = o.memory, shm_size = o.shm_size }
  if o.image then
    self.facts.image = o.image
    if not core.settings().dry_run then self.facts.image_digest = reg.container.inspect(o.image).digest end
  end
  local why = o.build and self:before(o.build, o.timeout, reg.fs.absolute(o.log))
  if why then
    self:close()
    core.fail("unavailable", "suite: the build failed: " .. why.message, "all of its output is in " .. o.log)
  end
  return self
end

return place
