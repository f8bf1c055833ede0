-- reg.options reads a program's own command line, so each test writes a script and runs the engine on it.

local test = require "harness"

local SCRIPT = [[
#!/usr/bin/env regengine
--- Counts what it is given.
--- Slowly.

local opt = reg.options {
  input     = { reg.required, "file to read", file = true },
  how_often = { 3, "times" },
  title     = { "none", "heads the table" },
  image     = { reg.optional, "image to run in" },
  repo      = { reg.several, "a repository" },
  every     = { false, "count everything" },
  careful   = { true, "count twice" },
}
print(reg.json.encode(opt))
]]

reg.fs.write("count.lua", SCRIPT)
reg.fs.write("input.txt", "text")

-- Runs the engine on a script with these words behind it.
local function start(script, ...)
  local words = { "sh", "-c", 'exec "$REGENGINE" "$@"', "sh", script }
  return reg.process.run { cmd = table.move({ ... }, 1, select("#", ...), #words + 1, words) }
end

local function options(...)
  local run = start("count.lua", ...)
  test.equal(run.code, 0, run.stderr)
  return reg.json.decode(run.stdout)
end

local function misuse(text, ...)
  local run = start("count.lua", ...)
  test.equal(run.code, 2, run.stdout .. run.stderr)
  test.equal(run.stdout, "")
  test.truthy(run.stderr:find(text, 1, true), run.stderr)
  test.truthy(not run.stderr:find("traceback", 1, true), run.stderr)
  return run.stderr
end

test("what is not given has its default, or is not there", function()
  local opt = options("--input", "input.txt")
  test.equal({ opt.input, opt.how_often, opt.title, opt.every, opt.careful }, { "input.txt", 3, "none", false, true })
  test.equal(opt.image, nil)
  test.equal(#opt.repo, 0)
end)

test("the default gives the type: numbers, texts, flags and lists", function()
  local opt = options("--input=input.txt", "--how-often", "2.5", "--title", "a b=c", "--image", "busybox", "--every", "--repo", "a=1",
    "--repo=b", "--careful=false")
  test.equal({ opt.how_often, opt.title, opt.image, opt.every, opt.careful, opt.repo }, { 2.5, "a b=c", "busybox", true, false,
    { "a=1", "b" } })
  test.equal(options("--input", "input.txt", "--how-often", "-4").how_often, -4)
  test.equal(options("--input", "input.txt", "--title", "--every").title, "--every")
  test.equal(options("--input", "input.txt", "--title=").title, "")
end)

test("of an option given twice the last counts, unless it is a list", function()
  test.equal(options("--input", "input.txt", "--title", "a", "--title", "b").title, "b")
end)

test("every script has store, json, quiet, dry_run, explain and redo", function()
  local opt = options("--input", "input.txt")
  test.equal({ opt.store, opt.json, opt.quiet, opt.dry_run, opt.explain, #opt.redo }, { "regengine.db", false, false, false, false, 0 })
  opt = options("--input", "input.txt", "--store", "x.db", "--json", "--quiet", "--dry-run", "--explain", "--redo", "timeout")
  test.equal({ opt.store, opt.json, opt.quiet, opt.dry_run, opt.explain, opt.redo }, { "x.db", true, true, true, true, { "timeout" } })
end)

test("misuse ends with code 2, the script's name and what to do", function()
  local words = misuse("count.lua: needs --input: file to read")
  test.truthy(words:find("count.lua --help lists the options", 1, true), words)
  misuse("unknown option '--inptu' (did you mean '--input'?)", "--inptu", "input.txt")
  misuse("'input.txt' is no option", "input.txt")
  misuse("--how-often: 'many' is no number", "--input", "input.txt", "--how-often", "many")
  misuse("--title needs a value", "--input", "input.txt", "--title")
  misuse("--every takes no value", "--input", "input.txt", "--every=maybe")
  misuse("missing.txt", "--input", "missing.txt")
end)

test("--help prints the head of the script and every option with its default, and runs nothing", function()
  local run = start("count.lua", "--help")
  test.equal(run.code, 0, run.stderr)
  for _, text in ipairs { "Counts what it is given.\nSlowly.\n", "--input VALUE", "file to read (required)", "--how-often N", "times (3)",
    "--title VALUE", "heads the table (none)", "a repository (may be repeated)", "--every ", "--dry-run", "--store VALUE", "--help" } do
    test.truthy(run.stdout:find(text, 1, true), "no '" .. text .. "' in\n" .. run.stdout)
  end
  test.equal(run.stdout:find("{", 1, true), nil)
  test.equal(start("count.lua", "--every", "-h").stdout, run.stdout)
end)

test("a table that describes no option is the script's mistake", function()
  reg.fs.write("wrong.lua", 'reg.options { name = "text" }')
  local run = start "wrong.lua"
  test.truthy(run.code ~= 0 and run.stderr:find("'name' must be { default, \"what it is\" }", 1, true), run.stderr)
end)

test("a dry run starts no command", function()
  reg.fs.write("dry.lua", 'local opt = reg.options {}\nlocal run = reg.process.run { cmd = { "touch", "made" } }\nprint(run.dry, run.ok)')
  local run = start("dry.lua", "--dry-run")
  test.equal({ run.code, run.stdout }, { 0, "true\ttrue\n" }, run.stderr)
  test.equal(reg.fs.exists "made", false)
  start "dry.lua"
  test.equal(reg.fs.exists "made", true)
end)

reg.fs.write("words.lua", [[
--- Reads files.
local opt = reg.options {
  files = { reg.several, "files to read", words = true },
  form  = { "short", "short or long", choices = { "short", "long" } },
  names = { reg.several, "names" },
  sides = { reg.several, "sides", choices = { "left", "right" } },
}
print(reg.json.encode(opt))
]])

test("words without an option make a list, and a choice is one of those there are", function()
  local run = start("words.lua", "a.txt", "--names", "x", "b.txt", "--form=long", "-")
  local opt = reg.json.decode(run.stdout)
  test.equal({ opt.files, opt.names, opt.form }, { { "a.txt", "b.txt", "-" }, { "x" }, "long" })
  test.equal(reg.json.decode(start("words.lua", "a").stdout).form, "short")
  -- Of a list of choices those that follow are choices too, and what is none is a word.
  opt = reg.json.decode(start("words.lua", "--sides", "left", "right", "left.txt", "right").stdout)
  test.equal({ opt.sides, opt.files }, { { "left", "right" }, { "left.txt", "right" } })
  local none = start("words.lua", "--form", "long")
  test.equal(none.code, 2)
  test.truthy(none.stderr:find("needs FILES: files to read", 1, true), none.stderr)
  local wrong = start("words.lua", "a", "--form", "lang")
  test.equal(wrong.code, 2)
  test.truthy(wrong.stderr:find("--form: no 'lang' (did you mean 'long'?)", 1, true), wrong.stderr)
  test.truthy(start("words.lua", "--help").stdout:find("FILES...                 files to read", 1, true))
end)

reg.fs.write("short.lua", [[
--- Chooses.
local opt = reg.options {
  filter = { reg.several, "regular expression", short = "k" },
  times  = { 1, "how often", short = "n" },
  all    = { false, "everything", short = "a" },
}
print(reg.json.encode { opt.filter, opt.times, opt.all })
]])

test("an option's letter stands for it, its value behind it or in the next word", function()
  local function short(...)
    local run = start("short.lua", ...)
    test.equal(run.code, 0, run.stderr)
    return run.stdout:gsub("%s+$", "")
  end
  test.equal(short("-k", "^alex$", "-kbert", "-n3", "-a"), '[["^alex$","bert"],3,true]')
  test.equal(short("-k=a=b", "--filter", "c", "d", "-n", "-2"), '[["a=b","c","d"],-2,false]')
  test.equal(short("--times", "4", "-n5", "-kx"), '[["x"],5,false]')
  test.equal(short("-k", "-n"), '[["-n"],1,false]')
  local help = start("short.lua", "--help").stdout
  for _, line in ipairs { "  -k, --filter VALUE", "  -n, --times N", "  -a, --all " } do
    test.truthy(help:find(line, 1, true), help)
  end
end)

test("a letter that no option has, or that wants a value or none, is told so", function()
  local function refused(text, ...)
    local run = start("short.lua", ...)
    test.equal(run.code, 2, run.stdout)
    test.truthy(run.stderr:find(text, 1, true), run.stderr)
  end
  refused("'-q' is no option", "-q")
  refused("--filter needs a value", "-k")
  refused("--times: 'x' is no number", "-nx")
  refused("--all takes no value", "-ab")
end)

test("a letter is one letter, of one option, and not the h of help", function()
  local function wrong(text, specs)
    reg.fs.write("wrong_short.lua", "reg.options { " .. specs .. " }")
    local run = start "wrong_short.lua"
    test.truthy(run.code ~= 0 and run.stderr:find(text, 1, true), run.stderr)
  end
  wrong("'a': short must be one letter", 'a = { "", "text", short = "kk" }')
  wrong("'a': short must be one letter", 'a = { "", "text", short = "-" }')
  wrong("-h is --help", 'a = { "", "text", short = "h" }')
  wrong('both have short = "k"', 'a = { "", "text", short = "k" }, b = { "", "text", short = "k" }')
end)

return test.finish()
