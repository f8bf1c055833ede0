-- reg.share: Markdown of whatever a store holds, one's own or somebody else's.

local test = require "harness"

local store = reg.store.open "s.db"

local function begin(name, more)
  local row = test.merged({ name = name, script = "x.lua", text = "print(1)\n", options = {}, facts = {} }, more)
  return store:begin(row)
end

local function has(text, part) test.truthy(text:find(part, 1, true), "lacks " .. part .. ":\n" .. text) end
local function has_not(text, part) test.truthy(not text:find(part, 1, true), "has " .. part .. ":\n" .. text) end

test("an investigation of another kind: what its script kept, its options as words", function()
  local id = begin("matmul", { options = { name = "driver 1", ieee = true, dtype = { "f32", "f16" }, json = true,
    from = 256, store = "/srv/s.db" },
    facts = { gpu = "H200", versions = { driver = "580", cublas = "12.4.5.8" } } })
  store:finish_investigation(id, { products = 3 })
  local text = reg.share(store)
  has(text, 'options=["--dtype","f32","--dtype","f16","--from","256","--ieee","--name","driver 1"]')
  has(text, "**matmul: products 3, 0 trials**")
  has(text, "| gpu | `H200` |")
  has(text, "| cublas | `12.4.5.8` |")
  has(text, "\n```lua title=x.lua")
  has_not(text, "/srv/s.db")
end)

test("an investigation that is not there is told", function()
  test.raises("no investigation 'matmull' (did you mean 'matmul'?)", function() reg.share(store, { investigation = "matmull" }) end,
    "not_found")
  test.raises("unknown option 'id'", function() reg.share(store, { id = 1 }) end, "usage")
end)

test("a script that says nothing of itself is the one that ran", function()
  local id = store:begin { name = "of this script" }
  store:finish_investigation(id, {})
  local text = reg.share(store, { investigation = id })
  has(text, "**of this script: no answer yet, 0 trials**\n\nThe script stored no answer for this investigation.")
  has(text, "lua title=test_share.lua")
  has(text, "a script that says nothing of itself is the one that ran")
end)

test("fences in the script are closed by none of its own", function()
  local id = begin("fenced", { text = "--[[\n```\n````lua\n]]\nprint(1)" })
  store:finish_investigation(id, {})
  local text = reg.share(store, { investigation = id })
  has(text, "`````lua title=x.lua\n--[[\n```\n````lua\n]]\nprint(1)\n`````\n")
end)

test("the first and the last commit are named in whole, for HEAD is another one elsewhere", function()
  local first, last = ("a1"):rep(20), ("b2"):rep(20)
  local id, points = begin "commits", {}
  for i, commit in ipairs { first, ("c3"):rep(20), last } do points[i] = { id = commit, value = 1, values = { 1 } } end
  store:finish_investigation(id, { verdict = "no_change",
    series = { verdict = "no_change", metric = "rate", points = points } })
  local text = reg.share(store, { investigation = id })
  has(text, "| from | `" .. first .. "` |\n| to | `" .. last .. "` |")
end)

test("names that are Markdown or HTML stay words", function()
  local name = "**x** <img src=x> @team #1 `a` [l](u) | \27[31m \u{0} " .. string.char(255)
  local id = begin(name, { script = "../a`b c.lua", facts = { ["<b>"] = "a|b`c" } })
  store:finish_investigation(id, { verdict = "no_change" })
  local text = reg.share(store, { investigation = id })
  local found, head = text:match "^([^\n]*)\n\n([^\n]*)"
  test.equal(found, "**No change in value**")
  test.truthy(head:match "^``%*%*x%*%* .*: No change found in 0 subjects .*``$", head)
  has_not(text, "\27")
  test.truthy(utf8.len(text), "no UTF-8")
  has(text, "title=a_b_c.lua")
  has(text, "| `<b>` | ``a\\|b`c`` |")
end)

test("a store of somebody else: whatever its JSON holds, it is Markdown", function()
  for _, verdict in ipairs { { verdict = 5, series = "x" },
    { verdict = "changes", series = { points = { 1, {}, { id = {} } } } },
    { series = { points = {}, changes = { {}, { before = 1, after = 2, hi = 5 } }, doubts = { {} }, suspect = {} } },
    { verdict = "changes", stages = "x", series = { points = { { id = "a", value = 1 }, { id = "b", value = 2 } },
      changes = { { before = 1, after = 2, hi = { subject = "s" } } } } },
    { verdict = "inconclusive", series = { verdict = "inconclusive", noise = 0.5, runs_to_resolve = 1.5,
    narrowest_dip = 2.5, subjects = 0.5,
      seconds = -1e300, points = { { id = "a", value = 1e308 }, { id = "b", value = -1e308 } } } } } do
    local id = begin("odd " .. reg.json.encode(verdict),
      { facts = { start = { args = { 1, {}, "--x" }, required = { 1, { name = 5 } }, files = "x", seed = "y" },
      gpus = { 1, { name = {} } } } })
    store:finish_investigation(id, verdict)
    has(reg.share(store, { investigation = id }), "lua title=x.lua options=[\"--x\"]")
  end
end)

test("trials without an answer are shown as what they are", function()
  local id = begin "broken off"
  for i, subject in ipairs { "2024-03-01", "2024-03-02" } do
    local trial = store:start { investigation = id, subject = subject, key = subject }
    store:finish(trial.id, { status = "ok", samples = { v = i }, env = { MY_TOKEN = "abc", OMP_NUM_THREADS = "4" },
      info = { image_digest = "sha256:1", quiet = { { measure = "turbo", wanted = "off", state = "refused",
      why = "no permission" } },
        gpu = { locked = false, why_not_locked = "no lock was asked for", busy_sm_mhz = { median = 1500 + i } } } })
  end
  has_not(reg.share(store, { investigation = id }), "OMP_NUM_THREADS")
  local text = reg.share(store, { investigation = id, with_output = true })
  has(text, "**broken off: no answer yet, 2 trials**\n\nThis investigation has no answer: it was stopped, ")
  has(text, "2024-03-02")
  has(text, "| variable | `MY_TOKEN=<redacted>` |")
  has(text, "| variable | `OMP_NUM_THREADS=4` |")
  has(text, "| GPU clocks | `not locked: no lock was asked for` |")
  has(text, "| SM clock under load, MHz | `1501 to 1502` |")
  has(text, "| quiet | `turbo off: refused, no permission` |")
  has(text, "`sha256:1` |")
end)

test("the seed is told where the script draws numbers, and only there", function()
  local facts = { start = { args = {}, seed = 42, required = { { name = "m", text = "return math.random()" } } } }
  has(reg.share(store, { investigation = begin("drawn", { facts = facts }) }), "seed=42")
  facts.start.required = nil
  has_not(reg.share(store, { investigation = begin("not drawn", { facts = facts }) }), "seed=42")
end)

return test.finish()
