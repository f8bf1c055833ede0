-- What XLA makes of a command: the compiled program, from its dumps. XLA aborts on a flag that it does not know, so one
-- that not every release has is added to a command only after its XLA was asked.

local command = require "lib/why/command"
local compare = require "lib/hlo/compare"
local content = require "lib/hlo/content"
local dumps = require "lib/hlo/dumps"
local ends = require "lib/why/two_ends"
local instrumented = require "lib/instrumented"
local values = require "lib/values"

local xla = {}

local FRAMEWORKS <const> = values.set { "jaxlib", "torch_xla", "tensorflow" }
local PROBE <const> = [[import sys; sys.path[:] = [place for place in sys.path if place]
import jax, jaxlib; jax.devices("cpu"); print("jaxlib", getattr(jaxlib, "__version__", ""))]]

--- Whether the XLA of an end knows these flags, by running its Python with them, on the CPU; nil where it cannot be
--- asked. Then the release of its jaxlib.
function xla.knows(one, flags)
  local python = one.parts.python or one.call.image and "python3"
  if not python then return nil end
  local call = values.merged(one.call)
  call.env = command.variables(one, { XLA_FLAGS = flags, JAX_PLATFORMS = "cpu" })
  call.shell, call.cmd, call.label = core.shell_words { python, "-c", PROBE }, nil, nil  -- in a shell, as the end
  local run = instrumented.execute(call)
  if run.dry then return nil end
  if run.ok then return true, run.stdout:match "jaxlib (%S+)%s*$" end
  if run.stderr:find("Unknown flag", 1, true) then return false end
  return nil
end

-- Whether both ends have one release of XLA, which knows these flags.
local function is_one_release(both, flags)
  local releases = {}
  for side, one in ipairs(both) do
    local known, release = xla.knows(one, flags)
    if not known then return false end
    releases[side] = release
  end
  return releases[1] ~= nil and releases[1] == releases[2]
end

local program = { name = "program", pass = "dump" }

-- Whether a command imported one of XLA's frameworks in its plain runs; else why XLA has nothing to say.
function program.applies(runs)
  local imports = runs[1].host and runs[1].host.imports
  local found = values.find(imports and imports.modules or {}, function(module) return FRAMEWORKS[module.name] end)
  return found ~= nil, not found and "the command does not import JAX, TensorFlow or PyTorch/XLA" or nil
end

local PASSES <const> = "--xla_dump_hlo_pass_re=.*"
local MOST <const> = 40000  -- instructions of both ends: each pass dumps all of those that it changes

-- The second run of each end dumps passes, where these say more and both ends know the flag.
local function flag_of(seen)
  if #seen[1] == 0 or #seen[2] == 0 then return nil end
  if seen.compares_passes == nil then  -- asked once: whether it is open at which pass the ends begin to differ
    local one, other = seen[1][1], seen[2][1]
    local size = values.sum(one.modules, content.size) + values.sum(other.modules, content.size)
    seen.compares_passes = size <= MOST and reg.hlo.fingerprint(one) ~= reg.hlo.fingerprint(other)
      and is_one_release(seen.ends, PASSES)
  end
  return seen.compares_passes and PASSES or nil
end

function program.around(call, execute, folder, seen)
  core.new_output(folder)
  return dumps.into(call, folder, execute, flag_of(seen))
end

function program.read(run)
  if run.hlo and #run.hlo.modules > 0 then return run.hlo end
  return nil, "XLA dumped no module: the program sets XLA_FLAGS itself"
end

local function diff(one, other) return compare.diff(one.modules, other.modules) end

function program.compare(before, after)
  local found, stable = ends.stated(before, after, diff, function(one, other)
    return reg.hlo.fingerprint(one) ~= reg.hlo.fingerprint(other) and diff(one, other) or {}
  end)
  local list = values.map(found, function(one)
    local is_input = one.kind == "input"  -- whose paths are of dumps that do not stay
    return { level = "program", what = one.what, before = not is_input and one.before or nil,
      after = not is_input and one.after or nil, kind = one.kind, module = one.module }
  end)
  -- Only the second run of each end has dumps of passes.
  if #list > 0 then compare.name_passes(list, diff(before[#before], after[#after])) end
  return list, #list == 0 and stable and "the compiled program is identical" or nil
end

xla.program = program
return xla
