-- reg.share: Markdown of whatever a store holds, one's own or somebody else's.

local test = require "harness"

local store = reg.store.open "s.db"

local function begin(name, more)
  return store:begin(test.merged({ script = "x.lua", name = name, text = "print(1)", options = {}, facts = {} }, more))
end

-- What is shared of such an investigation with this answer.
local function shared(name, more, answer)
  local id = begin(name, more)
  if answer then store:finish_investigation(id, answer) end
  return reg.share(store, { investigation = id })
end

test("an investigation of another kind: what its script kept, its options as words", function()
  local text = shared("matmul", { options = { name = "driver 1", ieee = true, dtype = { "f32", "f16" }, json = true,
    from = 256, store = "/srv/s.db" }, facts = { gpu = "H200", versions = { driver = "580", cublas = "12.4.5.8" } } },
    { products = 3 })
  test.has(text, 'options=["--dtype","f32","--dtype","f16","--from","256","--ieee","--name","driver 1"]',
    "**matmul: products 3, 0 trials**", "| gpu | `H200` |", "| cublas | `12.4.5.8` |", "\n```lua title=x.lua")
  test.lacks(text, "/srv/s.db")
  test.equal(reg.share(store), text)  -- the last one
end)

test("an investigation that is not there is told", function()
  test.refuses("not_found", reg.share,
    { { "no investigation 'matmull' (did you mean 'matmul'?)", store, { investigation = "matmull" } } })
  test.refuses("usage", reg.share, { { "unknown option 'id'", store, { id = 1 } } })
end)

test("a script that says nothing of itself is the one that ran", function()
  local id = store:begin { name = "of this script" }
  store:finish_investigation(id, {})
  test.has(reg.share(store, { investigation = id }), "lua title=test_share.lua",
    "**of this script: no answer yet, 0 trials**\n\nThe script stored no answer for this investigation.",
    "a script that says nothing of itself is the one that ran")
end)

test("fences in the script are closed by none of its own", function()
  test.has(shared("fenced", { text = "--[[\n```\n````lua\n]]\nprint(1)" }, {}),
    "`````lua title=x.lua\n--[[\n```\n````lua\n]]\nprint(1)\n`````\n")
end)

test("the first and the last commit are named in whole, for HEAD is another one elsewhere", function()
  local first, last, points = ("a1"):rep(20), ("b2"):rep(20), {}
  for i, commit in ipairs { first, ("c3"):rep(20), last } do points[i] = { id = commit, value = 1, values = { 1 } } end
  test.has(shared("commits", {}, { verdict = "no_change",
    series = { verdict = "no_change", metric = "rate", points = points } }),
    "| from | `" .. first .. "` |\n| to | `" .. last .. "` |")
end)

test("names that are Markdown or HTML stay words", function()
  local text = shared("**x** <img src=x> @team #1 `a` [l](u) | \27[31m \u{0} " .. string.char(255),
    { script = "../a`b c.lua", facts = { ["<b>"] = "a|b`c" } }, { verdict = "no_change" })
  local found, head = text:match "^([^\n]*)\n\n([^\n]*)"
  test.equal(found, "**No change in value**")
  test.truthy(head:match "^``%*%*x%*%* .*: No change found in 0 subjects .*``$", head)
  test.lacks(text, "\27")
  test.truthy(utf8.len(text), "no UTF-8")
  test.has(text, "title=a_b_c.lua", "| `<b>` | ``a\\|b`c`` |")
end)

test("a store of somebody else: whatever its JSON holds, it is Markdown", function()
  for _, verdict in ipairs { { verdict = 5, series = "x" },
    { verdict = "changes", series = { points = { 1, {}, { id = {} } } } },
    { series = { points = {}, changes = { {}, { before = 1, after = 2, hi = 5 } }, doubts = { {} }, suspect = {} } },
    { verdict = "changes", stages = "x", series = { points = { { id = "a", value = 1 }, { id = "b", value = 2 } },
      changes = { { before = 1, after = 2, hi = { subject = "s" } } } } },
    { verdict = "inconclusive", series = { verdict = "inconclusive", noise = 0.5, runs_to_resolve = 1.5,
      narrowest_dip = 2.5, subjects = 0.5, seconds = -1e300, points = { { id = "a", value = 1e308 },
      { id = "b", value = -1e308 } } } } } do
    local start = { args = { 1, {}, "--x" }, required = { 1, { name = 5 } }, files = "x", seed = "y" }
    test.has(shared("odd " .. reg.json.encode(verdict), { facts = { start = start, gpus = { 1, { name = {} } } } }, verdict),
      "lua title=x.lua options=[\"--x\"]")
  end
end)

test("trials without an answer are shown as what they are", function()
  local id = begin "broken off"
  for i, subject in ipairs { "2024-03-01", "2024-03-02" } do
    local trial = store:start { investigation = id, subject = subject, key = subject }
    store:finish(trial.id, { status = "ok", samples = { v = i }, env = { MY_TOKEN = "abc", OMP_NUM_THREADS = "4" },
      info = { image_digest = "sha256:1",
        quiet = { { measure = "turbo", wanted = "off", state = "refused", why = "no permission" } },
        gpu = { locked = false, why_not_locked = "no lock was asked for", busy_sm_mhz = { median = 1500 + i } } } })
  end
  test.lacks(reg.share(store, { investigation = id }), "OMP_NUM_THREADS")
  test.has(reg.share(store, { investigation = id, with_output = true }),
    "**broken off: no answer yet, 2 trials**\n\nThis investigation has no answer: it was stopped, ", "2024-03-02",
    "| variable | `MY_TOKEN=<redacted>` |", "| variable | `OMP_NUM_THREADS=4` |", "`sha256:1` |",
    "| GPU clocks | `not locked: no lock was asked for` |", "| SM clock under load, MHz | `1501 to 1502` |",
    "| quiet | `turbo off: refused, no permission` |")
end)

test("the seed is told where the script draws numbers, and only there", function()
  local facts = { start = { args = {}, seed = 42, required = { { name = "m", text = "return math.random()" } } } }
  test.has(shared("drawn", { facts = facts }), "seed=42")
  facts.start.required = nil
  test.lacks(shared("not drawn", { facts = facts }), "seed=42")
end)

return test.finish()
