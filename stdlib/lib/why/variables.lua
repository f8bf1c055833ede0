-- The variables with which the programs of a command ran: a script around a program may set some, and so may the
-- program itself. The command line does not show them.

local redactor = require "lib/redaction/redactor"

local variables = {}

-- Variables that other levels set for the collection.
local COLLECTING <const> = { PYTHONPROFILEIMPORTTIME = true, CUDA_INJECTION64_PATH = true,
  NVTX_INJECTION64_PATH = true }

-- The PYTHONPATH without the hook of the level jit.
local function without_hook(path, folder)
  local hook = folder and folder .. "/hook"
  if not path or not hook or path:sub(1, #hook) ~= hook then return path end
  return path:match("^:(.+)$", #hook + 1)
end

-- Without secrets.
local function shown(program)
  local found, mask = {}, redactor.new { only_secrets = true }
  for name, value in pairs(program.variables) do
    if not COLLECTING[name] then found[name] = mask:value(name, value) end
  end
  found.PYTHONPATH = without_hook(found.PYTHONPATH, program.variables.REGENGINE_JIT)
  return found
end

--- The programs that were seen in a run, by name: { cpu_s =, variables = }. All releases of Python have one name.
function variables.programs(run)
  local by_name = {}
  for _, program in ipairs(run.programs or {}) do
    local name = program.name:gsub("^python[%d.]+$", "python")
    if program.variables and not by_name[name] then
      by_name[name] = { cpu_s = program.cpu_s, variables = shown(program) }
    end
  end
  return by_name
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

--- Puts the variables of that program in place of those that the command was started with, and adds `set`, those that
--- it set itself. `before` and `after`: lists of environments, each with `programs` and `set` of its run.
function variables.complete(before, after)
  local all = table.move(after, 1, #after, #before + 1, table.move(before, 1, #before, 1, {}))
  local program, mask = common_program(all), redactor.new { only_secrets = true }
  for _, one in ipairs(all) do
    local whole = one.variables and program and one.programs[program].variables or one.variables
    for name, value in pairs(whole and one.set or {}) do whole[name] = mask:value(name, value) end
    one.variables = whole
  end
end

return variables
