-- reg.hlo: what XLA made of a program, from the text that it dumps (--xla_dump_to, --xla_dump_hlo_as_text), and how two
-- such programs differ.

local compare = require "lib/hlo/compare"
local content = require "lib/hlo/content"
local dumps = require "lib/hlo/dumps"
local values = require "lib/values"

--- The programs that XLA makes, from the text that it dumps with `XLA_FLAGS="--xla_dump_to=FOLDER
--- --xla_dump_hlo_as_text"`: what is in them, and how two of them differ. It reads the dumps of JAX, PyTorch/XLA and
--- TensorFlow for any platform.
---
--- A path is that of a folder with dumps, of which the optimized modules count, or that of one file. Names, ids,
--- metadata and source lines do not count as differences. With the dumps of all passes on both sides
--- (`--xla_dump_hlo_pass_re=.*`) a difference has the first pass after which it shows.
--- ```lua
--- for _, module in ipairs(reg.hlo.read("dumps").modules) do print(module.name, module.platform) end
--- print(reg.hlo.count("dumps", "fusion"))  -- with the kind alone, a metric for a sweep
--- if reg.hlo.fingerprint "before" ~= reg.hlo.fingerprint "after" then
---   for _, finding in ipairs(reg.hlo.diff("before", "after")) do print(finding.what) end
--- end
--- ```
---@class reg.hlo
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

---@class hlo.Pass
---@field pass string
---@field pipeline? string
---@field path string of its dump

---@class hlo.Module
---@field name string such as "jit_f"
---@field path string
---@field problems string[] what could not be read
---@field number? integer of the module in its process; this and the fields below are absent for a single file
---@field platform? string "cpu", "gpu", "sm_9.0_gpu", "gfx942_gpu" ...
---@field optimized? boolean whether these are the instructions after XLA's passes
---@field before? string path of the module as XLA got it
---@field buffers? { total: integer, temporary: integer } bytes of its allocations
---@field passes hlo.Pass[] dumps after passes, in their order

---@class hlo.Modules
---@field modules hlo.Module[] in the order in which they were compiled
---@field problems string[] one line for what could not be read, with its path

--- Reads a folder of dumps, or one file. Modules that were cut off or are malformed are read as far as possible, and
--- `problems` says so. Raises not_found for a missing file and corrupt for a file without an HLO module.
---@param path string
---@return hlo.Modules read
function hlo.read(path)
  if type(path) ~= "string" then core.fail("usage", "hlo.read: takes the path of a folder or a file") end
  return dumps.read(path)
end

--- How many instructions of an opcode run: from ENTRY through calls, loops and branches, each computation once, and in
--- fusions. Fusions within fusions do not count. `what` is an opcode, "fusion:kLoop" or "custom-call:TARGET". With the
--- opcode alone it returns the metric that counts them in the test of a search: trial:test runs it with XLA_FLAGS that
--- dump, and without JAX's compilation cache. `--metric @hlo:fusion` is the same. Raises not_found for a path without
--- dumps, and usage for anything else.
---@param given string|hlo.Modules|hlo.Module path, or what was read; or the opcode
---@param what? string
---@return integer|string count or metric
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

---@class hlo.Finding
---@field what string one sentence: "jit_f: 2 more transposes (0 -> 2), in fusion.12 after pass fusion"
---@field kind string "input" (XLA was given another program), "promotion" (to a wider type), "donation", "interface"
--- (parameters and results), "custom_call", "opcode", "fusion_kind", "content", "order", "buffers", "module"
---@field module string its name
---@field before? integer|string count, bytes or names
---@field after? integer|string
---@field pass? string the first pass after which the two differ

---@class hlo.Findings: hlo.Finding[]
---@field problems string[] what could not be read

--- What differs, module by module, the most telling first; empty for equal programs with equal memory. Modules are
--- matched by name and content. Sizes are in bytes. Raises not_found for a path without dumps, corrupt for a file
--- without an HLO module, and usage for anything else.
---@param before string|hlo.Modules|hlo.Module
---@param after string|hlo.Modules|hlo.Module
---@return hlo.Findings findings
function hlo.diff(before, after)
  local old, problems = modules_of("diff", before)
  local new, more = modules_of("diff", after)
  local findings = compare.diff(old, new)
  compare.name_passes(findings, findings)
  findings.problems = values.flat { problems, more }
  return findings
end

--- A hash of what the modules compute, without names, ids and metadata: equal for two compilations of one program.
--- Raises not_found for a path without dumps, corrupt for a file without an HLO module, and usage for anything else.
---@param given string|hlo.Modules|hlo.Module
---@return string hash 64 hexadecimal digits
function hlo.fingerprint(given)
  local hashes = values.sorted(values.map((modules_of("fingerprint", given)), content.fingerprint))
  return #hashes == 1 and hashes[1] or reg.store.key(hashes)
end

return hlo
