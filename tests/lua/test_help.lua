local test = require "harness"
local function holds(text, part) test.truthy(text:find(part, 1, true), "'" .. part .. "' is not in:\n" .. text) end

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

test("help for what is not there says what was meant", function()
  test.raises("did you mean 'report.table'?", function() reg.help "report.tabel" end, "not_found")
  test.raises("no such topic", function() reg.help(function() end) end, "not_found")
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

return test.finish()
