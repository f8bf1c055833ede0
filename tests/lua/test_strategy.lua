local test = require "harness"

local ab = reg.strategy "ab"
local PAIR = { "true", "false || true" }

-- The pair with these options.
local function pair_with(options)
  for i, command in ipairs(PAIR) do options[i] = command end
  return options
end

test("a strategy is called with its options and returns its exit code", function()
  local code = ab(pair_with { budget = 4, min_effect = "90%", store = "one.db" })
  test.truthy(code == 0 or code == 3, code)
  local store <close> = reg.store.open("one.db", { read_only = true })
  local listed = reg.report.investigations(store)
  test.equal({ #listed, listed[1].title }, { 1, "ab" })
  test.equal(reg.strategy "list.lua" { store = "one.db" }, nil)
end)

-- The message names no line of the script, as it names none on the command line.
local function refused(message, f)
  local ok, why = pcall(f)
  test.equal({ ok, why.kind }, { false, "usage" })
  test.has(why.message, message)
end

test("its options are checked as on the command line", function()
  refused("ab: needs COMMANDS", function() ab() end)
  refused("unknown option '--buget' (did you mean '--budget'?)", function() ab(pair_with { buget = 1 }) end)
  refused("--budget must be at least 1: '0'", function() ab(pair_with { budget = 0 }) end)
  refused("ab: 'budget' takes one value, not a list", function() ab(pair_with { budget = { 1, 2 } }) end)
  refused("ab: 'budget' must be a string, a number or a boolean, not a function",
    function() ab(pair_with { budget = print }) end)
  refused("list: not an option: 'x'", function() reg.strategy "list" "x" end)
  refused("show: takes only one INVESTIGATION: '1', '2'", function() reg.strategy "show" { 1, 2 } end)
  test.raises("did you mean 'nightly'?", function() reg.strategy "nihtly" end, "not_found")
end)

test("what it was told ends with it", function()
  test.equal(ab(pair_with { dry_run = true, quiet = true, store = "dry.db" }), 0)
  test.equal({ reg.fs.exists "dry.db", reg.process.run({ cmd = { "echo", "done" } }).stdout }, { false, "done\n" })
  pcall(ab, pair_with { dry_run = true, budget = 0 })
  test.equal(reg.process.run({ cmd = { "echo", "done" } }).stdout, "done\n")
end)

test("one runs after the other", function()
  local first = reg.spawn(function() ab { "sleep 0.2", "sleep 0.2", budget = 1, store = "tasks.db" } end)
  reg.sleep(0)
  refused("ab: the strategy ab is running", function() ab(PAIR) end)
  first:wait()
end)

test("help and inspect show its options as they are passed", function()
  local text = reg.help.text(ab)
  test.has(text, "\nusage: ab { COMMANDS..., OPTION = VALUE, ... }\n", "\n  gpus_per_trial = N ")
  test.has(reg.inspect(ab), "usage: ab {")
end)

-- What untrusted code passes for an option permits nothing.
local function said_elsewhere(options)
  reg.fs.mkdir "elsewhere"
  reg.fs.write("elsewhere/script.lua", 'reg.strategy "ab" { "true", "true", ' .. options .. " }")
  return reg.process.run({ shell = 'SECRET=s XDG_STATE_HOME=$PWD/elsewhere "$REGENGINE" elsewhere/script.lua 2>&1' }).stdout
end

test("a script from elsewhere passes no variable of its user", function()
  local said = said_elsewhere 'env = "SECRET"'
  test.has(said, "--env: not a variable: 'SECRET'")
end)

test("a script from elsewhere passes no device", function()
  test.needs "docker"
  local said = said_elsewhere 'image = "img", runtime = "docker", device = "/dev/fuse"'
  test.has(said, "not permitted: ")
end)

return test.finish()
