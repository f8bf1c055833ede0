-- reg.test_command(path, options): runs the user's test script in an image, where its folder is mounted at /dir as in
-- the JAX guide, or on the host. An executable script runs by its first line, any other by bash, or else by sh.

local check_measured = require "lib/check_measured"
local container = require "lib/options/container"

local RUN = 'if [ -x "$0" ]; then exec "$0" "$@"; elif command -v bash >/dev/null 2>&1; then exec bash "$0" "$@"; '
  .. 'else exec sh "$0" "$@"; fi'

local TestCommand = {}
TestCommand.__index = TestCommand

local function merged(one, other)
  local all = {}
  for _, map in ipairs { one, other } do
    for key, value in pairs(map) do all[key] = value end
  end
  return all
end

--- The options of trial:run, and of reg.container.run, to run the test in an image.
function TestCommand:command(image, timeout)
  local call = merged(self.settings, { image = image, cmd = self.cmd, timeout_s = timeout })
  call.mounts, call.env = merged(call.mounts, self.mounts or {}), merged(call.env, {})
  return call
end

return function(path, options)
  options = options or {}
  local folder, name = path:match("^(.*)/([^/]+)$")
  folder, name = folder or ".", name or path
  local on_host = (options.runtime or reg.container.use {}) == "local"
  check_measured.at(options.metric, on_host and "local" or "container")
  local self = setmetatable({ settings = container.settings(options, on_host) }, TestCommand)
  if not on_host then
    self.mounts = { [folder] = "/dir" }
    core.container_check { mounts = merged(self.settings.mounts, self.mounts) }  -- before an image is pulled
  end
  self.cmd = { "sh", "-c", RUN, on_host and reg.fs.absolute(path) or "/dir/" .. name }
  return self
end
