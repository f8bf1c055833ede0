-- The builds of a suite, which its commands run in: one for each image, revision and build command. A build is a
-- checkout of a repository, patched and built, on the host or in a container; without a repository it is the current
-- folder. All stay open until the suite ends, so that processes of two builds can alternate.

local Repos = require "lib/repos"
local container_options = require "lib/options/container"
local definition = require "lib/suite/definition"
local failure = require "lib/failure"
local leases = require "lib/gpu/leases"
local values = require "lib/values"

local merged, resolve, usage = values.merged, definition.resolve, definition.usage

local function checkout(o)
  local repo = reg.git.open(o.repo)
  local tree = repo:worktree(o.tree)
  local commit, failed = values.caught("failed_trial", tree.checkout, tree, o.rev or "HEAD", { patch = o.patch,
    submodules = Repos.how().submodules })
  if commit then return tree, commit end
  tree:close()
  usage(failed.message, "Pass the commit that the patch was made for with --rev.")
end

-- What the commands depend on besides the image: what was given for their container, or for the host.
local function inputs_of(o)
  local settings, inputs = container_options.settings(o.options, not o.image), { build = o.build }
  if o.image then settings = container_options.completed(settings, o) end
  local each = settings.gpus and leases.per_trial(o.options)
  local leased = leases.example(settings.gpus, each)
  if not o.image then
    settings.runtime, settings.gpus = nil, settings.gpus ~= "all" and settings.gpus or nil  -- they change nothing
  end
  for _, name in ipairs(container_options.NAMES) do
    local value = settings[name]
    if name ~= "pull" and (type(value) ~= "table" or next(value) ~= nil) then inputs[name] = value end
  end
  if leased then inputs.gpus = each .. " leased" end  -- whichever they are
  return inputs, settings, leased
end

local Build = {}
Build.__index = Build

--- Runs a command that is not timed, of a build that was started, with its output in the file `out`: nil, or why it
--- failed, { status =, message = }.
function Build:prepare(command, timeout, out)
  local call = self.runner:command(command, timeout)
  local container = call.container
  call.container, call.out, call.err = nil, out, out
  local run = container and container:exec(call) or reg.process.run(call)
  if run.ok or run.dry then return nil end
  failure.check_shortage({ failed_run = run, subject_id = "the suite" }, {})
  return reg.skip(run, run.timed_out and "timeout" or "build_failed")
end

--- Starts the container and builds, on the first call. Returns why the build failed, { status =, message = }, or nil.
function Build:start()
  if self.runner then return self.failed end
  local o = self.o
  self.runner = reg.runner(merged(values.picked(o, o.image and container_options.NAMES or {}), { image = o.image,
    folders = { self.work, reg.fs.absolute(o.folder) }, options = o.options, traced = o.traced }))
  self.failed = o.build and self:prepare(o.build, o.timeout, reg.fs.absolute(o.log)) or nil
  return self.failed
end

--- A command as trial:run takes it, with `env`; --env overrides it. Raises the failed trial of a build that failed.
function Build:call(command, timeout, env)
  local why = self:start()
  if why then error(why, 0) end
  local call = self.runner:command(command, timeout)
  local all = {}
  for name, value in pairs(env) do
    if value ~= reg.json.null then all[name] = tostring(value) end
  end
  call.env = merged(all, call.env)
  return call
end

function Build:close()
  if self.runner then self.runner:close() end
  if self.tree then self.tree:close() end
end

-- `o`: repo, rev, patch, build, image, timeout; `options`: of reg.options "container", and those of the suite file;
-- `tree` and `log`: paths; `folder`: of results; `traced`: whether commands are traced. `facts` go into records, which
-- depend on `inputs` and on the models of `leased`. The container and the build wait for the first command.
local function open(o)
  if o.patch and not o.repo then
    usage("--patch needs a repository to apply it to", "Pass --repo PATH, or set `repo` in the suite file.")
  end
  local inputs, settings, leased = inputs_of(o)
  local self = setmetatable({ o = o, work = reg.fs.absolute ".", facts = {}, inputs = inputs, leased = leased }, Build)
  if o.repo then
    local commit
    self.tree, commit = checkout(o)
    self.work = self.tree.path
    self.facts.commit = commit.id
    if o.patch then self.facts.patch = { file = o.patch:match "[^/]+$", sha256 = core.file_hash(o.patch) } end
  end
  if o.image then
    reg.container.use { runtime = settings.runtime }
    self.facts.image = o.image
    if not core.settings().dry_run then
      reg.container.pull(o.image, { pull = settings.pull or "missing" })
      self.facts.image_digest = reg.container.inspect(o.image).digest
    end
  end
  return self
end

local Builds = {}
Builds.__index = Builds

--- `d`: the suite; `o`: options of the run, which override the suite.
function Builds.new(d, o) return setmetatable({ d = d, o = o, all = {}, by_key = {} }, Builds) end

--- The build of a configuration, opened on first use.
function Builds:get(c)
  local d, o = self.d, self.o
  local image, rev, command = o.image or resolve(d.image, c), o.rev or resolve(d.rev, c), resolve(d.build, c)
  if command ~= nil and not definition.is_command(command) then
    usage("the build of " .. definition.id(d, c) .. " is " .. reg.inspect(command),
      "Return a list of strings, a shell command line, or nil.")
  end
  local key = reg.store.key { image = image, rev = rev, build = command }
  local opened = self.by_key[key]
  if opened then return opened end
  local suffix = #self.all == 0 and "" or "-" .. #self.all + 1
  opened = open(merged({ repo = o.repo or d.repo, rev = rev, patch = o.patch, build = command, image = image,
    timeout = o.timeout, options = o.options, folder = o.folder, tree = o.folder .. "/worktree" .. suffix,
    log = o.folder .. "/BUILD" .. suffix, traced = o.profile and not d.profile },
    values.picked(d, definition.CONTAINER)))
  self.by_key[key] = opened
  table.insert(self.all, opened)
  return opened
end

function Builds:__close()
  for _, one in ipairs(self.all) do one:close() end
end

return Builds
