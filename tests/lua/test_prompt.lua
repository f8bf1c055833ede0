-- What the prompt does with what is typed; tests/scripts/repl_session.py types it.

local test = require "harness"
local typed = reg.private "lib/prompt/typed"

local function chunk(text)
  assert(load(text))
  local found = typed.chunk(text)
  assert(load(found.global) and load(found.kept))
  return found
end

test("the locals of a chunk are those outside every block", function()
  local found = chunk [[
local a, b <const> = 1, 2
local function f(x) local inside = x if x then local deep = 1 end return inside end
do local hidden end
for i = 1, 2 do local hidden = i end
repeat local hidden until true
while false do local hidden end
local c
local text, long = "local no = 1", [==[ local no ]==] -- local no
local g = function() local hidden return function() local hidden end end
local d <close> = nil]]
  test.equal(table.concat(found.names, " "), "a b f c text long g d")
  test.equal(found.closing, { "d" })
  test.truthy(found.global:find("a, b = 1, 2\nfunction f(x)", 1, true), found.global)
  test.truthy(found.global:find("\nc = nil\n", 1, true), found.global)
  test.truthy(found.kept:find("local a, b = 1, 2\n", 1, true), found.kept)
  test.truthy(found.kept:find("local d <close> = nil", 1, true), found.kept)
end)

-- What a script prints that is made of these chunks.
local function script_of(...)
  local record = typed.record()
  for _, text in ipairs { ... } do record:add(load("return " .. text) and typed.value(text, 1) or chunk(text)) end
  return (record:script():gsub("^#[^\n]*", ""))
end

local function run(script)
  local said = {}
  local env = setmetatable({ print = function(...) said[#said + 1] = table.concat({ ... }, " ") end }, { __index = _G })
  assert(load(script, "=script", "t", env))()
  return table.concat(said, "|")
end

test("what was only looked at does not change the script of the next line", function()
  local record, line = typed.record(), chunk "done = x"
  record:add(chunk "local x = 1")
  local before = record:script_of(line)
  record:add(typed.value("x", 1))
  test.equal(record:script_of(line), before)
  test.truthy(before:find("local x = 1\ndone = x\n", 1, true), before)
  record:add(chunk "x = 2")
  test.truthy(record:script_of(line) ~= before)
end)

test("more locals than a function may have become globals", function()
  local chunks = {}
  for i = 1, 250 do chunks[i] = ("local v%d = %d"):format(i, i) end
  chunks[251] = "v1 + v250"
  test.equal(run(script_of(table.unpack(chunks))), "251")
end)

return test.finish()
