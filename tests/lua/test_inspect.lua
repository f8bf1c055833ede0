local test = require "harness"

test("plain values read as Lua writes them", function()
  test.equal(reg.inspect(nil), "nil")
  test.equal(reg.inspect(1.5), "1.5")
  test.equal(reg.inspect "a\tb\"\n", '"a\\9b\\"\\n"')
  test.equal(reg.inspect "two\nlines\n", "two\nlines")
end)

test("tables are sorted, nested and cut where they are deep, long or hold themselves", function()
  test.equal(reg.inspect {}, "{}")
  test.equal(reg.inspect { b = { 1, 2 }, a = "x", [10] = true, ["k k"] = 1 }, '{ [10] = true, a = "x", b = { 1, 2 }, ["k k"] = 1 }')
  test.equal(reg.inspect { { { { { 1 } } } } }, "{ { { { { ... } } } } }")
  local loop = { name = "l" }
  loop.loop = loop
  test.equal(reg.inspect(loop), '{ loop = { a table that holds itself }, name = "l" }')
  local long = {}
  for i = 1, 1000 do long[i] = i end
  test.truthy(reg.inspect(long):find("... 900 more", 1, true))
  test.truthy(reg.inspect { string.rep("x", 80), string.rep("y", 80) }:find '^{\n  "x')
end)

test("a list of records is shown as rows and columns", function()
  local shown = reg.inspect { { night = "08-24", mlups = 587.9 }, { night = "08-25" } }
  test.truthy(shown:find "^mlups  night\n", shown)
  test.equal(reg.inspect { { 1 }, { 2 } }, "{ { 1 }, { 2 } }")
end)

test("an error of the engine shows its message", function()
  local _, err = pcall(reg.report.table, 1)
  test.truthy(reg.inspect(err):find "report.table: takes a list of rows")
end)

return test.finish()
