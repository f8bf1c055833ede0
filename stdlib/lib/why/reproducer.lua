-- The folder that reg.why writes for somebody else who is to see the difference: the commands, what they ran in, and
-- the module of XLA that matters.

local hot_of = require "lib/hlo/hot"
local redactor = require "lib/redaction/redactor"
local readme = require "lib/why/reproducer/readme"
local run = require "lib/why/reproducer/run"
local sorted_names = require "lib/sorted_names"

local reproducer = {}

-- What a level first read of each end; {} where it read nothing.
local function first_of(collected, name)
  local seen = collected.seen[name]
  return { seen[1][1], seen[2][1] }
end

local function write_files(folder, files)
  local lines = {}
  for i, name in ipairs(sorted_names(files)) do lines[i] = files[name] .. "  " .. name .. "\n" end
  reg.fs.write(folder .. "/files.txt", table.concat(lines))
end

local function why_not(collected)
  for _, level in ipairs(collected) do
    if level.name == "program" then return level.why or "both ends compile other modules" end
  end
end

-- Writes the modules of both ends, and says what they are; nil and why there are none.
local function write_program(folder, both, collected, redacted)
  local programs = first_of(collected, "program")
  local hot = programs[1] and programs[2] and hot_of(programs[1].modules, programs[2].modules)
  if not hot then return nil, why_not(collected) end
  local pair = { hot.before.module, hot.after.module }
  local made = { name = pair[2].name, inputs = {}, has_protos = pair[1].proto and pair[2].proto and true or false }
  for side, module in ipairs(pair) do
    local at = folder .. "/" .. both[side].name
    made.inputs[side] = module.attributes.entry_computation_layout or "not known"
    reg.fs.write(at .. "/optimized.txt", redacted(reg.fs.read(module.path)))
    if made.has_protos then reg.fs.write(at .. "/module.hlo.pb", reg.fs.read(module.proto)) end
  end
  if made.has_protos then reg.fs.write(folder .. "/run.py", run) end
  return made
end

--- Writes what reproduces `found`, the answer of reg.why about these ends, into the folder. `collected`: what
--- lib/why/collect made of them.
function reproducer.write(folder, found, both, collected)
  local person = core.person()
  person.marked = true
  local mask, has_files = redactor.new(person), {}
  local files = first_of(collected, "artifact")
  for side, one in ipairs(both) do
    reg.fs.mkdir(folder .. "/" .. one.name)
    has_files[side] = files[side] ~= nil
    if has_files[side] then write_files(folder .. "/" .. one.name, files[side]) end
  end
  local program, why = write_program(folder, both, collected, function(text)
    return (redactor.read(mask:text(text)))
  end)
  local text, redacted = redactor.read(readme(mask, found, both, first_of(collected, "environment"), has_files, program,
    why))
  local path = folder .. "/README.md"
  reg.fs.write(path, text)
  reg.preview({ redacted = redacted, suspects = redactor.suspects(text) }, { output = path, yes = true })
  reg.log.info("%s: how to run it elsewhere; read it before you share it", path)
end

return reproducer
