-- hlo_modules.lua: writes before.txt and after.txt, two modules of 5,000 instructions of one program with other ids and
-- source lines, of which the second has six fusions in two parts with a copy between them, and other.txt, another program.

local OPS = { "add", "multiply", "subtract", "maximum", "divide" }
local SHAPE = "f32[128,256]{1,0}"
local INSTRUCTIONS, EVERY = 5000, 97

local function fusion(out, entry, state, part, from, to)
  local id = state.number + state.seed .. part
  out[#out + 1] = ("%%fused.%s (p: f32[128,256]) -> f32[128,256] {\n  %%p.%s = %s parameter(0)\n"):format(id, id, SHAPE)
  local last = "p." .. id
  for i = from, to do
    local op = OPS[(state.number * state.step + i * 3) % #OPS + 1]
    out[#out + 1] = ('  %s%%%s.%s.%d = %s %s(%%%s, %%%s), metadata={op_name="jit(big)/block_%d/%s" source_line=%d}\n'):format(
      i == to and "ROOT " or "", op, id, i, SHAPE, op, last, last, state.number, op, state.number + state.seed)
    last = ("%s.%s.%d"):format(op, id, i)
  end
  out[#out + 1] = "}\n\n"
  entry[#entry + 1] = ("  %%fusion.%s = %s fusion(%s), kind=kLoop, calls=%%fused.%s\n"):format(id, SHAPE, state.last, id)
  state.last, state.count = "%fusion." .. id, state.count + to - from + 3
end

local function module(seed, step, is_split)
  local state = { seed = seed, step = step, count = 1, number = 0, last = "%x" }
  local out = { "HloModule jit_big, is_scheduled=true\n\n" }
  local entry = { "ENTRY %main (x: f32[128,256]) -> f32[128,256] {\n  %x = " .. SHAPE .. " parameter(0)\n" }
  while state.count < INSTRUCTIONS do
    state.number = state.number + 1
    local size = 3 + state.number % 6
    if is_split and state.number % EVERY == 0 then
      fusion(out, entry, state, "a", 1, 2)
      entry[#entry + 1] = ("  %%copy.%d = f32[128,256]{0,1} copy(%s)\n"):format(state.number, state.last)
      state.last = "%copy." .. state.number
      fusion(out, entry, state, "b", 3, size)
    else
      fusion(out, entry, state, "", 1, size)
    end
  end
  entry[#entry + 1] = "  ROOT %out = (" .. SHAPE .. ") tuple(" .. state.last .. ")\n}\n"
  return table.concat(out) .. table.concat(entry)
end

reg.fs.write("before.txt", module(1, 7, false))
reg.fs.write("after.txt", module(100001, 7, true))
reg.fs.write("other.txt", module(1, 4, false))
