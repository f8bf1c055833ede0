-- Commands in container images on a cluster: by pyxis and enroot, by apptainer, or by docker or podman of the host.

local values = require "lib/values"

local map, sorted_names = values.map, values.sorted_names

local image = {}

local FOLDER <const> = ".regengine/images"

-- Settings of reg.container.run that pyxis and apptainer have no word for: each job has the machine as Slurm gives it.
local OF_DOCKER <const> = { gpus = true, network = true, ipc = true, ulimits = true, devices = true, cap_add = true,
  cpus = true, memory = true, user = true, entrypoint = true }

-- Each as "HOST:INSIDE".
local function mounts_of(call)
  local mounts = call.mounts or {}
  return map(sorted_names(mounts), function(host) return reg.fs.absolute(host) .. ":" .. mounts[host] end)
end

local function check(call, by)
  for name in pairs(OF_DOCKER) do
    if call[name] and not (name == "gpus" and call.gpus == "all") then
      core.fail("usage", string.format("%s has no setting '%s' for containers", by, name), "Leave it out.")
    end
  end
end

local WAYS = {}

-- A named container stays on its node until the job ends: named after the job, no run finds what another one wrote.
local NAMED <const> = 'exec srun "--container-name=regengine-$SLURM_JOB_ID" "$@"'

-- pyxis is a plugin of srun; it imports with enroot. "registry/name:tag" is "docker://registry#name:tag" there.
function WAYS.pyxis(call, file)
  check(call, "pyxis")
  local words = { "sh", "-c", NAMED, "srun", "--quiet", "--container-image=" .. file, "--no-container-mount-home",
    "--container-remap-root" }
  local mounts = mounts_of(call)
  if #mounts > 0 then words[#words + 1] = "--container-mounts=" .. table.concat(mounts, ",") end
  if call.workdir then words[#words + 1] = "--container-workdir=" .. call.workdir end
  return words
end

function WAYS.apptainer(call, file)
  check(call, "apptainer")
  local words = { "apptainer", "--silent", "exec", "--no-home", "--writable-tmpfs", "--nv" }
  for _, mount in ipairs(mounts_of(call)) do words[#words + 1] = "--bind=" .. mount end
  if call.workdir then words[#words + 1] = "--pwd=" .. call.workdir end
  words[#words + 1] = file
  return words
end

-- docker and podman have the words that regengine's own options have.
local function by_docker(program)
  return function(call)
    local words = { program, "run", "--rm", "--init" }
    for _, mount in ipairs(mounts_of(call)) do words[#words + 1] = "--volume=" .. mount end
    for name in pairs(call.env or {}) do words[#words + 1] = "--env=" .. name end
    for _, setting in ipairs(core.container_settings()) do
      local value = call[setting.name]
      for _, one in ipairs(type(value) == "table" and value or { value }) do
        words[#words + 1] = "--" .. setting.option .. "=" .. one
      end
    end
    words[#words + 1] = call.image
    return words
  end
end

WAYS.docker, WAYS.podman = by_docker "docker", by_docker "podman"

-- Where an image is imported, once for each digest and platform.
local function file_of(cluster, name)
  cluster.platform = cluster.platform or reg.process.run({ cmd = { "uname", "-m" }, reads = true }).stdout:match "%S+"
  return string.format("%s/%s-%s.image", reg.fs.absolute(FOLDER), core.sha256(cluster.digests[name] or name):sub(1, 24),
    cluster.platform)
end

-- "pyxis", "apptainer", "docker" or "podman".
local function way_of(cluster, name)
  return cluster.backend.images or core.fail("usage", cluster.backend.name .. " runs no images: " .. name,
    "It takes pyxis or apptainer, or docker or podman on each host.")
end

--- The words in front of a command that runs it in call.image. Raises usage where the cluster runs no images.
function image.words(cluster, call) return WAYS[way_of(cluster, call.image)](call, file_of(cluster, call.image)) end

-- "docker://ghcr.io#nvidia/jax:nightly" for enroot.
local function enroot_name(name)
  local registry, rest = name:match "^([^/]+)/(.+)$"
  local has_registry = registry and (registry:find "[.:]" or registry == "localhost")
  return "docker://" .. (has_registry and registry .. "#" .. rest or name)
end

-- The command line that imports an image into a file that every user may read; nil where the hosts pull it.
local function command_of(way, name, file)
  local part = core.shell_words { file .. ".part" }
  local commands = {
    pyxis = "enroot import -o " .. part .. " " .. core.shell_words { enroot_name(name) },
    apptainer = "apptainer build --force " .. part .. " " .. core.shell_words { "docker://" .. name },
  }
  local import = commands[way]
  return import and ("rm -f %s; %s && chmod a+r %s && mv %s %s"):format(part, import, part, part,
    core.shell_words { file })
end

--- Imports an image, see Cluster:import.
function image.import(cluster, name, digest)
  local way = way_of(cluster, name)
  cluster.digests[name] = digest
  local file = file_of(cluster, name)
  local command = command_of(way, name, file)
  while cluster.importing[file] do reg.sleep(0.1) end
  if not command or reg.fs.exists(file) then return end
  cluster.importing[file] = true
  local _ <close> = setmetatable({}, { __close = function() cluster.importing[file] = nil end })
  reg.fs.mkdir(FOLDER)
  local run, job = cluster:run({ shell = command }, { trial = "import", key = file, is_counted = function() end })
  cluster:forget { job }
  if run.ok then return end
  error({ kind = "failed_trial", status = "skipped", info = { unprepared = true },
    message = "image " .. name .. " cannot be imported: " .. (values.last_line(run.stderr) or run.code) }, 0)
end

return image
