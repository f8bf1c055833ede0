local test = require "harness"

reg.needs { process = "sh", files = "." }

local ITEMS = {}
for i = 1, 12 do ITEMS[i] = "--flag" .. i end

local function set_of(list)
  local set = {}
  for _, one in ipairs(list) do set[one] = true end
  return set
end

local function minimize(o)
  return reg.minimize(test.merged({ items = ITEMS, into = test.fresh ".db" }, o))
end

test("flags that only act together, and an exact number", function()
  local found = minimize { exact = true, metric = "bytes", measure = function(subset)
    local on = set_of(subset)
    return 1000 + (on["--flag2"] and on["--flag9"] and 100 or 0) + (on["--flag4"] and 3 or 0)
  end }
  test.equal({ found.verdict, found.culprits[1].items, #found.culprits }, { "found", { "--flag2", "--flag9" }, 1 })
  test.truthy(found.runs <= 40, found.runs)
  test.has(found.text, "culprit     --flag2 --flag9   (together)",
    "all minus --flag2 --flag9 regains 97 %.\nThe other 10 together change less than 0.30 %.")
end)

test("several that add up", function()
  local found = minimize { exact = true, metric = "MB/s", measure = function(subset)
    local on, level = set_of(subset), 100
    for _, one in ipairs { "--flag1", "--flag5", "--flag12" } do level = on[one] and level * 1.1 or level end
    return level
  end }
  local names = test.map(found.culprits, function(culprit) return culprit.items[1] end)
  table.sort(names)
  test.equal({ found.verdict, found.regression, names }, { "found", false, { "--flag1", "--flag12", "--flag5" } })
  test.truthy(found.text:find "^IMPROVEMENT  MB/s 100 %-> 133", found.text)
  test.has(found.text, "gains 33 %")
end)

test("the minimization itself", function()
  local engine = reg.minimize { items = ITEMS, exact = true }
  local subset, reason = engine:ask()
  test.equal({ subset, reason }, { {}, "none" })
  while subset do
    local level = 5
    for _, item in ipairs(subset) do
      if item == 4 then level = 6 end
    end
    engine:tell(subset, level)
    subset = engine:ask()
  end
  local answer = engine:answer()
  test.equal({ answer.verdict, answer.culprits[1].items }, { "found", { 4 } })
  test.near(answer.culprits[1].effect.value, 0.2, 1e-9)
  engine = reg.minimize { items = { "a", "b" } }
  engine:fail({}, "crashed")
  test.equal(engine:answer().verdict, "inconclusive")
  test.raises("not a valid item: 3", function() engine:tell({ 3 }, 1) end, "usage")
  test.raises("the failure must be broken or crashed", function() engine:fail({}, "odd") end, "usage")
end)

test("reg.answer and reg.stage say that its answer is not a series", function()
  local found = minimize { items = ITEMS, exact = true, measure = function() return 5 end }
  for name, f in pairs { answer = reg.answer, stage = reg.stage } do
    test.raises(name .. ": not a series", function() f(found) end, "usage")
    test.raises(name .. ": not a series", function() f() end, "usage")
  end
end)

test("mistakes are said before anything runs", function()
  test.refuses("usage", reg.minimize, { { "needs `items`", { measure = print } },
    { "an item is listed twice: 'a'", { items = { "a", "a" } } }, { "an item must be a string", { items = { 1 } } },
    { "'budget' must be an integer", { items = { "a" }, budget = 1 } } })
end)

-- --- reg.flags: the items of two sets of variables.
test("what differs is an item, and both ends come out as they were", function()
  local flags = reg.flags({ "XLA_FLAGS=--a=1 --b --same=2 --gone", "THREADS=1", "MODE=x" },
    { "XLA_FLAGS=--same=2 --a=2 --new", "THREADS=4", "DEBUG=yes", "MODE=x" })
  table.sort(flags.items)
  test.equal(flags.items, { "--a=1 -> --a=2", "--new", "DEBUG=yes", "THREADS: 1 -> 4", "without --b",
    "without --gone" })
  test.equal(flags:env {}, { XLA_FLAGS = "--same=2 --gone --a=1 --b", THREADS = "1", MODE = "x" })
  test.equal(flags:env(flags.items), { XLA_FLAGS = "--same=2 --a=2 --new", THREADS = "4", DEBUG = "yes", MODE = "x" })
end)

test("flags of compilers, with words that belong to them, and quotes", function()
  local flags = reg.flags({ "CFLAGS=-O2 -mllvm -x" },
    { "CFLAGS=-O2 -mllvm -x -mllvm -y=1 --param max=3 -DNAME='a b' -DX=a\\ b -DY='\\' -I dir" })
  test.equal(flags.items, { "-mllvm -y=1", "--param max=3", "-DNAME='a b'", "-DX=a\\ b", "-DY='\\'", "-I dir" })
  test.equal(flags:env { "--param max=3" }, { CFLAGS = "-O2 -mllvm -x --param max=3" })
end)

test("candidates of flags", function()
  local flags = reg.flags(nil, { "CFLAGS=-O3 -g" }, { "# of gcc", "-fno-inline", "", "-g", " -fno-ivopts " })
  test.equal(flags.items, { "-fno-inline", "-fno-ivopts" })
  test.equal(flags:env {}, { CFLAGS = "-O3 -g" })
  test.equal(flags:env { "-fno-ivopts" }, { CFLAGS = "-O3 -g -fno-ivopts" })
  flags = reg.flags({ "A=-x", "B=-y" }, nil, { "B=-z", "C=-w" })
  test.equal({ flags:env { "-z" }, flags:env { "-w" } }, { { A = "-x", B = "-y -z" }, { A = "-x", B = "-y", C = "-w" } })
end)

test("mistakes in flags", function()
  test.refuses("usage", reg.flags, { { "a quote is not closed: A=-D'x", { "A=" }, { "A=-D'x" } },
    { "nothing differs", { "A=-x -y" }, { "A=-y  -x" } }, { "not a variable: 'x'", { "x" }, { "A=1" } },
    { "which variable is the candidate '-z' for?", { "A=-x", "B=-y" }, nil, { "-z" } } })
  test.raises("not one of the items: '-q'", function() reg.flags({ "A=" }, { "A=-x" }):env { "-q" } end, "usage")
end)

return test.finish()
