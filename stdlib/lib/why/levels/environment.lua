-- The environment that a command has: packages, libraries, variables and the machine. The command itself is not run.

local level = { name = "environment" }

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

function level.compare(before, after) return reg.environment.diff(before, after) end

return level
