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

-- The digest of an image that is here, or else is fetched.
local function digest_of(image)
  local ok, found = pcall(reg.container.inspect, image)
  if ok then return found.digest end
  if type(found) ~= "table" or found.kind ~= "not_found" then error(found, 0) end
  reg.container.pull(image)
  return reg.container.inspect(image).digest
end

local Place = {}
Place.__index = Place

-- nil, or why a command that is not timed failed: { status =, message = }. Its output is in the file.
local function before(self, command, timeout, out)
  local call = self.there:command(command, timeout)
  local container = call.container
  call.container, call.out, call.err = nil, out, out
  local run
  if container then run = container:exec(call) else run = reg.process.run(call) end
  if run.ok or run.dry then return nil end
  return reg.skip(run, run.timed_out and "timeout" or "build_failed")
end

--- Starts its container and builds, the first time. Raises unavailable where the build fails.
function Place:start()
  if self.there then return end
  local o = self.o
  self.there = reg.runner { folders = { self.work, reg.fs.absolute(self.folder) }, image = o.image, gpus = o.gpus, network = o.network,
    mounts = o.mounts, memory = o.memory, shm_size = o.shm_size }
  local why = o.build and before(self, o.build, o.timeout, reg.fs.absolute(o.log))
  if why then core.fail("unavailable", "suite: the build failed: " .. why.message, "all of its output is in " .. o.log) end
end

--- The call of a command, as trial:run takes it; `env` beside the place's own.
function Place:call(command, timeout, env)
  self:start()
  local call = self.there:command(command, timeout)
  local all = {}
  for name, value in pairs(call.env or {}) do all[name] = value end
  for name, value in pairs(env) do
    if value ~= reg.json.null then all[name] = tostring(value) end
  end
  call.env = all
  return call
end

--- Runs what must be done before anything is timed, its output in a file: nil, or why it failed: { status =, message = }.
function Place:before(command, timeout, out)
  self:start()
  return before(self, command, timeout, out)
end

function Place:close()
  if self.there then self.there:close() end
  if self.tree then self.tree:close() end
end
Place.__close = Place.close

--- `o`: repo, rev, patch, build, image, runtime, gpus, network, mounts, memory, shm_size, timeout; tree and log: where the checkout and
--- the build's output belong; `folder`: where results go. The place says what the results are of (facts: commit,
--- patch, image and image_digest) and what else they may depend on (made_of). It is started when the first command needs it: what
--- is known already needs no container and no build.
function place.open(o, folder)
  if o.patch and not o.repo then fail("--patch needs a repository to apply it to", "--repo PATH, or `repo` in the suite file") end
  local self = setmetatable({ o = o, folder = folder, work = reg.fs.absolute ".", facts = {}, made_of = { build = o.build } }, Place)
  if o.repo then
    local commit
    self.tree, commit = checkout(o)
    self.work = self.tree.path
    self.facts.commit = commit.id
    if o.patch then self.facts.patch = { file = o.patch:match "[^/]+$", sha256 = core.file_hash(o.patch) } end
  end
  if o.image then
    reg.container.use { runtime = o.runtime }
    for _, name in ipairs { "runtime", "gpus", "network", "mounts", "memory", "shm_size" } do self.made_of[name] = o[name] end
    self.facts.image = o.image
    if not core.settings().dry_run then self.facts.image_digest = digest_of(o.image) end
  end
  return self
end

return place
