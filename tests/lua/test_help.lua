local test = require "harness"
local complete = reg.private("lib/prompt/complete").names

local function holds(text, part) test.truthy(text:find(part, 1, true), "'" .. part .. "' is not in:\n" .. text) end

-- What is completed, and to what.
local function names(text)
  local part, list = complete(text)
  return part .. ": " .. table.concat(list, " ")
end

local function with_suffix(text) return names(text) .. select(3, complete(text)) end

test("help shows a function's options and example, by name or by value", function()
  local text = reg.help.text "report.table"
  holds(text, "reg.report.table(rows, options)")
  holds(text, "columns  string[]?")
  holds(text, "print(reg.report.table(")
  test.equal(reg.help.text(reg.report.table), text)
  test.equal(reg.help.text "reg.report.table(", text)
end)

test("help shows nouns, classes and objects with what can be called", function()
  holds(reg.help.text "report", "reg.report.csv(rows, path)")
  test.equal(reg.help.text(reg.report), reg.help.text "report")
  local p <close> = reg.progress {}
  holds(reg.help.text(p), "progress:update(what)")
  local text = reg.help.text "Progress.update"
  for _, topic in ipairs { "progress:update", "progress.update", "progress:update(what)", p.update } do
    test.equal(reg.help.text(topic), text)
  end
  holds(reg.inspect(p.update), "progress:update(what)   (see help)")
  holds(reg.help.text(), "reg.report")
  holds(reg.help.text(), "reg.log")
end)

test("help for Lua's own functions leads to its manual", function()
  holds(reg.help.text(string.format),
    "string.format is a function of Lua: https://www.lua.org/manual/5.4/manual.html#pdf-string.format")
  holds(reg.help.text "ipairs", "#pdf-ipairs")
  test.raises("no such topic", function() reg.help(function() end) end, "not_found")
end)

test("help for what is not there says what was meant", function()
  test.raises("did you mean 'report.table'?", function() reg.help "report.tabel" end, "not_found")
end)

test("help of a shipped script is its head and its options; .lua tells it from a function of that name", function()
  local text = reg.help.text "nightly"
  holds(text, "Tests nightly container images")
  holds(text, "usage: regengine nightly.lua [options]")
  test.truthy(text:find "%-%-image IMAGE +image with {date}", text)
  test.truthy(text:find "%-%-min%-effect PERCENT +smallest change to look for; unless given", text)
  holds(text, "--dry-run")
  holds(reg.help.text "bisect", "reg.bisect(")
  holds(reg.help.text "bisect", 'help "bisect.lua"')
  holds(reg.help.text "bisect.lua", "--good VALUE")
  for _, name in ipairs { "aggregate", "analyze", "compare.lua", "hourly", "investigate", "matmul" } do
    holds(reg.help.text(name), "--store VALUE")
  end
  holds(reg.help.text(), "nightly      Tests nightly container images")
  test.raises("did you mean 'nightly'?", function() reg.help "nightl" end, "not_found")
end)

test("completion knows reg, nouns, globals, objects' methods and the options of an open call", function()
  test.equal(names "x = reg.json.", ": array decode encode null")
  test.equal(names "reg.report.pl", "pl: plot")
  test.equal(names "reg.prog", "prog: progress")
  test.equal(names "print(string.for", "for: format")
  test.equal(names "whi", "whi: while")
  test.equal(names "nowhere.at.", ": ")
  test.equal(names "reg.report.plot(s, { wi", "wi: width")
  test.equal(names "reg.progress { title = 'a', ", ": done metric total unit")
  _G.an_object = reg.progress {}
  test.equal(names "an_object:", ": close update")
  test.equal(names "an_object:update { su", "su: subject")
  an_object:close()  -- luacheck: ignore
  _G.an_object = nil
  test.equal(names "x = { co", "co: collectgarbage coroutine")  -- a table that no function takes
  test.equal(names "-- reg.re", ": ")
  test.equal(names "s = 'reg.re", "reg.re: ")
  test.equal(names "'a' .. nex", "nex: next")
end)

test("completion of options: wherever the table is in the call, without those that are there, then ' = '", function()
  test.equal(with_suffix "reg.container.run{ im", "im: image = ")
  test.equal(with_suffix "reg.container.run({ env = { A = '1' }, shell = f(1, 2), me", "me: memory = ")
  test.equal(with_suffix "reg.container.run { image = pri", "pri: print")
  test.equal(with_suffix "reg.sweep(nights, { measure = function(n) return reg.container.run { sh",
    "sh: shell shm_size = ")
  test.equal(with_suffix "reg.report.table(x, { co", "co: columns = ")
  test.equal(with_suffix "print(1, { co", "co: collectgarbage coroutine")
  test.equal(with_suffix "reg.container.run { runtime = '", ": docker local podman'")
  test.equal(with_suffix "reg.help 'container.ins", "container.ins: container.inspect'")
end)

test("completion calls nothing, and knows files and the methods of objects", function()
  reg.process.run { shell = "git init -q -b main r" }
  _G.repo = reg.git.open "r"
  test.equal(with_suffix "repo.", ": id path")
  test.equal(names "repo:b", "b: between branches")
  test.equal(names "repo:log { fi", "fi: first_parent")
  local called = false
  _G.loud = setmetatable({}, { __index = { pull = print, quiet = 1 }, __call = function() called = true end })
  test.equal(names "loud.", ": pull quiet")
  test.equal(names "loud:", ": pull")
  test.equal(names "loud().x", "x: ")
  test.equal(called, false)
  _G.loud, _G.repo = nil, nil
  reg.fs.write("some file.txt", "")
  reg.fs.write("some') print 'x.txt", "")  -- what would end the string is not offered
  test.equal(with_suffix "reg.fs.read 'some", "some: some file.txt'")
  reg.fs.mkdir "folder"
  reg.fs.write("folder/inner", "")
  test.equal(with_suffix "reg.fs.read('folder/", "folder/: folder/inner'")
end)

return test.finish()
