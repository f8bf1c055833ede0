-- reg.hlo: what XLA made of a program, from the text that it dumps (--xla_dump_to, --xla_dump_hlo_as_text), and how two
-- such programs differ.

local compare = require "lib/hlo/compare"
local content = require "lib/hlo/content"
local dumps = require "lib/hlo/dumps"

local hlo = {}

local HINT = "Run the program with XLA_FLAGS='--xla_dump_to=FOLDER --xla_dump_hlo_as_text'."

-- The modules of what a function was given: a path, what hlo.read returned, or one module of it; and what could not be
-- read of them.
local function modules_of(who, given)
  if type(given) == "string" then
    local read = dumps.read(given)
    if #read.modules == 0 then core.fail("not_found", read.problems[1], HINT) end
    return read.modules, read.problems
  end
  if type(given) == "table" and type(given.modules) == "table" then return given.modules, given.problems or {} end
  if type(given) == "table" and type(given.by_name) == "table" then return { given }, given.problems or {} end
  core.fail("usage", "hlo." .. who .. ": takes the path of a folder or file, or what hlo.read returns")
end

--- The modules that XLA dumped into a folder, or that of one file.
function hlo.read(path)
  if type(path) ~= "string" then core.fail("usage", "hlo.read: takes the path of a folder or a file") end
  return dumps.read(path)
end

--- How many instructions of a kind there are; with the kind alone, the metric that counts them.
function hlo.count(given, what)
  if what == nil then
    if type(given) ~= "string" or not given:find "^[%w_%-]+:?[^%s]*$" then
      core.fail("usage", "hlo.count: not an opcode: '" .. tostring(given) .. "'",
        'Pass one such as "fusion", "fusion:kLoop" or "custom-call:TARGET".')
    end
    return "@hlo:" .. given
  end
  if type(what) ~= "string" then core.fail("usage", "hlo.count: takes an opcode such as \"fusion\"") end
  return content.total((modules_of("count", given)), what)
end

--- What differs between two programs.
function hlo.diff(before, after)
  local old, problems = modules_of("diff", before)
  local new, more = modules_of("diff", after)
  local findings = compare.diff(old, new)
  findings.problems = table.move(more, 1, #more, #problems + 1, table.move(problems, 1, #problems, 1, {}))
  return findings
end

--- A hash of what the programs compute.
function hlo.fingerprint(given)
  local hashes = {}
  for i, module in ipairs((modules_of("fingerprint", given))) do hashes[i] = content.fingerprint(module) end
  table.sort(hashes)
  return #hashes == 1 and hashes[1] or reg.store.key(hashes)
end

return hlo
