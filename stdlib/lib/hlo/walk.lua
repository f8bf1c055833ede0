-- What of a module runs: from ENTRY through calls, loops, branches and asynchronous wrappers. What a fusion holds runs
-- within it; what a reduction or a sort applies is not counted.

local walk = {}

local ENTERED = { call = true, ["while"] = true, conditional = true, ["async-start"] = true, fusion = true }

--- visit(instruction, computation, fusion) for each instruction that runs, each computation once. `fusion`: the one
--- that it is part of, or nil.
function walk.each(module, visit)
  local seen, queue, at = {}, {}, 1
  local function enter(name, fusion)
    if name and not seen[name] then queue[#queue + 1] = { name = name, fusion = fusion } end
    seen[name or false] = true
  end
  enter(module.entry)
  while queue[at] do
    local fusion, computation = queue[at].fusion, module.by_name[queue[at].name]
    for _, instruction in ipairs(computation and computation.instructions or {}) do
      visit(instruction, computation, fusion)
      if ENTERED[instruction.opcode] then
        local inside = fusion or instruction.opcode == "fusion" and instruction or nil
        for _, name in ipairs(instruction.calls) do enter(name, inside) end
      end
    end
    at = at + 1
  end
end

return walk
