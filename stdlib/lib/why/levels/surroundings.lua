-- What a command has around it: the environment as it is before the command runs, packages, libraries, variables and
-- the machine; and the file that it runs, with the programs and libraries that it loads, by contents and build-ids.

local command = require "lib/why/command"
local script = require "lib/environment/script"
local some = require("lib/report/numbers").some
local surroundings = require "lib/identity/surroundings"
local values = require "lib/values"

local map, only, sorted_names = values.map, values.only, values.sorted_names

local environment = { name = "environment", pass = "plain" }

function environment.look(one)
  local options = values.merged(one.call, { env = command.variables(one) })
  -- The python3 of the folder whose Python the command runs: that of a virtual environment.
  local folder, path = (one.parts.python or ""):match "^(.*)/", one.parts.env.PATH
  if folder and not one.call.image then folder = reg.fs.absolute(folder) end
  options.env.PATH = folder and folder .. ":" .. (path or core.variables().PATH or "/usr/bin:/bin") or path
  local found = reg.environment.collect(options)
  if found.variables then
    found.variables.PATH, found.variables.VIRTUAL_ENV = one.parts.env.PATH, nil  -- not what was added here
  end
  return found
end

-- Of an image also the Python packages that the command itself installs are seen; on this machine the variables that a
-- script sets around the program.
function environment.around(call, execute)
  call.installed = call.image and true or nil
  call.programs = not call.image or nil
  return execute(call)
end

-- Variables that other levels set for the collection.
local COLLECTING <const> = { "PYTHONPROFILEIMPORTTIME", "CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH" }

-- Without secrets, and without the hook of the level jit. The worktrees of the two ends, `folders`, have one name.
local function variables_of(program, folders)
  local found = script.redacted(program.variables)
  for i, folder in ipairs(folders or {}) do
    local path, name = folder:gsub("%p", "%%%0"), "worktree " .. i
    for key, value in pairs(found) do found[key] = value:gsub(path, name) end
  end
  for _, name in ipairs(COLLECTING) do found[name] = nil end
  local path, folder = found.PYTHONPATH, program.variables.REGENGINE_JIT
  local hook = folder and folder .. "/hook"
  if path and hook and path:sub(1, #hook) == hook then found.PYTHONPATH = path:match("^:(.+)$", #hook + 1) end
  return found
end

-- The programs that were seen in a run, by name: { cpu_s =, variables = }. All releases of Python have one name.
local function programs_of(run, folders)
  local by_name = {}
  for _, program in ipairs(run.programs or {}) do
    local name = program.name:gsub("^python[%d.]+$", "python")
    if program.variables and not by_name[name] then
      by_name[name] = { cpu_s = program.cpu_s, variables = variables_of(program, folders) }
    end
  end
  return by_name
end

-- What the command installed stands for what the image had. `looked`: what look returned for this run.
function environment.read(run, one, looked)
  looked.programs, looked.set = programs_of(run, one.folders), run.jit and run.jit.variables
  for name, version in pairs(run.installed or {}) do
    looked.packages.pip = looked.packages.pip or {}
    looked.packages.pip[values.plain_name(name)] = version
  end
  return looked
end

-- The name of the program that was seen in each run, and had the most CPU time of these; nil without one.
local function common_program(all)
  local function of(one, name) return (one.programs or {})[name] end
  local names = only(sorted_names(all[1].programs or {}), function(name)
    return not values.find(all, function(one) return not of(one, name) end)
  end)
  return values.sort_by(names, function(name)
    return -values.sum(all, function(one) return of(one, name).cpu_s end)
  end)[1]
end

-- The variables of that program stand for those that the command was started with, and those that it set itself are
-- added: of compilers, before it imported JAX. The command line shows neither.
function environment.compare(before, after)
  local all = values.flat { before, after }
  local program = common_program(all)
  for _, one in ipairs(all) do
    if one.variables and program then one.variables = one.programs[program].variables end
    for name, value in pairs(one.variables and script.redacted(one.set or {}) or {}) do one.variables[name] = value end
  end
  return reg.environment.diff(before, after)
end

local artifact = { name = "artifact", pass = "plain" }

local PROGRAM <const>, COMMAND <const> = "the program", "the command"  -- as of python -c
local NOT_SEEN <const> = "the command was not seen to load a program: it is too short, or runs in a container"

function artifact.around(call, execute)
  call.loaded_below = not call.image and { "/" } or nil
  return execute(call)
end

function artifact.read(run, one)
  local files = {}
  -- What a command line names first has the same role at both ends, whatever it is called.
  local program = not one.call.image and surroundings.named_files(one.parts.rest, one.call.cwd or ".")[1] or nil
  if program then files[PROGRAM] = core.file_hash(program) end
  local _, by_name = values.grouped(sorted_names(run.loaded or {}), function(path) return path:match "[^/]+$" end)
  for name, paths in pairs(by_name) do  -- of several files of one name, which of them is which is not known
    local counts = #paths == 1 and not (program and paths[1] == reg.fs.absolute(program))
    if counts then files[name] = run.loaded[paths[1]] end
  end
  if next(files) == nil then return nil, NOT_SEEN end
  if not program and not one.label then files[COMMAND] = core.sha256(one.parts.rest:match "%S.*" or "") end
  return files
end

local MOST_NAMED <const> = 4

-- The files that all runs of an end have alike.
local function stable(runs)
  local files = {}
  for name, id in pairs(runs[1]) do
    for _, other in ipairs(runs) do id = id == other[name] and id or nil end
    files[name] = id
  end
  return files
end

-- What a process loads late may be missed at one end: only what both ends have is compared.
function artifact.compare(before, after)
  local a, b, same = stable(before), stable(after), 0
  local names = only(sorted_names(a), function(name)
    if a[name] == b[name] and name ~= COMMAND then same = same + 1 end
    return b[name] and a[name] ~= b[name]
  end)
  if #names == 0 then
    local words = same == 1 and "the one file that was seen to run is identical"
      or string.format("all %d files that were seen to run at both ends are identical", same)
    return {}, same > 0 and words or nil
  end
  if #names > MOST_NAMED then
    local what = #names .. " programs and libraries differ: " .. some(names, MOST_NAMED, ", ")
    return { { level = "artifact", what = what } }
  end
  return map(names, function(name)
    return { level = "artifact", what = name .. " differs", before = a[name], after = b[name],
      is_program = (name == PROGRAM or name == COMMAND) or nil }
  end)
end

return { environment = environment, artifact = artifact }
