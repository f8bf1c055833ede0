-- What reg.share and reg.report.html publish of a store that has secrets everywhere: nothing of what commands printed
-- and of the variables, unless that was asked for; and nothing that a rule knows, wherever the store has it.

local test = require "harness"

local drawer = require("secret_samples").drawer(7)
local WORD = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

-- What stands in the store, and where: tokens, which a rule knows, and words of outputs and variables, which none does.
local tokens, printed, variables = {}, {}, {}

local function token(where)
  local secret = "ghp" .. "_" .. drawer.chars(WORD, 36)
  tokens[#tokens + 1] = { where = where, secret = secret }
  return secret
end

local function word(list, where)
  local secret = "plum" .. drawer.chars("abcdefghijklmnopqrstuvwxyz", 9)
  list[#list + 1] = { where = where, secret = secret }
  return secret
end

local function output(where) return word(printed, where) end

-- As the engine makes the message of a failed run.
local function message(where)
  return "exit code 1: " .. token(where) .. " " .. output(where) .. "\nlast " .. output(where .. ", last line")
end

local store = reg.store.open "s.db"

-- An investigation that found a change.
local function fill()
  local points, first, last = {}, ("a1"):rep(20), ("b2"):rep(20)
  for i, id in ipairs { first, ("c3"):rep(20), last, ("d4"):rep(20) } do
    local fails = i == 4
    points[i] = { id = id, value = not fails and (i < 3 and 100 or 50) or nil, trials = { i },
      values = { not fails and (i < 3 and 100 or 50) or nil }, status = fails and "crashed" or "ok",
      message = message "point.message",
      subject = { id = id, short = id:sub(1, 10), subject = token "commit.subject", message = "x\n\n" .. token "commit.message",
        author = token "commit.author", repo = token "commit.repo", image = "r.example.org/" .. token "image",
        config = { x = token "subject.config" } } }
  end
  local series = { verdict = "changes", metric = "m" .. token "metric", unit = token "unit", points = points,
    why = "the last one failed: " .. points[4].message:match "[^\n]*$",
    moves = { { label = "x", failed = "test_failed, " .. points[4].message } },
    table = { { label = "a", runs = 1, status = "crashed", message = message "table.message" } },
    assumed = { { id = "e5", index = 5, status = "assumed", message = points[4].message } },
    side_points = { { id = "f6", status = "crashed", message = message "side point" } },
    changes = { { kind = "step", last_good = points[2].id, first_bad = points[3].id, before = 100, after = 50, p = 0.999,
      lo = points[2].subject, hi = points[3].subject, files = { { path = token "file", insertions = 1, deletions = 1 } } } } }
  local id = store:begin { name = "t" .. token "title", script = "a/" .. token "script name" .. ".lua",
    text = "print(1) -- " .. token "script text" .. "\n",
    options = { note = token "option", repo = { "x=/home/annika/" .. token "repo path" } },
    facts = { driver = token "fact", ["n" .. token "fact name"] = "x", versions = { jax = token "version" },
      gpus = { { name = token "GPU name", driver = token "driver" } },
      start = { args = { "--note", token "argument", "--password=" .. token "password" }, lua = token "lua", seed = 1,
        required = { { name = token "module name", text = "return '" .. token "module text" .. "'" } },
        files = { { name = token "file name" .. ".sh", text = "echo " .. token "file text" } } } } }
  for i, point in ipairs(points) do
    local trial = store:start { investigation = id, subject = point.id, key = "k" .. i, kind = "commit",
      config = { flag = token "config" } }
    store:finish(trial.id, { status = i == 2 and "crashed" or "ok", message = message "trial message",
      command = { { "sh", "-c", "run " .. token "command" } },
      env = { ["V_" .. token "variable name"] = token "variable", MY_CREDS = "plain" .. i, PLAIN = word(variables, "PLAIN") },
      samples = i ~= 2 and { v = i } or nil,
      info = { image_digest = token "digest", suspect = { why = { token "suspect" } },
        quiet = { { measure = token "measure", wanted = token "wanted", state = token "state", why = token "why" } },
        gpu = { locked = false, why_not_locked = token "clocks", gpus = { { index = 0, name = token "gpu of trial" } } } } })
  end
  store:finish_investigation(id, { verdict = "changes", why = token "why", series = series })
end
fill()

-- One that stopped at a failure, one of a script that keeps an answer of its own, and one of reg.why.
local function fill_more()
  local failed = message "message of an end"
  local why = "cannot test the good commit a1: exit code 1: " .. failed:match "[^\n]*$"
  local id = store:begin { name = "stopped", script = "x.lua", text = "print(1)\n", options = {}, facts = {} }
  local trial = store:start { investigation = id, subject = "a1", key = "s" }
  store:finish(trial.id, { status = "test_failed", message = failed })
  store:finish_investigation(id, { verdict = "inconclusive", series = { verdict = "inconclusive", why = why,
    points = { { id = "a1", status = "test_failed", message = failed } },
    stopped = { why = why, hint = "Fix the test.", log = "/srv/ann/s.db.out/1/OUT", tail = output "tail" } } })
  id = store:begin { name = "own", script = "x.lua", text = "print(1)\n", options = {}, facts = {} }
  store:finish_investigation(id, { products = 3, said = output "a string of an answer" })
  id = store:begin { name = "why", script = "why.lua", text = "print(1)\n", options = {}, facts = {} }
  local differs = "LAB_SETTING x -> " .. word(variables, "a variable that differs")
  local sentence, swap, level = "B is slower: " .. differs .. " (1 %)", "x: " .. output "swap", "exit code 1: " .. output "level"
  store:finish_investigation(id, { verdict = "found", sentence = sentence, slowdown = { verdict = "worse" },
    text = ("%s.\n  environment  %s\n               XLA_FLAGS gained --slow\nNot compared: host: %s.\nNot exchanged: %s."):format(
      sentence, differs, level, swap), commands = { "a", "b" }, not_swapped = { swap },
    top = { level = "environment", what = differs },
    levels = { { name = "environment", findings = { { level = "environment", what = differs },
      { level = "environment", what = "XLA_FLAGS gained --slow" } } },
      { name = "host", why = level } } })
  local unproved = message "message of a proof"
  id = store:begin { name = "proof", script = "prove.lua", text = "print(1)\n", options = {}, facts = {} }
  trial = store:start { investigation = id, subject = "good", key = "p" }
  store:finish(trial.id, { status = "test_failed", message = unproved })
  sentence = "Not proved: good could not be tested: " .. unproved:match "^[^\n]*" .. "."
  store:finish_investigation(id, { title = sentence, text = sentence })
end
fill_more()

local function found_in(text, list)
  local where = {}
  for _, one in ipairs(list) do
    if text:find(one.secret:sub(8), 1, true) then where[#where + 1] = one.where end
  end
  return table.concat(where, ", ")
end

for name, make in pairs { ["reg.share"] = reg.share, ["reg.report.html"] = reg.report.html } do
  test(name .. ": nothing of outputs and variables is in it", function()
    for investigation = 1, 5 do
      local text = make(store, { investigation = investigation })
      test.truthy(#text > 300, "it is empty: " .. text)
      test.equal(found_in(text, printed), "")
      test.equal(found_in(text, variables), "")
    end
  end)

  test(name .. ": with_output adds them, and says so", function()
    local text, second, third = make(store, { investigation = 1, with_output = true })
    test.truthy(found_in(text, printed) ~= "", "the output")
    test.truthy(found_in(text, variables) ~= "", "the variables")
    test.equal((third or second).with_output, true)
    text = make(store, { investigation = 2, with_output = true })
    test.truthy(found_in(text, printed):find "tail" or name ~= "reg.share")
  end)

  test(name .. ": no token is in it, wherever the store has it", function()
    for _, with_output in ipairs { false, true } do
      local text, second, third = make(store, { investigation = 1, with_output = with_output })
      local found = third or second
      test.equal(found_in(text, tokens), "")
      test.truthy(not text:find("annika", 1, true), "the home folder")
      test.truthy(not text:find "\xEF\xB7[\x90-\xAF]", "a mark is left")
      test.truthy(not text:lower():find "ufd[de]", "an escaped mark is left")
      test.equal(found.redacted[1].what, "token ghp_...")
      test.truthy(found.redacted[1].count > 10, "counted")
    end
  end)
end

test("a search that stopped names its log without the folder of the store", function()
  local text = reg.share(store, { investigation = "stopped" })
  test.has(text, "its output: s.db.out/1/OUT\nFix the test.", "cannot test the good commit a1: exit code 1")
end)

test("of variables that differ, those that frameworks read have their values", function()
  local text = reg.share(store, { investigation = "why" })
  test.has(text, "B is slower: LAB_SETTING has another value (1 %)", "XLA_FLAGS gained --slow")
  test.truthy(reg.share(store, { investigation = "why", with_output = true }):find("LAB_SETTING x -> plum", 1, true))
end)

test("what was redacted is told with its lines, and these lines have it", function()
  local text, found = reg.share(store, { investigation = 1 })
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  for _, kind in ipairs(found.redacted) do
    for _, number in ipairs(kind.lines) do
      test.truthy(lines[number]:find "[<~]", kind.what .. " in line " .. number .. ": " .. lines[number])
    end
  end
end)

-- What sharing a script with this line warns of.
local function suspects_of(line)
  local id = store:begin { name = "odd", script = "x.lua", text = line .. "\n", options = {}, facts = {} }
  store:finish_investigation(id, {})
  local text, found = reg.share(store, { investigation = id })
  return found.suspects, text
end

test("what looks like a secret and was not redacted is named with its line", function()
  local odd = "Zk4" .. drawer.chars(WORD, 6) .. "9xQ7" .. drawer.chars(WORD, 4)
  local suspects, text = suspects_of("-- cat /data/runs/" .. odd .. "/log")
  test.equal({ #suspects, suspects[1].text }, { 1, odd })
  test.equal(suspects[1].line, select(2, text:sub(1, text:find(odd, 1, true)):gsub("\n", "")) + 1)
  for _, harmless in ipairs { "/tmp/tmp.WmtlVUyB2i/runs", "XLA_COMMIT=" .. ("0a1b"):rep(10), "sha256:" .. ("9f"):rep(32) } do
    test.equal(#suspects_of("-- " .. harmless), 0, harmless)
  end
end)

test("without a terminal the preview asks nothing, and refuses outputs unless it is told to write them", function()
  local found = { redacted = { { what = "GitHub token", secret = true, count = 2, lines = { 3, 9 } } },
    suspects = { { line = 4, text = "abc" } } }
  test.equal(reg.preview(found, { output = "issue.md" }), true)
  test.equal(reg.preview({}), true)
  found.with_output = true
  test.raises("nobody is at a terminal", function() reg.preview(found) end, "usage")
  test.raises("nobody is at a terminal", function() reg.preview { with_output = true } end, "usage")
  test.equal(reg.preview(found, { yes = true }), true)
  test.refuses("usage", reg.preview, { { "not a table: number", 5 }, { "unknown option 'no'", {}, { no = true } } })
end)

return test.finish()
