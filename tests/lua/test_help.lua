local test = require "harness"

test("help shows a function's options and example, by name or by value", function()
  local text = reg.help.text "report.table"
  test.has(text, "reg.report.table(rows, options)", "columns  string[]?", "print(reg.report.table(")
  test.equal(reg.help.text(reg.report.table), text)
  test.equal(reg.help.text "reg.report.table(", text)
end)

test("help shows nouns, classes and objects with what can be called", function()
  test.has(reg.help.text "report", "reg.report.csv(rows, path)")
  test.equal(reg.help.text(reg.report), reg.help.text "report")
  local p <close> = reg.progress {}
  test.has(reg.help.text(p), "progress:update(what)")
  local text = reg.help.text "Progress.update"
  for _, topic in ipairs { "progress:update", "progress.update", "progress:update(what)", p.update } do
    test.equal(reg.help.text(topic), text)
  end
  test.has(reg.inspect(p.update), "progress:update(what)   (see help)")
  test.has(reg.help.text(), "reg.report", "reg.log")
end)

test("help for what is not there says what was meant", function()
  test.raises("did you mean 'report.table'?", function() reg.help "report.tabel" end, "not_found")
  test.raises("no such topic", function() reg.help(function() end) end, "not_found")
end)

test("help of a shipped script is its head and its options; .lua tells it from a function of that name", function()
  local text = reg.help.text "nightly"
  test.has(text, "Tests nightly container images", "usage: regengine nightly.lua [options]", "--dry-run")
  test.truthy(text:find "%-%-image IMAGE +image with {date}", text)
  test.truthy(text:find "%-%-min%-effect PERCENT +smallest change to look for; unless given", text)
  test.has(reg.help.text "bisect", "reg.bisect(", 'help "bisect.lua"')
  test.has(reg.help.text "bisect.lua", "--good VALUE")
  for _, name in ipairs { "aggregate", "analyze", "compare.lua", "hourly", "investigate", "matmul" } do
    test.has(reg.help.text(name), "--store VALUE")
  end
  test.has(reg.help.text(), "nightly      Tests nightly container images")
  test.raises("did you mean 'nightly'?", function() reg.help "nightl" end, "not_found")
end)

return test.finish()
