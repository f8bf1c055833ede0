-- What a search says of itself while it runs: how many runs, the best answer so far, and the time left.

local test = require "harness"

local Outlook = reg.private "lib/sweep/outlook"
local Times = Outlook.Times
local core = reg.private "lib/core"

-- What the search knows of a session of numbers without noise.
local function searched(asking, values)
  local search = core.nouns.search.new(asking)
  for _, told in ipairs(values) do
    if told[2] then search:tell(told[1], told[2]) else search:fail(told[1], "broken") end
  end
  return search
end

-- A session of `n` places that were asked in turn for `values`, { place, value or false }.
local function session(kind, n, values, more)
  local self = { asking = { kind = kind, n = n }, labels = {}, head = {}, asked = {}, measured = #values, reused = 0 }
  for i = 1, n do self.labels[i], self.head[i] = "night " .. i, i end
  for i, told in ipairs(values) do self.asked[i] = { place = told[1], value = told[2] or nil } end
  for name, value in pairs(more or {}) do self[name] = value end
  if kind == "exact" then self.search = searched(self.asking, values) end
  return self
end

-- The search as far as it is asked here.
local function answering(answer)
  answer.changes, answer.doubts = answer.changes or {}, answer.doubts or {}
  answer.runs_to_resolve = answer.runs_to_resolve or 0
  return { search = { answer = function() return answer end } }
end

local function outlook()
  return Outlook.new { unchanged = 10, one = 17, times = Times.new(nil), thing = "night" }
end

local function shown(of, looking)
  local self = outlook()
  self:revise(of, looking)
  local found = self:shown(of, 1)
  return { found.total, found.best, found.left }
end

test("of exact numbers it says by how much, and how many there are", function()
  local values = { { 1, 100 }, { 64, 150 } }
  test.equal(shown(session("exact", 64, values)), { 8, "+50 % within 63 nights" })
  table.insert(values, { 32, 120 })
  test.equal(shown(session("exact", 64, values))[2], "2 changes, the largest +25 % within 32 nights")
  test.equal(shown(session("exact", 64, { { 1, 100 }, { 64, 100 } })), { 10, "no change yet" })
end)

test("of numbers with noise it takes what the search says, and more for each change", function()
  local few = { { 1, 100 }, { 64, 90 }, { 32, 90 } }
  local doubts = { { lo = 1, hi = 20, p = 0.3 }, { lo = 20, hi = 32, p = 0.6 } }
  local function noisy(answer, looking) return shown(session("noisy", 64, few, answering(answer)), looking) end
  test.equal(noisy({}, true), { 17, "no change yet" }, "in the first look one change is expected")
  test.equal(noisy {}, { 10, "no change yet" })
  test.equal(noisy { doubts = doubts }, { 17, "probably a change within 31 nights" })
  test.equal(noisy { runs_to_resolve = 30 }, { 33, "no change yet" })
  local change = { lo = 5, hi = 9, before = 100, after = 88, effect = -0.12, effect_low = -0.13, effect_high = -0.11 }
  test.equal(noisy { changes = { change } }, { 17, "-12 % within 4 nights" })
  change.runs_to_name = 20
  test.equal(noisy { changes = { change } }[1], 23)
  local larger = { lo = 12, hi = 13, before = 88, after = 200, effect = 1.27, effect_low = 1.2, effect_high = 1.3,
    runs_to_name = 20 }
  test.equal(noisy { changes = { change, larger } }, { 43, "2 changes, the largest 2.27x higher at night 13" })
end)

test("where everything is measured, so many runs are expected, however many there are", function()
  local function all(asking)
    asking.first_look = asking.n
    return { Outlook.expected_runs(asking) }
  end
  test.equal(all { kind = "exact", n = 1000 }, { 1000, 1000 })
  test.equal(all { kind = "noisy", n = 1000 }, { 1001, 1009 }, "with the good end once more")
  test.equal(all { kind = "exact", n = 4, builds = { "a", "a", "b", "b" } }, { 2, 2 }, "a build is run once")
end)

return test.finish()
