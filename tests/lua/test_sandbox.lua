-- What a script can reach: of Lua, of the library and of files; and what it may declare.

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

-- Of the standard library a script can reach its public modules, by reg.<name>; nothing below lib/.
local PRIVATE = { "lib/sweep/trial", "lib/values", "lib/options/usage", "lib/program/prompt", "meta/git" }

local function is_out_of_reach()
  for _, name in ipairs(PRIVATE) do
    test.raises("reg has no '" .. name .. "'", function() return reg[name] end, "usage")
    test.equal(rawget(reg, name), nil)
    test.raises("module name", function() return require(name) end, "usage")
    test.raises("no such file", function() return require((name:gsub("/", "."))) end, "not_found")
  end
end

test("private modules are out of reach, also once the library has loaded them", function()
  is_out_of_reach()
  local search, sweep, answer = reg.search, reg.sweep, reg.answer  -- these load private modules
  test.truthy(search and sweep and answer and reg.help)
  is_out_of_reach()
  -- Names that would leave the library's folder.
  for _, name in ipairs { "../scripts/nightly", "./sweep", "sweep.lua", "lib", "Lib/median", "", "sweep/" } do
    test.raises("reg has no", function() return reg[name] end, "usage")
  end
end)

test("pairs(reg) lists public modules and nouns, and nothing of reg is writable", function()
  local names = {}
  for name, value in pairs(reg) do
    test.truthy(name:find "^[%l_]+$", name)
    test.truthy(value ~= nil, name)
    names[name] = true
  end
  for _, name in ipairs { "sweep", "bisect", "search", "answer", "git", "machine", "runner" } do test.truthy(names[name], name) end
  test.equal(getmetatable(reg), "reg")
  test.raises("Keep 'sweep' in a local", function() reg.sweep = print end, "usage")
end)

test("a script's own file of that name is loaded as the script's, without the library's core", function()
  reg.fs.mkdir "lib"
  reg.fs.write("lib/values.lua", "return { core = core, own = true }")
  reg.fs.write("script.lua", [[
    local own = require "lib.values"
    assert(own.own and own.core == nil and core == nil)
    print "its own"
  ]])
  test.equal(reg.process.run { shell = '"$REGENGINE" script.lua' }.stdout, "its own\n")
end)

-- The user's side of reg.needs is in tests/scripts/test_permissions.sh.
test("a trusted script may declare its needs, more than once, and continues", function()
  reg.needs { process = "echo", files = { "out/*", "/data/*:ro" }, gpu = "lock" }
  reg.needs { container = { "ghcr.io/nvidia/jax:jax-{date}", "network=host" }, git = "https://github.com/jax-ml/*",
    machine = "turbo" }
  reg.needs {}
  test.equal(reg.process.run { cmd = { "true" } }.code, 0)
end)

test("an unknown kind or an invalid pattern is an error, also in a trusted script", function()
  test.refuses("usage", reg.needs, { { "did you mean 'process'?", { proces = "make" } },
    { "unknown option 'network'", { network = "github.com" } }, { "the pattern for files is empty", { files = "" } },
    { "control character", { files = "a\0b" } }, { "control character", { git = { "a\27[2J" } } },
    { "must be a list of strings", { git = { {} } } }, { "must be a list", { process = { make = true } } } })
end)

return test.finish()
