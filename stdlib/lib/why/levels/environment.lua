-- The environment that a command has: packages, libraries, variables and the machine, as it is before the command runs;
-- of an image also the Python packages that the command itself installs. On this machine it has the variables that a
-- script sets around the program, and everywhere those of compilers that a program sets before it imports JAX.

local variables = require "lib/why/variables"
local wording = require "lib/environment/wording"

local level = { name = "environment", pass = "plain" }

-- The python3 of the folder whose Python the command runs: that of a virtual environment.
local function path_of(one)
  local folder = one.parts.python and one.parts.python:match "^(.*)/"
  if not folder then return one.parts.env.PATH end
  if not one.call.image then folder = reg.fs.absolute(folder) end
  return folder .. ":" .. (one.parts.env.PATH or core.variables().PATH or "/usr/bin:/bin")
end

function level.look(one)
  local options, env = {}, {}
  for name, value in pairs(one.call) do options[name] = value end
  for _, given in ipairs { one.call.env or {}, one.parts.env } do
    for name, value in pairs(given) do env[name] = value end
  end
  options.shell, options.cmd, options.env = nil, nil, env
  local own_path = path_of(one)
  env.PATH = own_path
  local found = reg.environment.collect(options)
  if found.variables then
    found.variables.PATH, found.variables.VIRTUAL_ENV = one.parts.env.PATH, nil  -- not what was added here
  end
  return found
end

function level.around(call, execute)
  call.installed = call.image and true or nil
  call.programs = not call.image or nil
  return execute(call)
end

-- What the command installed stands for what the image had. `looked`: what look returned for this run.
function level.read(run, _, looked)
  if not looked then return end
  looked.programs, looked.set = variables.programs(run), run.jit and run.jit.variables
  for name, version in pairs(run.installed or {}) do
    looked.packages.pip = looked.packages.pip or {}
    looked.packages.pip[wording.pip_name(name)] = version
  end
end

function level.compare(before, after)
  variables.complete(before, after)
  return reg.environment.diff(before, after)
end

return level
