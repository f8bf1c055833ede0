-- reg.test_command: runs the user's test script in an image or on the host.

local check_measured = require "lib/check_measured"
local container = require "lib/options/container"
local merged = require("lib/values").merged

local RUN = 'if [ -x "$0" ]; then exec "$0" "$@"; elif command -v bash >/dev/null 2>&1; then exec bash "$0" "$@"; '
  .. 'else exec sh "$0" "$@"; fi'

---@class test_command.Command
---@field cmd string[]
---@field mounts? table<string, string> the mount that a container needs to run it
local TestCommand = {}
TestCommand.__index = TestCommand

--- The options of trial:run, and of reg.container.run, to run the test in an image, with all options of the container.
--- The timeout is in seconds or a string, "1h". It raises nothing.
--- ```lua
--- local run = reg.container.run(reg.test_command "test.sh":command("ubuntu:24.04", "10m"))
--- ```
---@param image string
---@param timeout? number|string
---@return container.RunOptions options
function TestCommand:command(image, timeout)
  local call = merged(self.settings, { image = image, cmd = self.cmd, timeout_s = timeout })
  call.mounts, call.env = merged(call.mounts, self.mounts), merged(call.env)
  return call
end

--- How to run a user's test script. In a container its folder is mounted at /dir; on the host it is run by its full
--- path. An executable script runs by its first line, any other by bash, or else by sh. Raises usage for options that
--- contradict each other or that need a container with `runtime = "local"`, and there permission for a path outside the
--- workspace.
--- ```lua
--- local test = reg.test_command("test.sh", { runtime = "docker", env = { "XLA_FLAGS=--xla_gpu_autotune_level=0" } })
--- ```
---@param path string
---@param options? options.Values of reg.options { "container" }
---@return test_command.Command command
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
