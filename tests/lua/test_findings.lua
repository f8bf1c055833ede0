-- The findings model and its words: what a series of any age or kind gives, before anything renders it.

local test = require "harness"

local findings = reg.private "lib/report/findings"
local words = reg.private "lib/report/words"

local function series(more)
  local points = {}
  for i, value in ipairs { 100, 100, false, 80, 80 } do
    points[i] = { id = "s" .. i, label = "s" .. i, index = i, value = value or nil,
      status = value and "ok" or "crashed" }
  end
  local all = { kind = "night", metric = "MLUPS", verdict = "changes", points = points, subjects = 5, runs = 7,
    seconds = 11.6, narrowest_dip = 3, changes = { { kind = "step", last_good = "s2", first_bad = "s4", untested = 1,
    before = 100, after = 80,
      effect = -0.2, effect_low = -0.21, effect_high = -0.19, p = 0.998 } } }
  for name, value in pairs(more or {}) do all[name] = value end
  return all
end

local function lines(more) return words.lines(findings(series(more))) end

test("a metric's change has no direction, its effect one interval, and more than one candidate", function()
  local found = findings(series())
  test.equal(words.headline(found), "1 change found in 5 nights (7 runs, 12 s)")
  test.equal(lines(), { "CHANGE  MLUPS 100 -> 80, -20.0 % (95 % interval -21.0 to -19.0 %), confidence > 99 %",
    "  first bad  s4", "  last good  s2", "  one of     2 nights: 1 could not be tested",
    "No other change found; a temporary one of fewer than 3 nights could be missed.", "skipped s3 (crashed)" })
  test.equal(words.title(found), "MLUPS fell by 20.0 %: first bad one of 2 nights up to s4")
  local change = found.changes[1]
  test.equal({ change.role, #change.candidates, change.candidates[1].id, change.culprit }, { "change", 2, "s3" })
  test.equal({ found.levels[1].first, found.levels[1].last, found.levels[2].first, found.levels[2].last },
    { 1, 2, 4, 5 })
end)

test("what was excluded is a size and a width, once nothing is in doubt", function()
  local function excluded(more) return lines(more)[5] end
  for size, said in pairs { [0.0136] = "1.4 %", [0.1] = "10 %", [0.001] = "0.10 %", [0.00031] = "0.031 %", [2] = "200 %" } do
    test.equal(excluded { resolution = size },
      "No other lasting change of " .. said .. " or more; a temporary one of fewer than 3 nights could be missed.")
  end
  test.equal(excluded { resolution = 0.03, narrowest_dip = 1 }, "No other lasting change of 3.0 % or more.")
  test.equal(excluded { resolution = 0.03, doubts = { { label = "s2..s4", p = 0.2 } } },
    "Another change is possible in s2..s4 (probability 20 %). A temporary change of fewer than 3 nights could be missed.")
  test.equal(lines { resolution = 0.03, verdict = "no_change", changes = {} }[1],
    "No lasting change of 3.0 % or more; a temporary one of fewer than 3 nights could be missed.")
end)

test("subjects that do not exist are listed with ranges of days", function()
  local list = lines { missing = { "2024-02-28", "2024-03-05", "2024-03-06", "2024-03-07", "2024-03-09" } }
  test.equal(list[#list], "no image for 5 nights: 2024-02-28, 2024-03-05 to 2024-03-07, 2024-03-09")
  local last = lines { missing = {} }
  test.equal(last[#last], "skipped s3 (crashed)")
end)

test("of a test that fails the direction is known", function()
  local points = { { id = "a", value = 0 }, { id = "b", value = 1 } }
  local function change(before, after)
    return { { last_good = "a", first_bad = "b", before = before, after = after } }
  end
  local function first(more)
    more.points = points
    return lines(more)[1]
  end
  test.equal(first { exact = true, changes = change(0, 1) }, "REGRESSION  the test fails")
  test.equal(first { exact = true, changes = change(1, 0) }, "IMPROVEMENT  the test passes again")
  local rate = change(0.1, 0.6)
  test.equal(first { flaky = true, changes = rate }, "REGRESSION  failure rate 10 % -> 60 %, +50 points")
  rate[1].kind, rate[1].recovered_at = "dip", "c"
  test.equal(first { flaky = true, changes = rate }, "TEMPORARY REGRESSION  failure rate 10 % -> 60 %, +50 points")
  points[1].value, points[2].value = 56712, 56887
  test.equal(first { exact = true, metric = "bytes", changes = change(56712, 56887) },
    "CHANGE  bytes 56712 -> 56887, +0.309 %")
end)

test("other verdicts say why, and what to do", function()
  local function said(more)
    more.changes, more.points = {}, { { id = "a", value = 1 } }
    local found = findings(series(more))
    return words.headline(found), table.concat(words.lines(found), "\n")
  end
  test.equal({ said { verdict = "no_change" } }, { "No change found in 5 nights (7 runs, 12 s)",
    "A temporary change of fewer than 3 nights could be missed." })
  test.equal({ said { verdict = "unresolved", runs_to_resolve = 14 } }, { "Inconclusive (5 nights, 7 runs, 12 s)",
    "Needs about 14 more runs." })
  test.equal({ said { verdict = "machine_changed", why = "the reference moved", reused = 2 } },
    { "The machine changed (5 nights, 7 runs, 2 reused, 12 s): the reference moved",
      "To measure the machine as it is now, start again with another --store." })
  test.equal(words.statistics(findings(series { noise = 0.0012, build_noise = 0.003, error = 0.01,
    runs_to_be_surer = 8 })),
    "Run-to-run noise is 0.12 %, build-to-build noise 0.3 %. The whole answer has a confidence of 99 %; about 8 more "
      .. "runs would raise it to 99.9 %.")
end)

test("a series of an older engine, or a damaged one, gets defaults", function()
  local found = findings({ points = { { id = "a", value = 1 }, 5, { values = { 1, 3 } } },
    changes = { {}, { before = 1, after = 2 } } }, { title = "nights", thing = "night" })
  test.equal({ found.runs, found.subjects, found.title, found.thing, #found.points, found.points[2].value,
    #found.changes }, { 0, 2, "nights", "night", 2, 2.0, 1 })
  test.equal(found.changes[1].first_bad, "?")
  for _, none in ipairs { 5, {}, { points = 1 } } do test.equal(findings(none), nil) end
end)

return test.finish()
