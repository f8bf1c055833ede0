-- What the prompt does with what is typed; tests/scripts/repl_session.py types it.

local test = require "harness"
local locals_of = reg.private "lib/prompt/locals"
local record = reg.private "lib/prompt/record"

local function found(text)
  assert(load(text))
  local result = locals_of(text)
  assert(load(result.text))
  return result
end

test("the locals of a chunk are those outside every block", function()
  local chunk = found [[
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
  test.equal(table.concat(chunk.names, " "), "a b f c text long g d")
  test.equal(chunk.closing, { "d" })
  test.truthy(chunk.text:find("a, b = 1, 2\nfunction f(x)", 1, true), chunk.text)
  test.truthy(chunk.text:find("\nc = nil\n", 1, true), chunk.text)
  test.truthy(chunk.as_locals:find("local a, b = 1, 2\n", 1, true), chunk.as_locals)
  test.truthy(chunk.as_locals:find("local d <close> = nil", 1, true), chunk.as_locals)
  test.equal({ chunk.returns, chunk.labels, chunk.comment }, { false, false, false })
end)

test("what must stand in a block of its own is known", function()
  test.equal(found("if x then return 1 end").returns, true)
  test.equal(found("f = function() return 1 end").returns, false)
  test.equal(found("::top:: x = 1").labels, true)
  test.equal(found("x = 1 -- end").comment, true)
  test.equal(found("x = 1 -- end\n").comment, false)
end)

-- What a script prints that is made of these chunks.
local function script_of(...)
  local typed = record.new()
  for _, text in ipairs { ... } do
    local is_value = load("return " .. text)
    typed:add(is_value and record.value(text, 1) or record.chunk(text, found(text)))
  end
  return (typed:script():gsub("^#[^\n]*", ""))
end

local function run(script)
  local said = {}
  local env = setmetatable({ print = function(...) said[#said + 1] = table.concat({ ... }, " ") end }, { __index = _G })
  assert(load(script, "=script", "t", env))()
  return table.concat(said, "|")
end

test("the script prints what the prompt showed", function()
  test.equal(run(script_of("local x = 2", "x + 1 -- more", "_ * 10", "'a'")), '3|30|"a"')
  test.equal(run(script_of("local x = 1", "local function f() return x end", "local x, y = 5, 6", "f()", "y")), "5|6")
  test.equal(run(script_of("local x = 1 if x == 1 then x = 2 return x end x = 3", "x", "::a:: x = 7", "::a:: x = x + 1",
    "x")), "2|8")
  test.equal(run(script_of("help 'git'", "1")), "1")
  -- One variable, as at the prompt, whether a line before called it a global or a function speaks of it.
  test.equal(run(script_of("function later() return y end", "local y = 5", "later()", "z = 1", "local z = 2",
    "_ENV.z")), "5|2")
end)

test("what was only looked at does not change the script of the next line", function()
  local typed, line = record.new(), record.chunk("done = x", found "done = x")
  typed:add(record.chunk("local x = 1", found "local x = 1"))
  local before = typed:script_of(line)
  typed:add(record.value("x", 1))
  test.equal(typed:script_of(line), before)
  test.truthy(before:find("local x = 1\ndone = x\n", 1, true), before)
  typed:add(record.chunk("x = 2", found "x = 2"))
  test.truthy(typed:script_of(line) ~= before)
end)

test("more locals than a function may have become globals", function()
  local chunks = {}
  for i = 1, 250 do chunks[i] = ("local v%d = %d"):format(i, i) end
  chunks[251] = "v1 + v250"
  test.equal(run(script_of(table.unpack(chunks))), "251")
end)

return test.finish()
