-- What of the standard library a script can reach: its public modules, by reg.<name>; nothing below lib/.

local test = require "harness"

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

return test.finish()
