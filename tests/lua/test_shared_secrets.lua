-- Whatever part of a store holds a secret: it is neither in what reg.share nor in what reg.report.html makes of it.

local test = require "harness"

local drawer = require("secret_samples").drawer(7)
local WORD = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

-- A new token for each place; `placed` says where it stands.
local placed = {}
local function token(where)
  local secret = "ghp" .. "_" .. drawer.chars(WORD, 36)
  placed[#placed + 1] = { where = where, secret = secret }
  return secret
end

local store = reg.store.open "s.db"

local function fill()
  local points, first, last = {}, ("a1"):rep(20), ("b2"):rep(20)
  for i, id in ipairs { first, ("c3"):rep(20), last, ("d4"):rep(20) } do
    points[i] = { id = id, value = i < 3 and 100 or 50, values = { i < 3 and 100 or 50 }, trials = { i },
      status = "ok", message = token "point.message",
      subject = { id = id, short = id:sub(1, 10), subject = token "commit.subject", message = "x\n\n" .. token "commit.message",
        author = token "commit.author", repo = token "commit.repo", image = "r.example.org/" .. token "image",
        config = { x = token "subject.config" } } }
  end
  local series = { verdict = "changes", metric = "m" .. token "metric", unit = token "unit", points = points,
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
    store:finish(trial.id, { status = i == 2 and "crashed" or "ok", message = token "trial message",
      command = { { "sh", "-c", "run " .. token "command" } },
      env = { ["V_" .. token "variable name"] = token "variable", MY_CREDS = "plain" .. i },
      samples = i ~= 2 and { v = i } or nil,
      info = { image_digest = token "digest", suspect = { why = { token "suspect" } },
        quiet = { { measure = token "measure", wanted = token "wanted", state = token "state", why = token "why" } },
        gpu = { locked = false, why_not_locked = token "clocks", gpus = { { index = 0, name = token "gpu of trial" } } } } })
  end
  store:finish_investigation(id, { verdict = "changes", why = token "why", series = series })
end
fill()

for name, make in pairs { ["reg.share"] = reg.share, ["reg.report.html"] = reg.report.html } do
  test(name .. ": no secret is in it, wherever the store has it", function()
    local text, second, third = make(store)
    local found = third or second
    test.truthy(#text > 1000, "it is empty")
    local where = {}
    for _, one in ipairs(placed) do
      if text:find(one.secret:sub(8, 30), 1, true) then where[#where + 1] = one.where end
    end
    test.equal(table.concat(where, ", "), "")
    test.truthy(not text:find("annika", 1, true), "the home folder")
    test.truthy(not text:find "\xEF\xB7[\x90-\xAF]", "a mark is left")
    test.truthy(not text:lower():find "ufd[de]", "an escaped mark is left")
    test.equal(found.redacted[1].what, "GitHub token")
    test.truthy(found.redacted[1].count > 10, "counted")
  end)
end

test("what was redacted is told with its lines, and these lines have it", function()
  local text, found = reg.share(store)
  local lines = {}
  for line in text:gmatch "([^\n]*)\n" do lines[#lines + 1] = line end
  for _, kind in ipairs(found.redacted) do
    for _, number in ipairs(kind.lines) do
      test.truthy(lines[number]:find "[<~]", kind.what .. " in line " .. number .. ": " .. lines[number])
    end
  end
end)

test("what looks like a secret and was not redacted is named with its line", function()
  local odd = "/data/runs/Zk4" .. drawer.chars(WORD, 6) .. "9xQ7" .. drawer.chars(WORD, 4) .. "/log"
  local id = store:begin { name = "odd", script = "x.lua", text = "print(1)\n--\n-- see " .. odd .. "\n", options = {}, facts = {} }
  store:finish_investigation(id, {})
  local text, found = reg.share(store, { investigation = id })
  test.equal(#found.suspects, 1)
  test.equal(found.suspects[1].text, odd)
  local at, number = 1, 1
  for from in text:gmatch "()\n" do
    if from < text:find(odd, 1, true) then number = number + 1 end
    at = from
  end
  test.truthy(at > 1)
  test.equal(found.suspects[1].line, number)
  local _, _, of_page = reg.report.html(store, { investigation = id })
  test.truthy(of_page ~= nil)
end)

-- What sharing a script with this line warns of.
local function suspects_of(line)
  local id = store:begin { name = "odd", script = "x.lua", text = line .. "\n", options = {}, facts = {} }
  store:finish_investigation(id, {})
  local _, found = reg.share(store, { investigation = id })
  return found.suspects
end

test("a path is judged by its parts: temporary folders are harmless", function()
  for _, name in ipairs { "WmtlVUyB2i", "L7n9e5B5Xq", "HfG1Wfpe0a" } do
    test.equal(#suspects_of("-- echo >/tmp/tmp." .. name .. "/here/runs"), 0, name)
  end
  local odd = "Zk4" .. drawer.chars(WORD, 6) .. "9xQ7" .. drawer.chars(WORD, 4)
  test.equal(#suspects_of("-- cat /data/runs/" .. odd .. "/log"), 1, odd)
end)

test("keys in the form of a digest and words beside a password are warned of", function()
  local key = drawer.chars("0123456789abcdef", 32)
  for _, line in ipairs { "SERVICE=" .. key, "weather appid=" .. key, "client auth: anchor_Violin7" } do
    test.equal(#suspects_of("-- " .. line), 1, line)
  end
  for _, line in ipairs { "XLA_COMMIT=" .. key, "sha256 of the token file " .. key, "password is missing" } do
    test.equal(#suspects_of("-- " .. line), 0, line)
  end
end)

test("without a terminal the preview asks nothing", function()
  test.equal(reg.preview({ redacted = { { what = "GitHub token", count = 2, lines = { 3, 9 } } },
    suspects = { { line = 4, text = "abc" } } }, { output = "issue.md" }), true)
  test.equal(reg.preview({}), true)
  test.raises("not a table: number", function() reg.preview(5) end, "usage")
  test.raises("unknown option 'no'", function() reg.preview({}, { no = true }) end, "usage")
end)

return test.finish()
