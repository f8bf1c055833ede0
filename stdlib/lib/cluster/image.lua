-- Commands in container images on a cluster: by pyxis and enroot, by apptainer, or by docker or podman of the host.

local image = {}

-- Settings of reg.container.run that pyxis and apptainer have no word for: each job has the machine as Slurm gives it.
local OF_DOCKER <const> = { gpus = true, network = true, ipc = true, ulimits = true, devices = true, cap_add = true,
  cpus = true, memory = true, user = true, entrypoint = true }

local function mounts_of(call, form)
  local list = {}
  for host, inside in pairs(call.mounts or {}) do list[#list + 1] = form(reg.fs.absolute(host), inside) end
  table.sort(list)
  return list
end

local function joined(host, inside) return host .. ":" .. inside end

local function check(call, by)
  for name in pairs(OF_DOCKER) do
    if call[name] and not (name == "gpus" and call.gpus == "all") then
      core.fail("usage", string.format("%s has no setting '%s' for containers", by, name), "Leave it out.")
    end
  end
end

local WAYS = {}

-- pyxis is a plugin of srun; it imports with enroot. "registry/name:tag" is "docker://registry#name:tag" there.
function WAYS.pyxis(call, file)
  check(call, "pyxis")
  local words = { "srun", "--quiet", "--container-image=" .. file, "--no-container-mount-home",
    "--container-remap-root" }
  local mounts = mounts_of(call, joined)
  if #mounts > 0 then words[#words + 1] = "--container-mounts=" .. table.concat(mounts, ",") end
  if call.workdir then words[#words + 1] = "--container-workdir=" .. call.workdir end
  return words
end

function WAYS.apptainer(call, file)
  check(call, "apptainer")
  local words = { "apptainer", "--silent", "exec", "--no-home", "--writable-tmpfs", "--nv" }
  for _, mount in ipairs(mounts_of(call, joined)) do words[#words + 1] = "--bind=" .. mount end
  if call.workdir then words[#words + 1] = "--pwd=" .. call.workdir end
  words[#words + 1] = file
  return words
end

-- docker and podman have the words that regengine's own options have.
local function by_docker(program)
  return function(call)
    local words = { program, "run", "--rm", "--init" }
    for _, mount in ipairs(mounts_of(call, joined)) do words[#words + 1] = "--volume=" .. mount end
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

--- The words in front of a command that runs it in call.image. `way`: "pyxis", "apptainer", "docker" or "podman";
--- `file`: where the image was imported, for the first two.
function image.words(way, call, file) return WAYS[way](call, file) end

-- "docker://ghcr.io#nvidia/jax:nightly" for enroot.
local function enroot_name(name)
  local registry, rest = name:match "^([^/]+)/(.+)$"
  local has_registry = registry and (registry:find "[.:]" or registry == "localhost")
  return "docker://" .. (has_registry and registry .. "#" .. rest or name)
end

--- The command line that imports an image into a file that every user may read; nil where the hosts pull it.
function image.import(way, name, file)
  local part = core.shell_words { file .. ".part" }
  local commands = {
    pyxis = "enroot import -o " .. part .. " " .. core.shell_words { enroot_name(name) },
    apptainer = "apptainer build --force " .. part .. " " .. core.shell_words { "docker://" .. name },
  }
  local import = commands[way]
  return import and ("rm -f %s; %s && chmod a+r %s && mv %s %s"):format(part, import, part, part,
    core.shell_words { file })
end

return image
