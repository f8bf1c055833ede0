-- The folders that reg.why writes for its user: a reproducer, for somebody else who is to see the difference - the
-- commands, what they ran in, and the module of XLA that matters, all text redacted as what is shared; and reports of
-- Nsight Systems, one of each end, to be opened side by side.

local command = require "lib/why/command"
local compare = require "lib/hlo/compare"
local ends = require "lib/why/two_ends"
local environment = require "lib/environment/findings"
local markdown = require "lib/provenance/markdown"
local redactor = require "lib/redaction/redactor"
local sorted_names = require "lib/sorted_names"

local folders = {}

local HINT <const> = "Pass the path of a new folder."

--- Makes the folder that the option `name` gives. Raises usage for one that has anything in it.
function folders.make(folder, name)
  if type(folder) ~= "string" or folder == "" then
    core.fail("usage", "why: " .. name .. " must be the path of a folder")
  end
  if reg.fs.exists(folder) then
    local ok, names = pcall(reg.fs.list, folder)
    if not ok and names.kind == "permission" then error(names, 0) end
    if not ok then core.fail("usage", "why: not a folder: '" .. folder .. "'", HINT) end
    if #names > 0 then core.fail("usage", "why: not an empty folder: '" .. folder .. "'", HINT) end
  end
  reg.fs.mkdir(folder)
end

--- Raises what keeps nsys from running both ends.
function folders.check_nsys(both)
  for _, one in ipairs(both) do
    if one.call.image then
      core.fail("usage", "why: nsys profiles commands on this machine, and " .. one.name .. " runs in a container",
        "Leave it out; the kernels are compared without it.")
    end
  end
  local status = reg.nsys.status()
  if not status.ok then core.fail("unavailable", "why: " .. status.message, status.hint) end
end

--- Runs each end once under nsys. Returns the paths of both reports, or nil and why there are not two.
function folders.profile(folder, both)
  local reports = {}
  for _, one in ipairs(both) do
    local call = command.call(one)
    command.build(one)
    call.output = reg.fs.absolute(folder .. "/" .. one.name)
    local ok, run = pcall(reg.nsys.profile, call)
    if not ok and (type(run) ~= "table" or run.kind ~= "failed_trial") then error(run, 0) end
    if not ok then return nil, run.message end
    if not run.ok then return nil, string.format("%s failed under nsys with exit code %d", one.name, run.code) end
    table.insert(reports, folder .. "/" .. one.name .. run.report:match "%.[^./]+$")
  end
  return reports
end

-- What a level first read of each end; {} where it read nothing.
local function first_of(collected, name)
  local seen = collected.seen[name]
  return { seen[1][1], seen[2][1] }
end

-- Writes the programs and libraries that each end was seen to load; `has[side]`: whether it was.
local function write_files(folder, both, collected)
  local has = {}
  for side, one in ipairs(both) do
    local files, lines = first_of(collected, "artifact")[side], {}
    reg.fs.mkdir(folder .. "/" .. one.name)
    for i, name in ipairs(sorted_names(files or {})) do lines[i] = files[name] .. "  " .. name .. "\n" end
    if files then reg.fs.write(folder .. "/" .. one.name .. "/files.txt", table.concat(lines)) end
    has[side] = files ~= nil
  end
  return has
end

-- Writes the modules of both ends. Returns { name =, inputs = of both, has_protos = }; nil and why there are none.
local function write_program(folder, both, collected, mask)
  local programs = first_of(collected, "program")
  local hot = programs[1] and programs[2] and compare.hot(programs[1].modules, programs[2].modules)
  if not hot then
    for _, level in ipairs(collected) do
      if level.name == "program" then return nil, level.why or "both ends compile other modules" end
    end
  end
  local pair = { hot.before.module, hot.after.module }
  local made = { name = pair[2].name, inputs = {}, has_protos = pair[1].proto and pair[2].proto and true or false }
  for side, module in ipairs(pair) do
    local at = folder .. "/" .. both[side].name
    made.inputs[side] = module.attributes.entry_computation_layout or "not known"
    reg.fs.write(at .. "/optimized.txt", (redactor.read(mask:text(reg.fs.read(module.path)))))
    if made.has_protos then reg.fs.write(at .. "/module.hlo.pb", reg.fs.read(module.proto)) end
  end
  return made
end

-- The text of a reproducer, in parts, with a mark after each thing redacted (redactor.read).
local Readme = {}
Readme.__index = Readme

function Readme:add(...)
  for _, part in ipairs { ... } do self.parts[#self.parts + 1] = part end
end

function Readme:block(text, info) return markdown.block(markdown.clean(self.mask:text(text)), info) end

-- Inline code of something that is redacted.
function Readme:code(text) return markdown.code(self.mask:text(text)) end

-- The command of an end, and what it ran in.
function Readme:command(one, digest, has_files)
  local lines = {}
  if one.call.image then
    lines[1] = "- Image: " .. self:code(one.call.image)
      .. (digest and " " .. markdown.code(digest) or "; its digest is not known")
  end
  if one.label then lines[#lines + 1] = "- What it is: " .. self:code(one.label) end
  if one.build then lines[#lines + 1] = "- Built before each run: " .. self:code(one.build(one.parts).shell) end
  if one.call.cwd then lines[#lines + 1] = "- Folder: " .. self:code(one.call.cwd) end
  if has_files then
    lines[#lines + 1] = string.format("- Programs and libraries that it loaded, with their digests: `%s/files.txt`",
      one.name)
  end
  self:add("### " .. one.name, self:block(one.call.shell, "sh"), #lines > 0 and table.concat(lines, "\n") or nil)
end

-- The variables of both ends: what was collected, and what the command lines and options set.
function Readme:variables(both, environments)
  local sides, rows = {}, { "| variable | A | B |", "|---|---|---|" }
  for side, one in ipairs(both) do
    sides[side] = command.variables({ call = { env = (environments[side] or {}).variables },
      parts = { env = command.variables(one) } })
    for name in pairs(sides[side]) do
      if environment.is_volatile(name) then sides[side][name] = nil end
    end
  end
  local a, b = sides[1], sides[2]
  local function cell(name, value) return value and markdown.cell(self.mask:value(name, value)) or "not set" end
  local function add(name)
    rows[#rows + 1] = string.format("| %s | %s | %s |", markdown.cell(name), cell(name, a[name]), cell(name, b[name]))
  end
  for _, one in ipairs(ends.changed({ a }, { b })) do add(one.name) end
  if a.XLA_FLAGS and a.XLA_FLAGS == b.XLA_FLAGS then add "XLA_FLAGS" end
  self:add "## Variables"
  if #rows == 2 then return self:add "All variables are alike, and `XLA_FLAGS` is not set." end
  self:add("These differ, or are flags of XLA:", table.concat(rows, "\n"))
end

-- What write_program returned.
function Readme:program(program, why)
  self:add "## The program that XLA compiled"
  if not program then return self:add("No module: " .. self.mask:text(why) .. ".") end
  self:add(string.format("The module %s. `optimized.txt` is what XLA made of it at each end.",
    self:code(program.name)), "Its inputs and results:", self:block(table.concat({ "A  " .. program.inputs[1],
    "B  " .. program.inputs[2] }, "\n")))
  if not program.has_protos then
    return self:add("It was not dumped as a proto: at one of the ends XLA does not know `--xla_dump_hlo_as_proto`, or "
      .. "cannot be asked.")
  end
  self:add("`module.hlo.pb` is what XLA was given: an HloProto, with all constants. An XLA reads modules of its own "
    .. "release and of older ones, so run the older module with both. With a build of XLA:",
    "```sh\nrun_hlo_module --input_format=pb --platform=CUDA --reference_platform= A/module.hlo.pb\n```")
end

local NOTE <const> = "Home folders, tokens and host names are redacted in all text."
local OF_PROTOS <const> = " The files `module.hlo.pb` are as XLA wrote them: with constants of the program, names, and "
  .. "the paths of its source files."

--- Writes what reproduces `found`, the answer of reg.why about these ends, into the folder. `collected`: what
--- lib/why/collect made of them.
function folders.reproduce(folder, found, both, collected)
  local person, environments = core.person(), first_of(collected, "environment")
  person.marked = true
  local mask = redactor.new(person)
  local has_files = write_files(folder, both, collected)
  local program, why = write_program(folder, both, collected, mask)
  local readme = setmetatable({ parts = {}, mask = mask }, Readme)
  readme:add("# Reproducer", "**" .. markdown.words(mask:text(found.sentence .. ".")) .. "**",
    program and program.has_protos and NOTE .. OF_PROTOS or NOTE, "## Commands")
  for side, one in ipairs(both) do
    local image = (environments[side] or {}).image
    readme:command(one, image and image.digest, has_files[side])
  end
  readme:variables(both, environments)
  readme:program(program, why)
  readme:add("## What differs", readme:block(found.text),
    "<sub>by regengine " .. markdown.words(core.version()) .. "</sub>")
  local text, redacted = redactor.read(table.concat(readme.parts, "\n\n") .. "\n")
  local path = folder .. "/README.md"
  reg.fs.write(path, text)
  reg.preview({ redacted = redacted, suspects = redactor.suspects(text) }, { output = path, yes = true })
  reg.log.info("%s: how to run it elsewhere; read it before you share it", path)
end

return folders
