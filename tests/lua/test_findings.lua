-- What the report says of a series of any age or kind.

local test = require "harness"

local shown = require "shown"

local function series(more)
  local points = {}
  for i, value in ipairs { 100, 100, false, 80, 80 } do
    points[i] = { id = "s" .. i, label = "s" .. i, index = i, value = value or nil,
      status = value and "ok" or "crashed" }
  end
  return test.merged({ kind = "night", metric = "MLUPS", verdict = "changes", points = points, subjects = 5, runs = 7,
    seconds = 11.6, narrowest_dip = 3, changes = { { kind = "step", last_good = "s2", first_bad = "s4", untested = 1,
    before = 100, after = 80, candidates = { { id = "s3" }, { id = "s4" } },
      effect = -0.2, effect_low = -0.21, effect_high = -0.19, p = 0.998 } } }, more)
end

-- The lines below the headline, the title, the answer as --json prints it, and the headline.
local function lines(more)
  local list, title, answer = shown(series(more))
  return list, title, answer, table.remove(list, 1)
end

test("without a direction it is a change; where a subject between could not be tested, several may be it", function()
  local said, title, answer, headline = lines()
  test.equal({ headline, title }, { "1 change found in 5 nights (7 runs, 12 s)",
    "MLUPS fell by 20 % at one of these 2 nights (s3, s4)" })
  test.equal(said, { "CHANGE   MLUPS 100 -> 80   -20 %  (95 % interval -21 to -19 %)   confidence > 99 %",
    "  one of      these 2 nights; 1 could not be tested", "              s3   crashed", "              s4",
    "  last old    s2",
    "No other change found; a temporary one of fewer than 3 nights could be missed.", "skipped s3 (crashed)" })
  test.equal({ answer.changes[1].role, answer.changes[1].candidates }, { "change", { "s3", "s4" } })
end)

test("a count that is 0 or 1 is not a test that passes or fails", function()
  local all = series { metric = "transpose count", exact = true, direction = "lower" }
  for i, point in ipairs(all.points) do point.value, point.status = i < 4 and 0 or 1, "ok" end
  all.changes[1].before, all.changes[1].after, all.changes[1].untested = 0, 1, 0
  all.changes[1].effect, all.changes[1].effect_low, all.changes[1].effect_high = math.huge, math.huge, math.huge
  test.equal(lines(all)[1]:match "^.*0 %-> 1", "REGRESSION   transpose count 0 -> 1")
end)

test("the direction makes it a regression or an improvement, and names its sides", function()
  local function first(direction, more)
    local all = series { direction = direction, unit = "MLUPS" }
    all.changes[1].untested = 0
    for name, value in pairs(more or {}) do all.changes[1][name] = value end
    local text, title = lines(all)
    return { text[1]:match "^(.-)   ", text[2]:match "^  (%l+ %l+)   ", text[3]:match "^  (last %l+)", title }
  end
  test.equal(first "higher", { "REGRESSION", "first bad", "last good", "MLUPS fell by 20 %: first bad s4" })
  test.equal(first "lower", { "IMPROVEMENT", "first new", "last old", "MLUPS fell by 20 %: first new s4" })
  test.equal(first("sideways")[1], "CHANGE")
  test.equal(first("higher", { kind = "dip", recovered_at = "s5" })[4], "MLUPS fell by 20 % from s4 until s5")
  local said = lines { metric = "step time", unit = "ms", direction = "lower" }
  test.has(said[1], "step time 100 -> 80 ms   -20 %")
  test.equal(select(4, lines { reused = 2, stored = { runs = 2, from = 1700000000, upto = 1700000060 } }),
    "1 change found in 5 nights (2 of 9 runs stored, of 2023-11-14 22:13 UTC, 12 s)")
end)

-- A commit as the git noun has it.
local function commit(i)
  local id = ("%x"):format(i):rep(40)
  return { id = id, short = id:sub(1, 10), subject = "Fuse " .. i, author = "Ann", email = "ann@example.org",
    author_date = "2024-03-06T14:20:00Z" }
end

local function of_commits(more)
  local change = test.merged({ kind = "step", lo = commit(1), hi = commit(4), last_good = commit(1).id, first_bad = commit(4).id,
    untested = 0, before = 100, after = 80, effect = -0.2 }, more)
  return { kind = "commit", direction = "higher", changes = { change }, points = { { id = "x", value = 1 } } }
end

test("a commit is named with its whole hash, author, date and files", function()
  local files = {}
  for i = 1, 12 do files[i] = { path = "f" .. i, insertions = i, deletions = 0 } end
  files[2] = { path = "b.png", binary = true }
  test.equal({ table.unpack(lines(of_commits { files = files }), 2, 5) }, {
    "  first bad   " .. ("4"):rep(40) .. "   Fuse 4", "              Ann <ann@example.org>, 2024-03-06 14:20 UTC",
    "              12 files changed: f1 (+1 -0), b.png (binary), f3 (+3 -0), f4 (+4 -0), f5 (+5 -0), f6 (+6 -0), "
      .. "f7 (+7 -0), f8 (+8 -0), f9 (+9 -0), f10 (+10 -0), and 2 more",
    "  last good   " .. ("1"):rep(40) .. "   Fuse 1" })
end)

test("of an image the digest is shown, if it is known", function()
  local function night(day, digest)
    return { id = day, label = day, image = "jax:jax-" .. day, digest = digest, facts = {} }
  end
  local all = of_commits { lo = night("2024-03-10"), hi = night("2024-03-11", "sha256:" .. ("ab"):rep(32)) }
  test.equal(lines(all)[2], "  first bad   2024-03-11   jax:jax-2024-03-11@sha256:" .. ("ab"):rep(32))
  test.equal(lines(all)[3], "  last good   2024-03-10   jax:jax-2024-03-10")
end)

test("of several candidates none is blamed alone", function()
  local candidates = {}
  for i = 2, 4 do candidates[i - 1] = { id = commit(i).id, subject = commit(i) } end
  local all = of_commits { untested = 2, candidates = candidates, files = { { path = "innocent.c" } } }
  local text = table.concat(lines(all), "\n")
  test.has(text, "  one of      these 3 commits; 2 could not be tested")
  for i = 2, 4 do test.has(text, commit(i).id .. "   Fuse " .. i) end
  test.lacks(text, "first bad", "innocent")
  test.equal(select(2, lines(all)), "MLUPS fell by 20 % at one of these 3 commits (2222222222, 3333333333, 4444444444)")
  test.equal(select(3, lines(all)).changes[1].candidates, { commit(2).id, commit(3).id, commit(4).id })
  for i = 5, 15 do candidates[i - 1] = { id = commit(i % 10).id, subject = commit(i % 10) } end
  all.changes[1].untested = 13
  test.truthy(select(2, lines(all)):find "one of these 14 commits %(2222222222 to 5555555555%)$")
  text = lines(all)
  test.equal(text[10], "              " .. commit(9).id .. "   Fuse 9")
  test.equal({ text[11], text[12] }, { "              ... 5 more: --json lists them",
    "              " .. commit(5).id .. "   Fuse 5" }, "the first tested bad one is always there")
  test.equal(#select(3, lines(all)).changes[1].candidates, 14)
end)

test("a change that was not narrowed down is a stretch with the price of a name", function()
  local open = { { kind = "step", last_good = "2024-03-02", first_bad = "2024-03-14", lo = "2024-03-02",
    hi = "2024-03-14", untested = 11, before = 100, after = 80, effect = -0.2, p = 0.97, open = true,
    runs_to_name = 9 } }
  local more = { direction = "higher", changes = open, points = { { id = "2024-03-02", value = 1 } } }
  test.equal({ table.unpack(lines(more), 1, 3) }, { "REGRESSION   MLUPS 100 -> 80   -20 %   confidence 97 %",
    "  between     2024-03-02 and 2024-03-14 (12 nights); about 9 more runs would name one",
    "  last good   2024-03-02" })
  local _, title, answer = lines(more)
  test.equal(title, "MLUPS fell by 20 % between 2024-03-02 and 2024-03-14 (12 nights)")
  local change = answer.changes[1]
  test.equal({ change.open, change.runs_to_name, change.candidates }, { true, 9 })
  open[1].runs_to_name = 0
  test.equal(lines(more)[2], "  between     2024-03-02 and 2024-03-14 (12 nights)")
  open[2] = { kind = "dip", last_good = "s2", first_bad = "s4", recovered_at = "s5", before = 80, after = 90,
    untested = 1, open = true }
  test.equal(select(2, lines(more)), "2 changes in MLUPS: -20 % between 2024-03-02 and 2024-03-14 "
    .. "(12 nights); +12.5 % between s2 and s4 (2 nights) until s5")
end)

test("what a finer search found is the culprit, in the title too", function()
  local finer = of_commits { files = { { path = "mix.c", insertions = 2 } } }.changes[1]
  local change = { kind = "dip", last_good = "d1", first_bad = "d2", recovered_at = "d3", untested = 0, before = 100,
    after = 80, culprit = finer, culprit_of_end = { before = 80, after = 100, lo = commit(5), hi = commit(7),
      last_good = commit(5).id, first_bad = commit(7).id, untested = 1,
      candidates = { { id = commit(6).id, subject = commit(6) }, { id = commit(7).id, subject = commit(7) } } } }
  local more = { direction = "higher", changes = { change }, points = { { id = "d1", value = 1 } } }
  test.equal({ table.unpack(lines(more), 2, 10) }, { "  first bad   d2", "  last good   d1",
    "  culprit     " .. ("4"):rep(40) .. "   Fuse 4", "              Ann <ann@example.org>, 2024-03-06 14:20 UTC",
    "              1 file changed: mix.c (+2 -0)", "  recovered   d3",
    "  ended by    one of these 2 commits; 1 could not be tested", "              " .. ("6"):rep(40) .. "   Fuse 6",
    "              " .. ("7"):rep(40) .. "   Fuse 7" })
  test.equal(select(2, lines(more)), 'MLUPS fell by 20 % from 4444444444 "Fuse 4" until one of these 2 '
    .. "commits (6666666666, 7777777777)")
  test.equal(select(3, lines(more)).changes[1].culprit.bad.commit, commit(4).id)
end)

test("what was excluded is a size and a width; what is in doubt is smaller", function()
  local function excluded(more) return lines(more)[6] end
  for size, said in pairs { [0.0136] = "1.4 % or more", [0.1] = "10 % or more (--min-effect 5% looks for smaller ones)",
      [0.001] = "0.10 % or more", [0.00031] = "0.031 % or more",
      [2] = "3.0x or more (--min-effect 50% looks for smaller ones)" } do
    test.equal(excluded { resolution = size },
      "No other lasting change of " .. said .. "; a temporary one of fewer than 3 nights could be missed.")
  end
  test.equal(excluded { resolution = 0.03, narrowest_dip = 1 }, "No other lasting change of 3.0 % or more.")
  test.equal(excluded { resolution = 0.03, doubts = { { label = "s2..s4", p = 0.2 } } },
    "No other lasting change of 3.0 % or more; a temporary one of fewer than 3 nights could be missed. "
      .. "Perhaps also a change in s2..s4 (20 %).")
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
  test.equal(first { exact = true, changes = change(0, 1) }, "REGRESSION   the test fails")
  test.equal(select(2, lines { exact = true, points = points, changes = change(0, 1) }), "The test fails: first bad b")
  test.equal(first { exact = true, changes = change(1, 0) }, "IMPROVEMENT   the test passes again")
  local rate = change(0.1, 0.6)
  test.equal(first { flaky = true, changes = rate }, "REGRESSION   failure rate 10 % -> 60 %   +50 points")
  rate[1].kind, rate[1].recovered_at = "dip", "c"
  test.equal(first { flaky = true, changes = rate }, "TEMPORARY REGRESSION   failure rate 10 % -> 60 %   +50 points")
  points[1].value, points[2].value = 56712, 56887
  test.equal(first { exact = true, metric = "bytes", changes = change(56712, 56887) },
    "CHANGE   bytes 56712 -> 56887   +0.309 %")
end)

test("exact differences that are too small to be listed are added up", function()
  local points = { { id = "a", value = 1000 }, { id = "b", value = 1008 }, { id = "c", value = 1020 } }
  local function adds_up(exact)
    local said = lines { points = points, verdict = "no_change", changes = {}, exact = exact }
    return table.concat(said, "\n"):find("Smaller differences add up to +2 %: from 1000 to 1020.", 1, true) ~= nil
  end
  test.equal({ adds_up(true), adds_up(false) }, { true, false })
end)

test("other verdicts say why, and what to do", function()
  local function said(more)
    more.changes, more.points = {}, { { id = "a", value = 1 } }
    local below, _, _, headline = lines(more)
    return headline, table.concat(below, "\n")
  end
  test.equal({ said { verdict = "no_change" } }, { "No change found in 5 nights (7 runs, 12 s)",
    "A temporary change of fewer than 3 nights could be missed." })
  test.equal({ said { verdict = "inconclusive", runs_to_resolve = 14 } }, { "Inconclusive (5 nights, 7 runs, 12 s)",
    "Needs about 14 more runs." })
  test.equal({ said { verdict = "machine_changed", why = "the reference moved", reused = 7, runs = 0,
      stored = { runs = 7, from = 1700000000, upto = 1700100000 } } },
    { "The machine changed (5 nights, stored results of 2023-11-14 to 2023-11-16, 7 runs): the reference moved",
      "To measure the machine as it is now, pass --fresh." })
end)

test("a series of an older engine, or a damaged one, gets defaults", function()
  local said, title, _, headline = lines { points = { { id = "a", value = 1 }, 5, { values = { 1, 3 } } },
    changes = { {}, { before = 1, after = 2 } }, runs = false, subjects = "two", seconds = {} }
  test.equal({ headline, said[1], title }, { "1 change found in 2 nights (0 runs, 0 ms)",
    "CHANGE   MLUPS 1 -> 2   2x faster", "MLUPS 2x faster: first new ?" })
end)

-- --- Numbers, differences and their units as people read them.
local WALL = { metric = "wall time", unit = "s", direction = "lower" }
local MLUPS = { metric = "MLUPS", unit = "MLUPS", direction = "higher" }
local MEMORY = { metric = "peak memory", unit = "bytes", direction = "lower" }
local FLAKY = { metric = "v", flaky = true, unit = "s" }

-- What is said of a change from `before` to `after`, with the interval of the effect.
local function said_of(of, before, after, low, high)
  local change = { kind = "step", last_good = "a", first_bad = "b", before = before, after = after,
    effect_low = low, effect_high = high }
  local all = test.merged({ kind = "night", verdict = "changes", subjects = 2, runs = 4, seconds = 1,
    changes = { change }, points = { { id = "a", value = before }, { id = "b", value = after } } }, of)
  return (shown(all)[2]:gsub("^%u+   ", ""))
end

-- Each with what was measured, before, after, and where it has one the interval.
local CASES = {
  ["from a factor of two on it is a factor, in the words of the metric"] = {
    ["wall time 1.00 -> 4.20 s   4.2x slower  (95 % interval 3.9 to 4.5x)"] = { WALL, 1, 4.2, 2.9, 3.5 },
    ["wall time 4 -> 1 s   4x faster"] = { WALL, 4, 1 },
    ["MLUPS 400 -> 100   4.0x slower  (95 % interval 3.8 to 4.2x)"] = { MLUPS, 400, 100, -0.76, -0.74 },
    ["value 100 -> 250 items/s   2.5x faster"] = { { metric = "value", unit = "items/s" }, 100, 250 },
    ["peak memory 100 -> 250 bytes   2.5x higher"] = { MEMORY, 100, 250 },
    ["score 250 -> 100   2.5x lower"] = { { metric = "score" }, 250, 100 },
    ["accuracy 250 -> 100   2.5x lower"] = { { metric = "accuracy", direction = "higher" }, 250, 100 },
    ["uptime s 1 -> 3   3x higher"] = { { metric = "uptime s", unit = "s", direction = "higher" }, 1, 3 },
    ["wall time 1 -> 1234 s   1234x slower"] = { WALL, 1, 1234.5 } },
  ["below that it is a percentage, never above 100 and never in exponents"] = {
    ["wall time 100 -> 114 s   +14.0 %  (95 % interval +13.1 to +14.9 %)"] = { WALL, 100, 114, 0.131, 0.149 },
    ["MLUPS 100 -> 88   -12 %"] = { MLUPS, 100, 88 },
    ["wall time 100 -> 199 s   +99 %"] = { WALL, 100, 199 },
    ["instructions 1000000000 -> 1000000003   +0.000000300 %"] = { { metric = "instructions" }, 1e9, 1e9 + 3 },
    ["failure rate 10 % -> 60 %   +50 points"] = { FLAKY, 0.1, 0.6 },
    -- no interval in percent reaches beyond a factor of two
    ["wall time 1.00 -> 1.50 s   +50 %  (95 % interval -10 % to 2.3x)"] = { WALL, 1, 1.5, -0.1, 1.3 },
    ["loss -5.02 -> -8.00   -59.4 %"] = { { metric = "loss" }, -5.02, -8 },  -- no factor below zero
    ["wall time 0 -> 1 s"] = { WALL, 0, 1 } },
  ["an interval has at most 4 digits, and is left out where they do not show it"] = {
    ["wall time 100 -> 80 s   -20.00 %  (95 % interval -20.01 to -20.00 %)"] = { WALL, 100, 80, -0.20006, -0.19997 },
    ["wall time 100 -> 70 s   -30 %"] = { WALL, 100, 70, -0.3000001, -0.2999999 } },
  ["numbers have the unit that suits their size"] = {
    ["wall time 35.9 -> 44.8 ms   +24.8 %"] = { WALL, 0.0359, 0.0448 },
    ["wall time 35.0 -> 40.0 us   +14.3 %"] = { WALL, 3.5e-5, 4e-5 },
    ["peak memory 117.7 -> 127.3 MiB   +8.1 %"] = { MEMORY, 123456789, 133456789 },
    ["peak memory 1048576 -> 1048580 bytes   +0.000381 %"] = { MEMORY, 1048576, 1048580 },  -- it would not show in MiB
    ["p50_ms 5 -> 7   +40 %"] = { { metric = "p50_ms", unit = "ms" }, 5, 7 },
    ["failure rate 3.0 % -> 50 %   +47 points"] = { FLAKY, 0.03, 0.5 } },
}

for name, cases in pairs(CASES) do
  test(name, function()
    for wanted, case in pairs(cases) do test.equal(said_of(table.unpack(case, 1, 5)), wanted) end
  end)
end

return test.finish()
