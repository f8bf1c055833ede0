local test = require "harness"

test("plain values read as Lua writes them", function()
  test.equal(reg.inspect(nil), "nil")
  test.equal(reg.inspect(1.5), "1.5")
  test.equal(reg.inspect { xla = reg.json.null }, "{ xla = null }")
  test.equal(reg.inspect "a\tb\"\n", '"a\\9b\\"\\n"')
  test.equal(reg.inspect "two\nlines\n", "two\nlines")
end)

test("tables are sorted, nested and cut where they are deep, long or hold themselves", function()
  test.equal(reg.inspect {}, "{}")
  test.equal(reg.inspect { b = { 1, 2 }, a = "x", [10] = true, ["k k"] = 1 },
    '{ [10] = true, a = "x", b = { 1, 2 }, ["k k"] = 1 }')
  test.equal(reg.inspect { { { { { 1 } } } } }, "{ { { { { ... } } } } }")
  local loop = { name = "l" }
  loop.loop = loop
  test.equal(reg.inspect(loop), '{ loop = { (cycle) }, name = "l" }')
  local long = {}
  for i = 1, 1000 do long[i] = i end
  test.has(reg.inspect(long), "... 900 more")
  test.truthy(reg.inspect { string.rep("x", 80), string.rep("y", 80) }:find '^{\n  "x')
end)

test("a list of records is shown as rows and columns", function()
  local shown = reg.inspect { { night = "08-24", mlups = 587.9 }, { night = "08-25" } }
  test.truthy(shown:find "^mlups  night\n", shown)
  test.equal(reg.inspect { { 1 }, { 2 } }, "{ { 1 }, { 2 } }")
end)

test("trials are a table of what fits, and what does not fit is named; so is a series", function()
  local trials = {}
  for i = 1, 60 do
    trials[i] = { id = i, subject = "night " .. i, status = "ok", key = string.rep("k", 64), command = { "make" },
      wall_s = 1.5, kind = "", samples = { ["MB/s"] = { i }, many = { 1, 2, 3, 4, 5 } } }
  end
  trials[7].message = "only here"
  local shown = reg.inspect(trials)
  test.truthy(shown:find "^id  subject +status +MB/s  many +message +key +wall_s\n", shown)
  test.truthy(shown:find "\n50  night 50  ok +50  1, 2, 3, 4, %.%.%.  " and not shown:find("night 51", 1, true), shown)
  test.has(shown, "\n... 10 more\nColumns not shown: command")
  local series = { points = { { id = "a", value = 1 }, { id = "b", value = 2 } } }
  test.equal(reg.inspect(series) .. "\n", reg.report.table(series))
end)

test("commits are a table of short ids, dates, authors and subjects", function()
  reg.process.run { shell = "git init -q log && cd log && export GIT_COMMITTER_DATE='2024-03-01T10:00:00Z' && "
    .. "git -c user.name=Ann -c user.email=ann@example.org commit -q --allow-empty -m 'The first'" }
  local commits = reg.git.open("log"):log()
  local shown = reg.inspect(commits)
  test.truthy(shown:find "^id +date +author +subject\n", shown)
  test.equal(shown:match "[^\n]*$", commits[1].id:sub(1, 10) .. "  2024-03-01 10:00  Ann     The first")
end)

test("what is long is cut and says so; several values give a line each", function()
  local shown = reg.inspect(string.rep("line\n", 300))
  test.equal(select(2, shown:gsub("\n", "")), 100)
  test.has(shown, "\n... 200 more lines; use print for all")
  test.equal(reg.inspect(string.rep("line\n", 100)), (string.rep("line\n", 100):gsub("\n$", "")))
  test.truthy(reg.inspect { string.rep("x", 3000) }:find('xxx"... (3000 bytes; use print for all)', 1, true))
  test.equal(reg.inspect(1, nil, "a"), '1\nnil\n"a"')
  test.equal(reg.inspect(), "")
end)

test("functions, objects and errors of the engine say what they are", function()
  test.equal(reg.inspect(reg.git.open), "reg.git.open(path)   (see help)")
  test.equal(reg.inspect(reg.git), reg.help.text "git")
  test.equal(reg.inspect(reg), reg.help.text())
  test.truthy(reg.inspect(function() end):find "^function: ")
  reg.process.run { shell = "git init -q --bare r" }
  local repo = reg.git.open "r"
  test.equal(reg.inspect { repo }, '{ git.Repo { path = "' .. repo.path .. '", id = "' .. repo.id .. '" } }')
  local _, err = pcall(reg.report.table, 1)
  test.truthy(reg.inspect(err):find "report.table: the list of rows or series must be a table")
end)

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
