-- The group of options "container" of reg.options: what they say, as options of reg.container.run.

local leases = require "lib/gpu/leases"
local merged, picked = require("lib/values").merged, require("lib/values").picked

local container = {}

local SETTINGS = core.container_settings()

--- The names of options of reg.container.run that come from the command line.
container.NAMES = { "runtime", "init", "pull", "env", "mounts" }
for _, setting in ipairs(SETTINGS) do table.insert(container.NAMES, setting.name) end

-- Host paths and the paths inside. Without a container a path is where it is.
local function mounts_of(options, on_host)
  local mounts = {}
  local function add(flag, text)
    local host, inside, read_only = core.container_mount(text)
    if on_host and inside ~= host then
      core.fail("usage", string.format("%s %s: needs a container, and this runs on the host", flag, text),
        "Leave out the path inside, or use docker or podman.")
    end
    if mounts[host] then
      core.fail("usage", flag .. ": mounted twice: " .. host, "Mount a path once.")
    end
    mounts[host] = inside .. (read_only and ":ro" or "")
  end
  for _, text in ipairs(options.mount or {}) do add("--mount", text) end
  for _, path in ipairs(options.input or {}) do add("--input", path .. ":ro") end
  return on_host and {} or mounts
end

--- The options of reg.container.run for `options`, the values of reg.options { "container" }: what was not given is
--- nil, except for env and mounts. `on_host`: commands run without a container. A relative workdir is below `folder`.
--- Raises usage for options that contradict each other, on the host for those that need a container, and for GPUs that
--- the trials cannot have.
function container.settings(options, on_host, folder)
  leases.check(options, on_host)
  local settings = { env = {}, mounts = mounts_of(options, on_host) }
  if options.no_init then settings.init = false end
  for _, text in ipairs(options.env or {}) do
    local name, value = text:match "^(.-)=(.*)$"
    settings.env[name] = value
  end
  settings.pull = options.pull
  for _, setting in ipairs(SETTINGS) do
    local value = options[setting.option:gsub("-", "_")]
    if type(value) ~= "table" or #value > 0 then settings[setting.name] = value end
  end
  if folder and settings.workdir and not settings.workdir:match "^/" then
    settings.workdir = folder .. "/" .. settings.workdir
  end
  settings.runtime = on_host and "local" or options.runtime
  core.container_check(settings)
  settings.runtime = options.runtime
  return settings
end

--- These settings, with what is missing there and `own` has: of env and mounts each name.
function container.completed(settings, own)
  return merged(picked(own, container.NAMES), settings,
    { env = merged(own.env, settings.env), mounts = merged(own.mounts, settings.mounts) })
end

return container
