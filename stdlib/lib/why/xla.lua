-- What can be asked of the XLA that a command uses. XLA aborts on a flag that it does not know, so none is added to a
-- command before it was asked for.

local placed = require "lib/why/placed"

local FRAMEWORKS <const> = { jaxlib = true, torch_xla = true, tensorflow = true }
local PROBE <const> = [[import sys; sys.path[:] = [place for place in sys.path if place]
import jax, jaxlib; jax.devices("cpu"); print("jaxlib", getattr(jaxlib, "__version__", ""))]]

local xla = {}

--- Whether a command imported one of XLA's frameworks in its plain runs; else why XLA has nothing to say.
function xla.is_used(runs)
  for _, module in ipairs(runs[1].host and runs[1].host.imports and runs[1].host.imports.modules or {}) do
    if FRAMEWORKS[module.name] then return true end
  end
  return false, "the command does not import JAX, TensorFlow or PyTorch/XLA"
end

-- Runs the Python of an end with these flags, on the CPU; nil if it is not known which Python that is.
local function probed(one, flags)
  local python = one.parts.python or one.call.image and "python3"
  if not python then return nil end
  local call, env = {}, {}
  for key, value in pairs(one.call) do call[key] = value end
  for _, given in ipairs { one.call.env or {}, one.parts.env, { XLA_FLAGS = flags, JAX_PLATFORMS = "cpu" } } do
    for name, value in pairs(given) do env[name] = value end
  end
  call.shell, call.cmd, call.env, call.label = core.shell_words { python, "-c", PROBE }, nil, env, nil  -- as the end
  return placed.execute(call)
end

--- Whether the XLA of an end knows these flags; nil where it cannot be asked. Then the release of its jaxlib.
function xla.knows(one, flags)
  local run = probed(one, flags)
  if not run or run.dry then return nil end
  if run.ok then return true, run.stdout:match "jaxlib (%S+)%s*$" end
  if run.stderr:find("Unknown flag", 1, true) then return false end
  return nil
end

--- Whether the XLA of both ends knows these flags; then whether both are of the same release.
function xla.both_know(both, flags)
  local releases = {}
  for side, one in ipairs(both) do
    local known, release = xla.knows(one, flags)
    if not known then return false end
    releases[side] = release
  end
  return true, releases[1] ~= nil and releases[1] == releases[2]
end

return xla
