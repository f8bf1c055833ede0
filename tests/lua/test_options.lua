-- reg.options reads a program's own command line, so each test writes a script and runs the engine on it.

local test = require "harness"

reg.fs.write("count.lua", [[
#!/usr/bin/env regengine
--- Counts what it is given.
--- Slowly.

local opt = reg.options {
  input     = { "file to read", type = "file", required = true },
  how_often = { "times", type = "integer", default = 3, min = 1 },
  title     = { "title of the table", type = "string", default = "none" },
  image     = { "image to run in", type = "image" },
  repo      = { "repository", type = "repo", list = true },
  every     = { "count everything", type = "boolean" },
  careful   = { "count twice", type = "boolean", default = true },
}
print(reg.json.encode(opt))
]])
reg.fs.write("input.txt", "text")
for _, folder in ipairs { "one", "in/b" } do reg.process.run { cmd = { "git", "init", "-q", folder } } end

-- Runs the engine on a script with these words behind it.
local function start(script, ...)
  local words = { "sh", "-c", 'exec "$REGENGINE" "$@"', "sh", script }
  return reg.process.run { cmd = table.move({ ... }, 1, select("#", ...), #words + 1, words) }
end

-- What the script prints, as JSON if it is that.
local function printed(script, ...)
  local run = start(script, ...)
  test.equal(run.code, 0, run.stderr)
  return run.stdout:find "^[%[{]" and reg.json.decode(run.stdout) or run.stdout
end

local function options(...) return printed("count.lua", "--input", "input.txt", ...) end

-- Each row is a text of the message, and the words behind the script that bring it.
local function misuse(script, rows)
  for _, row in ipairs(rows) do
    local run = start(script, table.unpack(row, 2))
    test.equal({ run.code, run.stdout }, { 2, "" }, row[1])
    test.truthy(run.stderr:find(row[1], 1, true) and not run.stderr:find("traceback", 1, true), run.stderr)
  end
end

test("each option has the type it says, or its default; a list is a table, and the last value counts", function()
  local opt = options()
  test.equal({ opt.input, opt.how_often, opt.title, opt.every, opt.careful, #opt.repo, opt.image },
    { "input.txt", 3, "none", false, true, 0, nil })
  opt = printed("count.lua", "--input=input.txt", "--how-often", "2", "--title", "a b=c", "--image", "busybox",
    "--every", "--repo", "a=one", "--repo=in/b/", "--careful=false")
  test.equal({ opt.how_often, opt.title, opt.image, opt.every, opt.careful, opt.repo },
    { 2, "a b=c", "busybox", true, false, { "a=one", "b=in/b/" } })
  test.equal(math.type(opt.how_often), "integer")
  test.equal({ options("--title", "--every").title, options("--title=").title,
    options("--title", "a", "--title", "b").title }, { "--every", "", "b" })
end)

test("every script has store, json, quiet, dry_run, explain, redo and retry_for", function()
  local opt = options()
  test.equal({ opt.store, opt.json, opt.quiet, opt.dry_run, opt.explain, #opt.redo, opt.retry_for },
    { ".regengine/results.db", false, false, false, false, 0, "30m" })
  opt = options("--store", "x.db", "--json", "--quiet", "--dry-run", "--explain", "--redo", "timeout", "--retry-for", "2h")
  test.equal({ opt.store, opt.json, opt.quiet, opt.dry_run, opt.explain, opt.redo, opt.retry_for },
    { "x.db", true, true, true, true, { "timeout" }, "2h" })
  misuse("count.lua", { { "--retry-for: not a valid duration: 'long'", "--input", "input.txt", "--retry-for", "long" } })
end)

test("--help prints the head of the script and every option with its default, and runs nothing", function()
  local help = printed("count.lua", "--help")
  test.has(help, "Counts what it is given.\nSlowly.\n", "--input FILE", "file to read (required)",
    "--how-often N", "times (default: 3)", "--title VALUE", "title of the table (default: none)",
    "--repo [NAME=]PATH  repository (can be repeated)", "--every ", "--dry-run", "--store VALUE", "--help")
  test.equal(help:find("--explain", 1, true), nil, "it runs no trials")
  test.equal({ help:find("{", 1, true), printed("count.lua", "--every", "-h") }, { nil, help })
end)

test("--help groups what scripts share, and has the options of trials where there are trials", function()
  reg.fs.write("sweeps.lua", [[
--- Sweeps.
local opt = reg.options {
  "container", "metric", "take", "budget",
  parallel = { "at the same time", type = "integer", default = 1 },
  memory   = { "of its own", type = "string" },
  places   = { "how many", type = "integer", required = true },
}
reg.sweep({}, { metric = opt.metric })
]])
  local help, at = printed("sweeps.lua", "--help"), 1
  for _, text in ipairs { "Sweeps.\n\nusage: regengine sweeps.lua [options]\n\n  --places N ", "\n  --memory VALUE ",
    "\n\nThe number:\n  --metric PATTERN ", "\n  --take VALUE ", "\n\nThe search:\n  --budget N ", "\n  --parallel N ",
    "\n\nThe container:\n  --runtime RUNTIME ", "\n\nAll strategies:\n  --store VALUE ", "\n  --explain ",
    "\n  --help " } do
    at = help:find(text, at, true)
    test.truthy(at, "no '" .. text .. "' in order in\n" .. help)
  end
end)

test("a table that describes no option is the script's mistake", function()
  for specs, text in pairs {
    ['name = "text"'] = "'name' must be a table",
    ['name = { "text", type = "int" }'] = "'name': not a valid type: 'int'",
    ['name = { "text" }'] = "valid types: boolean, clock, command,",
    ['name = { "text", type = "date", requird = true }'] =
      "options: 'name': unknown option 'requird' (did you mean 'required'?)",
    ['"budgt"'] = "no shared option 'budgt' (did you mean 'budget'?)",
    ['name = { "text", type = "integer", default = "many" }'] = "--name: not an integer: 'many'",
    ['a = { "text", type = "string", short = "kk" }'] = "'a': short must be one letter",
    ['a = { "text", type = "string", short = "-" }'] = "'a': short must be one letter",
    ['a = { "text", type = "string", short = "h" }'] = "other than h, which is --help",
    ['a = { "text", type = "string", short = "k" }, b = { "text", type = "string", short = "k" }'] =
      'both have short = "k"',
  } do
    reg.fs.write("wrong.lua", "reg.options { " .. specs .. " }")
    misuse("wrong.lua", { { text } })
  end
end)

reg.fs.write("types.lua", [[
local opt = reg.options {
  "min_effect", "budget", "timeout", "runtime",
  weight = { "weight", type = "number" },
  from   = { "day", type = "date" },
  at     = { "hour", type = "time" },
  sides  = { "sides", type = "string", list = true, choices = { "left", "right" }, default = { "left" } },
  env    = { "NAME=VALUE", type = "string", list = true },
}
for _, name in ipairs { "dry_run", "explain", "fresh", "json", "quiet", "redo", "retry_for", "store" } do opt[name] = nil end
print(reg.json.encode(opt))
]])

test("values are checked and converted by their types", function()
  local function values(...) return printed("types.lua", ...) end
  test.equal(values(), { timeout = "1h", sides = { "left" }, env = reg.json.array {} })
  local all = values("--min-effect", "12.5%", "--budget", "400", "--timeout", "1h30m", "--runtime", "podman",
    "--weight", "-1.5e3", "--from", "2024-02-29", "--at", "2024-02-29T13:00", "--sides", "right", "--env", "A=1",
    "--env", "B=2")
  test.equal(all, { min_effect = 0.125, budget = 400, timeout = "1h30m", runtime = "podman", weight = -1500.0,
    from = "2024-02-29", at = "2024-02-29T13:00", sides = { "right" }, env = { "A=1", "B=2" } })
  test.equal({ math.type(all.budget), values("--min-effect", "0.02").min_effect }, { "integer", 0.02 })
  test.equal(values("--min-effect", "150 %").min_effect, 1.5)

  local rows = {
    { "--timeout: not a valid duration: 'long'", "--timeout", "long" }, { "1h30m", "--timeout", "long" },
    { "--from: not a valid date: '2024-02-30'", "--from", "2024-02-30" },
    { "Write it as 2023-08-24, yesterday or 14d ago.", "--from", "2024-02-30" },
    { "--from: not a valid date: '2024-02-29T13:00'", "--from", "2024-02-29T13:00" },
    { "--at: not a valid time: 'noon'", "--at", "noon" }, { "2023-08-24T13:00", "--at", "noon" },
    { "--runtime: not a valid value: 'dockr' (did you mean 'docker'?)", "--runtime", "dockr" },
    { "Choose one of: docker, podman, local", "--runtime", "dockr" },
  }
  local function each(option, message, hint, words)
    for _, word in ipairs(words) do
      rows[#rows + 1] = { option .. ": " .. message .. ": '" .. word .. "'", option, word }
      rows[#rows + 1] = { hint, option, word }
    end
  end
  each("--budget", "not an integer", "--help", { "many", "1.5", "1e3", "0x10", "99999999999999999999" })
  each("--weight", "not a number", "--help", { "nan", "0x10", "1e999", "1,5" })
  each("--min-effect", "not a valid fraction", "Write it as 1% or 0.01.", { "5", "0", "-1%", "%", "some" })
  misuse("types.lua", rows)
end)

test("times may be said from now, and become dates at once", function()
  -- Around midnight, of either day.
  local function near(option, text, seconds, form)
    local before = reg.time.format(math.floor(reg.time.now() - seconds), form)
    local found = printed("types.lua", option, text)
    local after = reg.time.format(math.floor(reg.time.now() - seconds), form)
    local value = found.from or found.at
    test.truthy(value == before or value == after, text .. " is " .. value .. ", not " .. before)
  end
  local DAY = 86400
  for text, seconds in pairs { today = 0, yesterday = DAY, ["14d ago"] = 14 * DAY, ["-14d"] = 14 * DAY,
    ["2 weeks ago"] = 14 * DAY, ["1 day ago"] = DAY } do
    near("--from", text, seconds, "%Y-%m-%d")
    near("--at", text, seconds, "%Y-%m-%d")
  end
  near("--at", "6h ago", 6 * 3600, "%Y-%m-%dT%H:%M")
  near("--at", "30 minutes ago", 1800, "%Y-%m-%dT%H:%M")
  for _, text in ipairs { "tomorrow", "ago", "5 ago", "-x", "2 moons ago" } do
    misuse("types.lua", { { "--from: not a valid date: '" .. text .. "'", "--from", text } })
  end
end)

reg.fs.write("checks.lua", [[
local opt = reg.options {
  "metric", "take", "drop", "good_value", "bad_value",
  image = { "image with {date}", type = "image", required = true, contains = "{date}" },
  from  = { "first night", type = "date", required = true, not_after = "to" },
  to    = { "last night", type = "date", required = true },
  runs  = { "how many", type = "integer", min = 1 },
  test  = { "what to run", type = "script" },
  patch = { "what to apply", type = "patch" },
  every = { "everything", type = "boolean" },
}
print(opt.metric, opt.take, opt.drop, opt.good_value, opt.bad_value)
]])
local GOOD = { image = "jax:{date}", from = "2024-01-01", to = "2024-01-02", metric = "MLUPS: {number}" }

-- Runs checks.lua with GOOD, changed by `changes` (false: not given), and more words.
local function checked(changes, ...)
  local words = {}
  for name, value in pairs(GOOD) do
    if changes[name] == nil then words[#words + 1] = "--" .. name .. "=" .. value end
  end
  for name, value in pairs(changes) do
    if value then words[#words + 1] = "--" .. name:gsub("_", "-") .. "=" .. value end
  end
  table.sort(words)
  for _, word in ipairs { ... } do words[#words + 1] = word end
  return start("checks.lua", table.unpack(words))
end

test("one problem is one line and what to do", function()
  reg.fs.write("notes.txt", "--- no patch\n")
  local help = "Run regengine checks.lua --help for the options."
  local write = "Write it as 'MLUPS: {number}', or as a Lua pattern with one capture."
  test.equal(checked({}).code, 0, checked({}).stderr)
  for _, row in ipairs {
    { "--metric: the pattern 'MLUPS: {num}' captures no number: did you mean {number}?",
      "Write it as 'MLUPS: {number}'.", metric = "MLUPS: {num}" },
    { "--metric: the pattern 'MLUPS: {value} x' captures no number: did you mean {number}?",
      "Write it as 'MLUPS: {number} x'.", metric = "MLUPS: {value} x" },
    { "--metric: the pattern 'MLUPS' captures no number", "Write it as 'MLUPS: {number}'.", metric = "MLUPS" },
    { "--metric: the pattern '%d+ ms' captures no number", write, metric = "%d+ ms" },
    { "--metric: not a valid pattern: 'MLUPS: (%d+'", write, metric = "MLUPS: (%d+" },
    { [[--metric: the pattern '(\d+) ms' is a regular expression, not a Lua pattern]], write, metric = [[(\d+) ms]] },
    { "--metric: the pattern '() ms' captures a position, not a number", write, metric = "() ms" },
    { "--metric must not be empty", help, metric = "" },
    { "--image has no {date}: 'jax:latest'", "Put {date} where it varies.", image = "jax:latest" },
    { "--from 2024-01-03 is after --to 2024-01-02", "Swap the two.", from = "2024-01-03" },
    { "--patch: not a patch: 'notes.txt'", "Make one with git diff or git format-patch.", patch = "notes.txt" },
    { "--patch: no such file: 'no.patch'", "Pass a file that exists.", patch = "no.patch" },
    { "--good-value needs --bad-value", help, good_value = "5" },
    { "--take: not a valid value: 'lst' (did you mean 'last'?)", "Choose one of: first, last, median, min",
      take = "lst" },
    { "--drop must be at least 0: '-1'", help, drop = "-1" },
  } do
    local what, todo = table.remove(row, 1), table.remove(row, 1)
    local run = checked(row)
    test.equal({ run.code, run.stdout, run.stderr }, { 2, "", "regengine: checks.lua: " .. what .. "\n  " .. todo .. "\n" })
  end
end)

test("patches of git and of diff are patches", function()
  local hunk = "--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"
  local rename = "diff --git a/x b/y\nrename from x\nrename to y\n"
  for _, text in ipairs { hunk, "From 12ab\nSubject: x\n\n" .. hunk, rename } do
    reg.fs.write("some.patch", text)
    test.equal(checked({ patch = "some.patch" }).code, 0, text)
  end
end)

test("all problems are listed at once, one line each", function()
  local run = checked({ metric = "{num}", image = "jax", from = "2024-02-30", runs = "0", test = "no.sh", to = false },
    "--evry", "--bad-valu", "5", "extra", "--drop")
  test.equal({ run.code, run.stdout, run.stderr }, { 2, "", [[
regengine: checks.lua: 10 problems on the command line
  unknown option '--evry' (did you mean '--every'?)
  unknown option '--bad-valu' (did you mean '--bad-value'?)
  not an option: 'extra'. Begin an option with --.
  --drop needs a value
  --from: not a valid date: '2024-02-30'. Write it as 2023-08-24, yesterday or 14d ago.
  --image has no {date}: 'jax'. Put {date} where it varies.
  needs --to: last night
  --metric: the pattern '{num}' captures no number: did you mean {number}? Write it as '{number}'.
  --runs must be at least 1: '0'
  --test: no such file: 'no.sh'. Pass a file that exists.
  Run regengine checks.lua --help for the options.
]] })
  -- An option that was misspelled is not said to be missing, too, and what follows it is not taken for an option.
  run = checked({ from = false }, "--frm", "2024-01-01")
  test.equal({ run.code, run.stderr }, { 2, "regengine: checks.lua: unknown option '--frm' (did you mean '--from'?)\n"
    .. "  Run regengine checks.lua --help for the options.\n" })
end)

reg.fs.write("words.lua", [[
--- Reads files.
local opt = reg.options {
  files = { "files to read", type = "string", list = true, words = true, required = true },
  form  = { "form", type = "string", choices = { "short", "long" }, default = "short" },
  names = { "names", type = "string", list = true },
  sides = { "sides", type = "string", list = true, choices = { "left", "right" } },
}
print(reg.json.encode(opt))
]])

test("words without an option make a list, and a choice is one of those there are", function()
  local opt = printed("words.lua", "a.txt", "--names", "x", "b.txt", "--form=long", "-")
  test.equal({ opt.files, opt.names, opt.form }, { { "a.txt", "b.txt", "-" }, { "x" }, "long" })
  test.equal(printed("words.lua", "a").form, "short")
  -- Of a list of choices those that follow are choices too, and what is none is a word.
  opt = printed("words.lua", "--sides", "left", "right", "left.txt", "right")
  test.equal({ opt.sides, opt.files }, { { "left", "right" }, { "left.txt", "right" } })
  misuse("words.lua", { { "needs FILES: files to read", "--form", "long" },
    { "--form: not a valid value: 'lang' (did you mean 'long'?)", "a", "--form", "lang" } })
  test.has(printed("words.lua", "--help"), "FILES...       files to read\n")
end)

reg.fs.write("short.lua", [[
--- Chooses.
local opt = reg.options {
  filter = { "regular expression", type = "string", list = true, short = "k" },
  times  = { "how often", type = "integer", default = 1, short = "n" },
  all    = { "everything", type = "boolean", short = "a" },
}
print(reg.json.encode { opt.filter, opt.times, opt.all })
]])

test("an option's letter stands for it, its value behind it or in the next word", function()
  for wanted, words in pairs {
    ['[["^alex$","bert"],3,true]'] = { "-k", "^alex$", "-kbert", "-n3", "-a" },
    ['[["a=b","c","d"],-2,false]'] = { "-k=a=b", "--filter", "c", "d", "-n", "-2" },
    ['[["x"],5,false]'] = { "--times", "4", "-n5", "-kx" },
    ['[["-n"],1,false]'] = { "-k", "-n" },
  } do test.equal(printed("short.lua", table.unpack(words)), reg.json.decode(wanted)) end
  test.has(printed("short.lua", "--help"), "  -k, --filter VALUE", "  -n, --times N", "  -a, --all ")
  misuse("short.lua", { { "not an option: '-z'", "-z" }, { "--filter needs a value", "-k" },
    { "--times: not an integer: 'x'", "-nx" }, { "--all takes no value", "-ab" } })
end)

return test.finish()
