-- What reg.hlo.diff says of fusions, in made-up modules whose changes are known; and the alignment that it rests on.

local test = require "harness"

local align = reg.private "lib/hlo/align"

local OPS = { "add", "multiply", "subtract", "maximum", "tanh" }

-- A module of a chain of items: a fusion as a list of opcodes, or an opcode that stands alone.
local function module(items, type, first_id)
  local computations, entry, last = {}, {}, "x"
  for i, item in ipairs(items) do
    local id, shape = (first_id or 0) + i, (type or "f32") .. "[64]{0}"
    if _G.type(item) == "string" then
      entry[i] = ("  i%d = %s %s(%s)\n"):format(id, shape, item, last)
    else
      local lines = { ("fused.%d {\n  p = %s parameter(0)\n"):format(id, shape) }
      for at, op in ipairs(item) do
        local root, operand = at == #item and "ROOT " or "", at == 1 and "p" or "v" .. at - 1
        lines[#lines + 1] = ("  %sv%d = %s %s(%s)\n"):format(root, at, shape, op, operand)
      end
      computations[#computations + 1] = table.concat(lines) .. "}\n"
      entry[i] = ("  i%d = %s fusion(%s), kind=kLoop, calls=fused.%d\n"):format(id, shape, last, id)
    end
    last = "i" .. id
  end
  reg.fs.write("module.txt", "HloModule m\n\n" .. table.concat(computations) .. "ENTRY main {\n  x = f32[64]{0} parameter(0)\n"
    .. table.concat(entry) .. "}\n")
  return reg.hlo.read "module.txt"
end

-- A fusion for each number: most have a twin elsewhere, as the layers of a model do.
local function fusion(number, from, to)
  local ops = {}
  for i = from or 1, to or 3 + number % 4 do ops[#ops + 1] = OPS[(number * 3 + i * 2) % #OPS + 1] end
  return ops
end

local function chain(length, change)
  local items = {}
  for number = 1, length do
    for _, item in ipairs(change and change(number) or { fusion(number) }) do items[#items + 1] = item end
  end
  return items
end

local function said(before, after)
  local list = {}
  for _, finding in ipairs(reg.hlo.diff(before, after)) do
    if finding.kind == "fusion" then list[#list + 1] = finding.what end
  end
  return list
end

test("fusions that were split are told from their twins, whatever the ids are", function()
  local split = { [10] = true, [23] = true, [37] = true }
  local after = module(chain(60, function(number)
    return split[number] and { fusion(number, 1, 2), "transpose", fusion(number, 3) } or nil
  end), nil, 1000)
  local list = said(module(chain(60)), after)
  table.sort(list)
  test.equal(list, { "m: i10 split into 2 fusions and a transpose", "m: i23 split into 2 fusions and a transpose",
    "m: i37 split into 2 fusions and a transpose" })
  list = said(after, module(chain(60)))
  table.sort(list)
  test.equal(list, { "m: 2 fusions and a transpose merged into i10", "m: 2 fusions and a transpose merged into i23",
    "m: 2 fusions and a transpose merged into i37" })
end)

test("a fusion with one instruction more has gained it", function()
  local after = module(chain(20, function(number)
    local grown = fusion(number)
    if number == 7 then table.insert(grown, "convert") end
    return { grown }
  end))
  test.equal(said(module(chain(20)), after), { "m: i7 gained a convert" })
  test.equal(said(after, module(chain(20))), { "m: i7 lost a convert" })
end)

test("other element types split nothing", function()
  local findings = reg.hlo.diff(module(chain(30)), module(chain(30), "f64"))
  test.equal({ #findings, findings[1].kind }, { 1, "promotion" })
end)

test("after twenty fusions it says how many more there are", function()
  local list = said(module(chain(40)), module(chain(40, function(number)
    local grown = fusion(number)
    table.insert(grown, "convert")
    return { grown }
  end)))
  test.equal({ #list, list[21] }, { 21, "m: 20 more fusions differ" })
end)

test("two programs that have little in common end, too", function()
  local function program(step)
    return module(chain(1500, function(number)
      local ops = {}
      for i = 1, 6 do ops[i] = OPS[(number * step + i * i) % #OPS + 1] end
      return { ops, OPS[number % #OPS + 1] }
    end), step == 2 and "f64" or "f32")
  end
  test.truthy(#reg.hlo.diff(program(1), program(2)) > 0)
end)

-- The length of the longest common subsequence, by the textbook's table.
local function longest(a, b)
  local row = {}
  for j = 0, #b do row[j] = 0 end
  for i = 1, #a do
    local diagonal = 0
    for j = 1, #b do
      local above = row[j]
      row[j] = a[i] == b[j] and diagonal + 1 or math.max(above, row[j - 1])
      diagonal = above
    end
  end
  return row[#b]
end

test("the alignment is a longest common subsequence", function()
  local state = 1
  local function random(n)
    state = (state * 1103515245 + 12345) % (1 << 31)
    return (state >> 16) % n
  end
  local function list()
    local made = {}
    for i = 1, random(14) do made[i] = string.char(97 + random(3)) end
    return made
  end
  for _ = 1, 400 do
    local a, b = list(), list()
    local count, last = 0, 0
    local matched = align(a, b)
    for i = 1, #a do
      local j = matched[i]
      if j then
        test.truthy(a[i] == b[j] and j > last, table.concat(a) .. " " .. table.concat(b))
        count, last = count + 1, j
      end
    end
    test.equal(count, longest(a, b), table.concat(a) .. " " .. table.concat(b))
  end
end)

return test.finish()
