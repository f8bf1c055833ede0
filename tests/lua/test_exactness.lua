-- Searches for numbers without noise, such as sizes and counts.

local test = require "harness"

local SUBJECTS = 64
local SIZE = "size: {number} bytes"

local function subjects() return test.subjects(SUBJECTS, "s%02d") end

-- A search for the size of subject `place` at its n-th run, `size(place, n)`.
local function search(size, o)
  local made = {}
  local options = test.merged({ into = test.fresh ".db", metric = SIZE, measure = function(subject)
    made[subject.place] = (made[subject.place] or 0) + 1
    return size(subject.place, made[subject.place])
  end }, o)
  return reg.sweep(subjects(), options), made
end

local function grown(place) return place >= 41 and 56887 or 56712 end

test("each end twice, then one run for each halving: the size is known to be exact", function()
  local series, made = search(grown)
  test.equal({ series.verdict, #series.changes, series.exact }, { "changes", 1, true })
  local change = series.changes[1]
  test.equal({ change.last_good, change.first_bad, change.before, change.after }, { "s40", "s41", 56712, 56887 })
  test.equal({ change.effect_low, change.effect_high, series.runs }, { change.effect, change.effect, 6 + 4 })
  test.equal({ made[1], made[SUBJECTS] }, { 2, 2 })
end)

test("told so, nothing is run twice", function()
  local series, made = search(grown, { exact = true })
  test.equal({ series.changes[1].first_bad, series.runs }, { "s41", 6 + 2 })
  for place, runs in pairs(made) do test.equal({ place, runs }, { place, 1 }) end
end)

test("without a change four runs are enough", function()
  local series = search(function() return 4096 end)
  test.equal({ series.verdict, series.runs }, { "no_change", 4 })
end)

test("a change below the minimum effect is not reported", function()
  test.equal(search(grown, { min_effect = 0.01 }).verdict, "no_change")
  test.equal(search(grown, { min_effect = 0.003 }).verdict, "changes")
end)

test("an end that differs, or is not an integer, has noise", function()
  local series = search(function(place, n) return grown(place) * (place >= 41 and 1.2 or 1) // 1 + 16 * (n % 2) end)
  test.equal({ series.exact, series.verdict, series.changes[1].first_bad }, { false, "changes", "s41" })
  test.equal(search(function() return 2.5 end).exact, false)
end)

test("two numbers of one build in the store end it, and the search goes on with noise", function()
  local store, made = test.fresh ".db", {}
  local function size(subject)
    made[subject.place] = (made[subject.place] or 0) + 1
    return 1000 + (made[subject.place] + subject.place) % 4
  end
  local function run(o)
    o.into, o.metric, o.measure = store, SIZE, size
    return reg.sweep(subjects(), o)
  end
  test.equal(run({}).exact, false)
  local series = run { exact = true }
  test.equal({ series.exact, series.verdict }, { false, "no_change" })
end)

-- What a set of flags makes, by how often it was run, as a search for the flags that carry the difference.
local function minimize(size)
  local made = {}
  local found = reg.minimize { items = { "-a", "-b", "-c", "-d" }, metric = SIZE, into = test.fresh ".db",
    measure = function(subset)
      local name = table.concat(subset, " ")
      made[name] = (made[name] or 0) + 1
      return size(name, made[name])
    end }
  return found, made
end

local function larger(name) return name:find("-b", 1, true) and 165 or 149 end

test("sets of flags: both ends twice, and every other one once", function()
  local found, made = minimize(larger)
  test.equal({ found.verdict, found.exact, found.culprits[1].items }, { "found", true, { "-b" } })
  test.equal({ found.effect.low, found.effect.high }, { found.effect.value, found.effect.value })
  for name, runs in pairs(made) do
    test.equal({ name, runs }, { name, (name == "" or name == "-a -b -c -d") and 2 or 1 })
  end
end)

test("sets of flags whose sizes differ between two runs have noise", function()
  local found = minimize(function(name, n) return larger(name) + n % 2 end)
  test.equal({ found.verdict, found.exact, found.culprits[1].items }, { "found", false, { "-b" } })
  test.truthy(found.noise > 0 and found.effect.low < found.effect.high)
end)

return test.finish()
