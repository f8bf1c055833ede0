-- The environment that a command has: packages, libraries, variables and the machine, as it is before the command runs;
-- of an image also the Python packages that the command itself installs. On this machine it has the variables that a
-- script sets around the program, and everywhere those of compilers that a program sets before it imports JAX.

local masking = require "lib/provenance/masking"
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

-- Variables that other levels set for the collection.
local COLLECTING <const> = { PYTHONPROFILEIMPORTTIME = true, CUDA_INJECTION64_PATH = true,
  NVTX_INJECTION64_PATH = true }

-- The PYTHONPATH without the hook of the level jit.
local function without_hook(path, folder)
  local hook = folder and folder .. "/hook"
  if not path or not hook or path:sub(1, #hook) ~= hook then return path end
  return path:match("^:(.+)$", #hook + 1)
end

local function variables_of(program)
  local found, mask = {}, masking.new { only_secrets = true }
  for name, value in pairs(program.variables) do
    if not COLLECTING[name] then found[name] = mask:value(name, value) end
  end
  found.PYTHONPATH = without_hook(found.PYTHONPATH, program.variables.REGENGINE_JIT)
  return found
end

-- The programs that were seen, by name: { cpu_s =, variables = }. Another release of Python has the same role.
local function programs_of(run)
  local by_name = {}
  for _, program in ipairs(run.programs or {}) do
    local name = program.name:gsub("^python[%d.]+$", "python")
    if program.variables and not by_name[name] then
      by_name[name] = { cpu_s = program.cpu_s, variables = variables_of(program) }
    end
  end
  return by_name
end

-- What the command installed stands for what the image had. `looked`: what look returned for this run.
function level.read(run, _, looked)
  if not looked then return end
  looked.programs, looked.set = programs_of(run), run.jit and run.jit.variables
  for name, version in pairs(run.installed or {}) do
    looked.packages.pip = looked.packages.pip or {}
    looked.packages.pip[wording.pip_name(name)] = version
  end
end

-- The name of the program that was seen in each run, and had the most CPU time of these; nil without one.
local function common_program(all)
  local most, name_of_most = -1, nil
  for name in pairs(all[1].programs or {}) do
    local cpu_s = 0
    for _, one in ipairs(all) do
      local program = (one.programs or {})[name]
      cpu_s = program and cpu_s and cpu_s + program.cpu_s
    end
    if cpu_s and (cpu_s > most or cpu_s == most and name < name_of_most) then most, name_of_most = cpu_s, name end
  end
  return name_of_most
end

-- The variables of a program are more than what the command was started with.
local function complete_variables(before, after)
  local all = table.move(after, 1, #after, #before + 1, table.move(before, 1, #before, 1, {}))
  local program = common_program(all)
  for _, one in ipairs(all) do
    local variables = one.variables and program and one.programs[program].variables or one.variables
    for name, value in pairs(variables and one.set or {}) do variables[name] = value end
    one.variables = variables
  end
end

function level.compare(before, after)
  complete_variables(before, after)
  return reg.environment.diff(before, after)
end

return level
