-- What a reproducer says of itself, for people who have nothing but its folder. Everything is redacted as in shared
-- text.

local command = require "lib/why/command"
local ends = require "lib/why/ends"
local is_volatile = require "lib/environment/volatile"
local markdown = require "lib/provenance/markdown"

local Readme = {}
Readme.__index = Readme

function Readme:add(...)
  for _, part in ipairs { ... } do self.parts[#self.parts + 1] = part end
end

function Readme:block(text, info) return markdown.block(markdown.clean(self.mask:text(text)), info) end

-- Inline code of something that is redacted.
function Readme:code(text) return markdown.code(self.mask:text(text)) end

-- The command of an end, and what it ran in.
function Readme:command(one, environment, has_files)
  self:add("### " .. one.name, self:block(one.call.shell, "sh"))
  local image, lines = environment and environment.image, {}
  if one.call.image then
    local digest = image and image.digest
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
  if #lines > 0 then self:add(table.concat(lines, "\n")) end
end

-- The variables of an end: what was collected in it, and what its command line and its options set.
local function variables_of(one, environment)
  local all = {}
  for _, list in ipairs { environment and environment.variables or {}, one.call.env or {}, one.parts.env } do
    for name, value in pairs(list) do all[name] = not is_volatile(name) and value or nil end
  end
  return all
end

function Readme:value(name, value)
  return value and markdown.cell(self.mask:value(name, value)) or "not set"
end

function Readme:variables(both, environments)
  local a, b = variables_of(both[1], environments[1]), variables_of(both[2], environments[2])
  local rows, changed = { "| variable | A | B |", "|---|---|---|" }, ends.changed({ a }, { b })
  local function add(name)
    rows[#rows + 1] = string.format("| %s | %s | %s |", markdown.cell(name), self:value(name, a[name]),
      self:value(name, b[name]))
  end
  for _, one in ipairs(changed) do add(one.name) end
  if a.XLA_FLAGS and a.XLA_FLAGS == b.XLA_FLAGS then add "XLA_FLAGS" end
  self:add "## Variables"
  if #rows == 2 then return self:add "All variables are alike, and `XLA_FLAGS` is not set." end
  self:add("These differ, or are flags of XLA:", table.concat(rows, "\n"))
end

-- The line that runs the module of an end with the Python and the variables of its command.
function Readme.run_line(one)
  local parts = {}
  for key, value in pairs(one.parts) do parts[key] = value end
  parts.python = parts.python or "python3"
  parts.rest = string.format(' "$DIR/run.py" "$DIR/%s"', one.name)
  return command.join(parts) .. (one.call.image and "  # in " .. one.call.image or "")
end

-- `program`: { name =, inputs = of both ends, has_protos = } of the modules; or `why` there are none.
function Readme:program(both, program, why)
  self:add "## The program that XLA compiled"
  if not program then return self:add("No module: " .. self.mask:text(why) .. ".") end
  self:add(string.format("The module %s. `optimized.txt` is what XLA made of it at each end.",
    self:code(program.name)), "Its inputs and results:", self:block(table.concat({ "A  " .. program.inputs[1],
    "B  " .. program.inputs[2] }, "\n")))
  if not program.has_protos then
    return self:add("It was not dumped as a proto: at one of the ends XLA does not know `--xla_dump_hlo_as_proto`, or "
      .. "cannot be asked.")
  end
  self:add("`module.hlo.pb` is what XLA was given: an HloProto, with all constants. `run.py` compiles and times it. "
    .. "Run it in the folder of the commands, with `DIR` as the path of this folder:",
    self:block(Readme.run_line(both[1]) .. "\n" .. Readme.run_line(both[2]), "sh"),
    "A jaxlib reads modules of its own release and of older ones. Run the older module with both to tell what the "
    .. "program costs from what XLA makes of it. With a build of XLA:",
    "```sh\nrun_hlo_module --input_format=pb --platform=CUDA --reference_platform= \"$DIR/A/module.hlo.pb\"\n```")
end

local NOTE <const> = "Home folders, tokens and host names are redacted in all text."
local OF_PROTOS <const> = " The files `module.hlo.pb` are as XLA wrote them: with constants of the program, names, and "
  .. "the paths of its source files."

--- The text, with a mark after each thing redacted (redactor.read). `mask`: of lib/redaction/redactor. `found`:
--- the answer of reg.why; `both` its ends; `environments` and `has_files`, what was collected of each.
return function(mask, found, both, environments, has_files, program, why)
  local self = setmetatable({ parts = {}, mask = mask }, Readme)
  self:add("# Reproducer", "**" .. markdown.words(mask:text(found.sentence .. ".")) .. "**")
  self:add(program and program.has_protos and NOTE .. OF_PROTOS or NOTE, "## Commands")
  for side, one in ipairs(both) do self:command(one, environments[side], has_files[side]) end
  self:variables(both, environments)
  self:program(both, program, why)
  self:add("## What differs", self:block(found.text))
  self:add("<sub>by regengine " .. markdown.words(core.version()) .. "</sub>")
  return table.concat(self.parts, "\n\n") .. "\n"
end
