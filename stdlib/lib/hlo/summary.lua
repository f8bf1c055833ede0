-- What a module has, in numbers, and the list of what runs on its own.

local walk = require "lib/hlo/walk"

-- They cost nothing or next to nothing, and come and go with names and tuples.
local LIGHT = {}
for opcode in ([[parameter constant tuple get-tuple-element bitcast broadcast iota after-all]]):gmatch "%S+" do
  LIGHT[opcode] = true
end

local summary = { LIGHT = LIGHT }

local function add(counts, key) counts[key] = (counts[key] or 0) + 1 end

--- { counts, kinds, targets, types, items }: instructions by opcode, fusions by kind, custom calls by target,
--- instructions by element type, and the instructions that run on their own. Instructions within fusions count, but not
--- fusions within fusions.
function summary.of(module)
  local made = { counts = {}, kinds = {}, targets = {}, types = {}, items = {} }
  walk.each(module, function(instruction, computation, fusion)
    local opcode = instruction.opcode
    if not fusion then made.items[#made.items + 1] = { instruction = instruction, computation = computation } end
    if fusion and opcode == "fusion" then return end
    add(made.counts, opcode)
    if opcode == "fusion" then add(made.kinds, instruction.kind or "unknown") end
    if opcode == "custom-call" then add(made.targets, instruction.target or "unknown") end
    if not LIGHT[opcode] and instruction.type then add(made.types, instruction.type) end
  end)
  return made
end

--- How many instructions `what` is of: an opcode, "fusion:kLoop" or "custom-call:TARGET".
function summary.count(module, what)
  local made, opcode, detail = summary.of(module), what:match "^([^:]*):?(.*)$"
  if detail == "" then return made.counts[opcode] or 0 end
  if opcode == "fusion" then return made.kinds[detail] or 0 end
  return opcode == "custom-call" and made.targets[detail] or 0
end

--- The sum over a list of modules.
function summary.total(modules, what)
  local count = 0
  for _, module in ipairs(modules) do count = count + summary.count(module, what) end
  return count
end

return summary
