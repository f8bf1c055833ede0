-- reg.runner { folders = { PATH, ... }, image =, options = }: where builds and tests of worktrees run: in the first
-- folder, on the host or in one container that is kept between measurements. The container has every folder at its own
-- path, and `mounts`. Where a search measures two commits in turn whose builds take long, there is a second place, so
-- that both keep theirs: a second worktree of each, which its commands see at the path of the first, so that all builds
-- and tests have the same paths.

local check_measured = require "lib/check_measured"
local container = require "lib/options/container"
local leases = require "lib/sweep/leases"
local measured = require "lib/measured"
local second = require("lib/sweep/build_places").second
local tracing = require "lib/tracing"

local Runner = {}
Runner.__index = Runner

--- The options of trial:build and trial:run for a command: a shell line, or a list of words.
function Runner:command(command, timeout)
  local call = { timeout_s = timeout, env = self.env, container = self.container }
  call[type(command) == "table" and "cmd" or "shell"] = command
  call[self.container and "workdir" or "cwd"] = self.folder
  leases.asked[call] = self.gpus
  second[call] = self.second
  return call
end

--- Runs a command outside of any trial. Raises failed_trial if it fails.
function Runner:run(command, timeout)
  local call = self:command(command, timeout)
  local inside = call.container
  call.container = nil
  local run = inside and inside:exec(call) or reg.process.run(call)
  if run.ok or run.dry then return run end
  core.fail("failed_trial", string.format("'%s' %s", command, run.timed_out and "ran past its time limit"
    or "failed with exit code " .. run.code), run.stderr:match "([^\n]+)%s*$")
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
  if self.second and self.second.container then self.second.container:close() end
  local _ <close> = self.traces
  for _, tree in ipairs(self.second and self.second.seconds or {}) do tree:close() end
end
Runner.__close = Runner.close

-- As the local runtime does it. What is shared out among trials is chosen for each of them.
local function choose_gpus(settings, each)
  if each or not settings.gpus or settings.gpus == "all" then return end
  local named = settings.gpus
  if named:find ":" and not core.settings().dry_run then  -- CUDA knows an instance by its UUID alone
    local uuids = {}
    for i, part in ipairs(core.nouns.machine.gpu_parts(named)) do uuids[i] = part.uuid end
    named = table.concat(uuids, ",")
  end
  settings.env.CUDA_VISIBLE_DEVICES = settings.env.CUDA_VISIBLE_DEVICES or named
  settings.env.CUDA_DEVICE_ORDER = settings.env.CUDA_DEVICE_ORDER or core.nouns.machine.gpu_order()
end

-- Starts the container. If each trial gets a share of the GPUs, they have one for all
-- trials, of those that are free.
local function start(self, settings, each)
  local lease <close> = settings.gpus and each and reg.gpu.lease { gpus = settings.gpus, count = each } or nil
  local gpus = settings.gpus
  if lease then
    local uuids = {}
    for i, gpu in ipairs(lease.gpus) do uuids[i] = gpu.uuid end
    gpus, settings.gpus, settings.lease = table.concat(uuids, ","), nil, lease
  end
  for path, inside in pairs(self.traces and self.traces.mounts or {}) do settings.mounts[path] = inside end
  self.container = reg.container.start(settings)
  if self.traces then tracing.note(self.container, self.traces) end
  leases.asked[self.container] = gpus
  return gpus
end

-- The second place, which opens when it is first needed. `gpus`: those of the first container.
local function second_place(self, trees, settings, gpus)
  local place = { firsts = trees, seconds = {}, mounts = { {}, {} } }
  local function open()
    if not self.container then reg.process.run { shell = ":", mounts = { [trees[1].path] = trees[1].path } } end
    for i, tree in ipairs(trees) do
      local other = core.second_worktree(tree)
      place.seconds[i], second[tree] = other, other
      place.mounts[1][tree.path], place.mounts[2][other.path] = tree.path, tree.path
    end
    if self.container then
      for path, inside in pairs(place.mounts[2]) do settings.mounts[inside], settings.mounts[path] = nil, inside end
      place.container = reg.container.start(settings)
      if self.traces then tracing.note(place.container, self.traces) end
      leases.asked[place.container] = gpus
    end
  end
  function place.open()
    local ok, why = pcall(open)
    place.opened = ok
    if not ok and type(why) ~= "table" then error(why, 0) end
    return not ok and why.message:gsub("^cannot run '.-': ", "") or nil
  end
  return place
end

-- The worktrees among the folders, and the paths of all.
local function split(folders)
  local trees, paths = {}, {}
  for i, folder in ipairs(folders) do
    paths[i] = type(folder) == "string" and folder or folder.path
    if type(folder) ~= "string" then trees[#trees + 1] = folder end
  end
  return trees, paths
end

return function(o)
  local metric = (o.options or {}).metric
  check_measured.at(metric, o.image and "kept" or "host")
  local trees, folders = split(o.folders)
  local settings = container.settings(o.options or {}, not o.image, folders[1])
  container.complete(settings, o)
  local each = leases.per_trial(o.options or {})
  if not o.image then choose_gpus(settings, each) end
  local self = setmetatable({ folder = settings.workdir or folders[1], env = settings.env }, Runner)
  local gpus
  if o.image then
    for _, path in ipairs(folders) do
      -- A dry run makes no worktree.
      if not core.settings().dry_run or reg.fs.exists(path) then settings.mounts[path] = path end
    end
    settings.image, settings.env, settings.workdir = o.image, nil, nil
    local ask = (measured[metric] or {}).ask or {}
    settings.usage = ask.usage
    self.traces = ask.trace and tracing.place(settings.runtime)
    gpus = start(self, settings, each)
  elseif (settings.gpus or "") ~= "" then
    self.gpus = settings.gpus
  end
  if #trees > 0 and not core.settings().dry_run then
    self.second = second_place(self, trees, settings, gpus)
  end
  return self
end
