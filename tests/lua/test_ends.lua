-- What an answer says of the two ends, of several steps between them, of what is not settled, and of few subjects that
-- were all measured: series as the search gives them, as data.

local test = require "harness"

local shown = require "shown"

-- Points "v1", "v2", ... with these values.
local function series(values, more)
  local all = { kind = "commit", metric = "wall time", unit = "s", direction = "lower", verdict = "no_change",
    points = {}, changes = {}, subjects = #values, runs = 40, seconds = 30, asked = {} }
  for i, value in ipairs(values) do all.points[i] = { id = "v" .. i, label = "v" .. i, index = i, value = value } end
  return test.merged(all, more)
end

local function said(values, more) return shown(series(values, more)) end

test("ends that are equal are the answer, with the size that they do not differ by", function()
  local lines, title, answer = said({ 1.0, 1.01 }, { resolution = 0.76, ends = { differ = false, bound = 0.0302,
    effect = 0.004, effect_low = -0.02, effect_high = 0.03 } })
  test.equal(lines, { "No change between v1 and v2 (2 commits, 40 runs, 30 s)",
    "v1 and v2 do not differ by more than 3.1 %." })
  test.equal(said({ 1.0, 1.2, 1.01 }, { ends = { differ = false, bound = 0.03 } })[2], "v1 and v3 do not differ by more "
    .. "than 3.0 %. A temporary change between them could be missed; to look for one, pass a commit in between as --bad.")
  test.equal({ title, answer.ends.bound }, { "wall time: no change between v1 and v2", 0.0302 })
  test.equal(said({ 1.0, 1.0 }, { ends = { differ = false, bound = 0.05, good = "release-1", bad = "main" } })[1],
    "No change between release-1 and main (2 commits, 40 runs, 30 s)", "as the user calls them")
end)

test("ends that cannot be told apart need more runs", function()
  local ends = { effect = 0.04, effect_low = -0.03, effect_high = 0.11, runs_to_tell = 60 }
  test.equal(said({ 1.0, 1.04 }, { verdict = "inconclusive", ends = ends, runs_to_resolve = 60 }),
    { "Inconclusive (2 commits, 40 runs, 30 s)",
      "v1 and v2 cannot be told apart yet (difference +4 %, 95 % interval -3 to +11 %); about 60 more runs would tell." })
  test.equal(said({ 1.0, 1.04 }, { verdict = "inconclusive", ends = {} })[2], "v1 and v2 cannot be told apart yet.")
  ends = { effect = -0.48, effect_low = -0.51, effect_high = -0.45, runs_to_tell = 2 }
  test.equal(said({ 1.0, 0.52 }, { verdict = "inconclusive", ends = ends })[2],
    "v1 and v2 seem to differ, in too few runs to be sure (difference -48 %, 95 % interval -51 to -45 %); "
    .. "about 2 more runs would tell.")
end)

test("several steps or a slope are stretches with their sizes and prices", function()
  local spread = { largest = 0.148,
    { lo = "v1", hi = "v2", last_good = "v1", first_bad = "v2", effect = 0.21, runs_to_narrow = 40 },
    { lo = "v2", hi = "v3", last_good = "v2", first_bad = "v3", effect = 0.19 },
    { lo = "v3", hi = "v4", last_good = "v3", first_bad = "v4", effect = 0.12 } }
  local lines, title, answer = said({ 1.0, 1.21, 1.44, 1.58 }, { verdict = "changes", spread = spread,
    ends = { differ = true, effect = 0.58 }, resolution = 0.3, narrowest_dip = 3 })
  test.equal(lines, { "+58 % between v1 and v4, in several steps or a slope (4 commits, 40 runs, 30 s)",
    "+21 % by v2 (about 40 more runs would narrow it), +19 % by v3, +12 % after; no single commit carries more than 15 %."
    })
  test.equal(title, "wall time: +58 % between v1 and v4, in several steps or a slope")
  test.equal({ #answer.spread.stretches, answer.spread.largest }, { 3, 0.148 })
  spread.largest = nil
  test.truthy(said({ 1, 2, 2, 3.2 }, { verdict = "changes", spread = spread, ends = { differ = true, effect = 2.2 } })[1]
    :find("3.2x slower between v1 and v4", 1, true))
end)

test("ends that differ, without a place, are told with what it takes", function()
  local ends = { differ = true, effect = 0.17, effect_low = 0.1, effect_high = 0.24 }
  local spread = { { lo = "v1", hi = "v4", last_good = "v1", first_bad = "v4", effect = 0.17, runs_to_narrow = 40 } }
  test.equal(said({ 1.0, 1.1, 1.1, 1.17 }, { verdict = "changes", spread = spread, ends = ends }), {
    "+17 % between v1 and v4, at a place that is not known yet (4 commits, 40 runs, 30 s)",
    "About 40 more runs would narrow it." })
end)

test("ends that noise keeps apart are no \"no change\", with what rules out more", function()
  test.equal(said({ 1.0, 1.08 }, { verdict = "inconclusive", noise = 0.34, finer = 0.1, runs_for_finer = 240,
    ends = { differ = false, bound = 0.41, effect = 0.08 } }), { "Inconclusive (2 commits, 40 runs, 30 s)",
    "v1 and v2 cannot be told apart: they differ by at most 41 %. Run-to-run noise is 34 %; ruling out 10 % would take "
      .. "about 240 runs (--min-effect 10% --budget 240)." })
end)

test("what the changes do not account for is said", function()
  local change = { kind = "step", last_good = "v1", first_bad = "v2", before = 1, after = 1.2, effect = 0.2 }
  local lines = said({ 1.0, 1.2, 1.34 }, { verdict = "changes", changes = { change }, unaccounted = { effect = 0.14 },
    ends = { differ = true, effect = 0.34 } })
  test.equal(lines[#lines], "Beyond the changes found, +14 % remain between the ends.")
end)

test("what is not settled is one sentence", function()
  local change = { kind = "step", last_good = "v1", first_bad = "v2", before = 1, after = 4.2, effect = 3.2 }
  local more = { verdict = "changes", changes = { change }, runs_to_resolve = 6, why = "the search ended early",
    doubts = { { label = "v2..v3", after = "v2", upto = "v3", p = 0.87, effect = 0.14 } } }
  local function last()
    local lines = said({ 1, 4.2, 4.8, 4.8, 4.8 }, more)
    return lines[#lines]
  end
  test.equal(last(), "Perhaps also +14 % at v3 (87 %); 6 more runs would tell.")
  more.doubts[2] = { label = "v3..v5", after = "v3", upto = "v5", p = 0.6 }
  test.equal(last(), "Perhaps also +14 % at v3 (87 %), a change in v3..v5 (60 %); 6 more runs would tell.")
  more.runs_to_resolve, more.why = 0, "the budget of 40 runs is spent"
  test.equal(last(), "Perhaps also +14 % at v3 (87 %), a change in v3..v5 (60 %); the budget of 40 runs is spent.")
  more.changes, more.verdict = {}, "inconclusive"
  test.equal(last(), "Perhaps +14 % at v3 (87 %), a change in v3..v5 (60 %).")
end)

test("the resolution is said in the direction that matters", function()
  local function resolution(more)
    more.resolution, more.narrowest_dip = 0.115, 1
    return said({ 1, 1 }, more)[2]
  end
  test.equal(resolution {}, "No lasting slowdown of 12 % or more.")
  test.equal(resolution { metric = "MLUPS", unit = "MLUPS", direction = "higher" },
    "No lasting slowdown of 12 % or more.")
  test.equal(resolution { metric = "peak memory", unit = "bytes" }, "No lasting regression of 12 % or more.")
  test.equal(resolution { metric = "score", unit = "points", direction = "none" }, "No lasting change of 12 % or more.")
end)

local function releases()
  local function row(i, value, low, high, more)
    return test.merged({ index = i, label = "2.0." .. i, value = value, low = low, high = high, runs = 4 }, more)
  end
  return { row(1, 0.0102, 0.0101, 0.0103),
    row(2, 0.043, 0.042, 0.044, { step = 3.2157, step_low = 2.9, step_high = 3.5, from_first = 3.2157,
      step_is_change = true }),
    row(3, nil, nil, nil, { status = "build_failed", message = "exit code 1: x.c:3:1: error: no such thing\nmore" }),
    row(4, 0.049, 0.048, 0.050, { step = 0.14, from_first = 3.804 }) }
end

test("where most subjects differ from the one before them, that is said beside the changes", function()
  local rows = {}
  for i, step in ipairs { 0, 0.031, -0.029, 0.033, -0.03, 0.001 } do
    rows[i] = { index = i, label = "r" .. i, value = 1, runs = 3, step = i > 1 and step or nil,
      step_is_change = math.abs(step) > 0.02 }
  end
  local lines = said({ 1, 1.03, 1, 1.03, 1, 1 }, { kind = "release", verdict = "changes", table = rows })
  test.truthy(table.concat(lines, " "):find("Levels differ from release to release throughout, by 3.0 % in the median",
    1, true), table.concat(lines, "\n"))
  rows[3].step_is_change, rows[4].step_is_change = false, false
  lines = said({ 1, 1.03, 1, 1.03, 1, 1 }, { kind = "release", verdict = "changes", table = rows })
  test.equal(table.concat(lines, " "):find("throughout", 1, true), nil)
end)

test("few subjects that were all measured are a table of at most 80 columns", function()
  local all = series({ 0.0102, 0.043, 0.049 }, { kind = "release", verdict = "changes", table = releases() })
  local lines, _, answer = shown(all)
  test.equal((table.concat(lines, "\n", 2):gsub("[\u{2500}-]+", "-")), [[
release  wall time (ms)       vs previous  vs first      runs
-  -  -  -  -  -
2.0.1    10.2 (10.1 to 10.3)                                4
2.0.2    43.0 (42.0 to 44.0)  4.2x slower  4.22x slower     4  regression
2.0.3    could not be built
2.0.4    49.0 (48.0 to 50.0)  +14 %        4.8x slower      4]])
  test.equal(#answer.table, 4)
end)

test("an increase in several steps is a regression to a script, and its page has the table", function()
  local store = reg.store.open "ends.db"
  local all = series({ 0.0102, 0.043, 0.049 }, { kind = "release", verdict = "changes", table = releases(),
    spread = { { last_good = "v1", first_bad = "v3", effect = 3.8 } }, ends = { differ = true, effect = 3.8 },
    store = store, investigation = store:begin { name = "releases" } })
  test.equal(reg.answer(all), 0)
  local page = reg.report.html(store)
  test.has(page, "4.2x slower", "no such thing", "4.8x slower between v1 and v3, in several steps or a slope")
end)

return test.finish()
