local test = require "harness"

test("no address reaches a script", function()
  local t, named = {}, setmetatable({}, { __name = "thing" })
  for _, shown in ipairs { tostring(t), tostring(print), tostring(coroutine.create(print)), ("%s"):format(t),
    tostring(reg.search), tostring(named), reg.report.table { { a = t } } } do
    test.truthy(not shown:find "0x%x", shown)
  end
  test.equal(tostring(t), ("%5.90s"):format(t))
  test.truthy(tostring(t):find "^table: %d+$" and tostring(named):find "^thing: %d+$")
  test.truthy(tostring(t) ~= tostring {})
  test.equal(("%d%%p %-5s|%s"):format(1, true, setmetatable({}, { __tostring = function() return "own" end })), "1%p true |own")
  test.raises("addresses are not shown", function() return ("%p"):format(t) end)
  test.raises("addresses are not shown", function() return ("%%%-20p"):format "x" end)
end)

test("require finds only files next to the script", function()
  test.equal(require "harness", test)
  test.raises("no such file", function() require "missing" end, "not_found")
  for _, name in ipairs { "../run", "/etc/passwd", "a..b", "", ".x", "a/b" } do
    test.raises("not a valid module name", function() require(name) end, "usage")
  end
end)

test("file functions work in the workspace and on resolved paths", function()
  reg.fs.mkdir("a/b")
  reg.fs.write("a/b/c", "text")
  reg.fs.append("a/b/c", " more")
  test.equal(reg.fs.read("a/b/c"), "text more")
  test.equal(reg.fs.list("a"), { "b" })
  local above, here = reg.fs.absolute "..", reg.fs.absolute "."
  test.equal(reg.fs.absolute "a/../..", above)
  test.equal(reg.fs.read(here .. "/a/b/c"), "text more")
  test.equal(reg.fs.exists "../no such file", false)
  reg.fs.remove("a")
  test.equal(reg.fs.exists("a"), false)
  for _, path in ipairs { ".", here, "..", above, "/" } do
    test.raises("cannot remove", function() reg.fs.remove(path) end, "usage")
  end
  test.raises("No such file", function() reg.fs.read("a") end, "not_found")
end)

return test.finish()
