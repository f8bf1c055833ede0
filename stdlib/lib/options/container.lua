-- The group of options "container" of reg.options: what they say, in the form of reg.container.run and
-- reg.container.start.

local container = {}

-- Options that reg.container.run has under the same name, and those that it has under another.
local SAME = { "runtime", "gpus", "network", "shm_size", "ipc", "cap_add", "user", "memory", "cpus", "workdir",
  "entrypoint", "pull" }
local OTHER = { ulimit = "ulimits", device = "devices" }

--- { host = absolute, inside =, read_only = } of HOST[:INSIDE[:ro]].
function container.mount(text)
  local path, read_only = text:match "^(.-):ro$"
  local host, inside = (path or text):match "^(.-):(.*)$"
  host = reg.fs.absolute(host or path or text)
  return { host = host, inside = inside or host, read_only = read_only ~= nil or path ~= nil }
end

local function as_mounts(mount) return { [mount.host] = mount.inside .. (mount.read_only and ":ro" or "") } end

--- The text itself; raises usage or not_found if it cannot be mounted.
function container.check_mount(text)
  core.container_check { mounts = as_mounts(container.mount(text)) }
  return text
end

--- The absolute path, which must exist.
function container.check_input(text)
  local path = reg.fs.absolute(text)
  container.check_mount(path .. ":" .. path .. ":ro")
  return path
end

-- Mounts of several options as reg.container.run takes them. Where there is no container, each path is where it is.
local function mounts_of(options, on_host)
  local mounts = {}
  local function add(flag, mount)
    if on_host and mount.inside ~= mount.host then
      core.fail("usage", string.format("%s %s: needs a container to be at %s, and this runs on the host", flag,
        mount.host, mount.inside), "Leave out the path inside, or use docker or podman.")
    end
    if mounts[mount.host] then
      core.fail("usage", flag .. ": " .. mount.host .. " is mounted twice", "Mount each path once.")
    end
    mounts[mount.host] = mount.inside .. (mount.read_only and ":ro" or "")
  end
  for _, text in ipairs(options.mount or {}) do add("--mount", container.mount(text)) end
  for _, path in ipairs(options.input or {}) do
    add("--input", { host = path, inside = path, read_only = true })
  end
  return on_host and {} or mounts
end

--- The options of reg.container.run that `options` (of reg.options "container") stand for: env and mounts are tables
--- that may be changed, and what was not given is nil. Raises usage for what contradicts itself, and for what needs a
--- container where commands run on the host.
function container.settings(options, on_host)
  local settings = { env = {}, mounts = mounts_of(options, on_host), init = not options.no_init and nil }
  for _, text in ipairs(options.env or {}) do
    local name, value = text:match "^(.-)=(.*)$"
    settings.env[name] = value
  end
  for _, name in ipairs(SAME) do settings[name] = options[name] end
  for name, other in pairs(OTHER) do settings[other] = options[name] end
  core.container_check { env = settings.env }
  return settings
end

return container
