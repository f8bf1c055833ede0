local test = require "harness"
local findings = reg.private "lib/report/findings"
local report_words = reg.private "lib/report/words"

-- Noise that is the same at every run of the test.
local seed = 1
local function noise()
  seed = (seed * 1103515245 + 12345) % 2147483648
  return seed / 2147483648 - 0.5
end

local function subjects(n)
  local list = {}
  for i = 1, n do list[i] = { id = string.format("s%03d", i), place = i } end
  return list
end

local files = 0
-- A sweep over n subjects whose level is level(i), with noise of +- amplitude / 2; fails(i) gives a status or nothing.
local function sweep(n, level, o)
  files = files + 1
  local runs = 0
  local options = { into = "sweep" .. files .. ".db", config = {}, metric = "v" }
  for name, value in pairs(o) do
    if name ~= "fails" and name ~= "amplitude" then options[name] = value end
  end
  function options.measure(subject)
    runs = runs + 1
    local status = o.fails and o.fails(subject.place)
    if status then return reg.skip("no number", "some output", status) end
    return level(subject.place) * (1 + (o.amplitude or 0) * noise())
  end
  local series = reg.sweep(subjects(n), options)
  return series, runs
end

local function places(series)
  local list = {}
  for _, change in ipairs(series.changes) do
    list[#list + 1] = change.kind .. " " .. change.last_good .. ">" .. change.first_bad
      .. (change.recovered_at and " ..>" .. change.recovered_at or "")
  end
  return table.concat(list, ", ")
end

test("one step is found at its place, in far fewer runs than subjects", function()
  for _, at in ipairs { 1, 37, 100, 199 } do
    local series, runs = sweep(200, function(i) return i <= at and 100 or 90 end, { amplitude = 0.004 })
    test.equal(places(series), string.format("step s%03d>s%03d", at, at + 1))
    test.equal(series.verdict, "changes")
    test.truthy(runs < 60, runs .. " runs")
    test.near(series.changes[1].ratio, 0.9, 0.005)
  end
end)

test("several steps, up and down, and a dip told from a step", function()
  local series = sweep(120, function(i)
    if i > 20 and i <= 50 then return 80 end
    return i <= 90 and 100 or 110
  end, { amplitude = 0.004 })
  test.equal(places(series), "dip s020>s021 ..>s051, step s090>s091")
end)

test("failed subjects are passed over, recorded and counted", function()
  local series = sweep(60, function(i) return i <= 30 and 100 or 90 end, {
    fails = function(i) return i >= 29 and i <= 33 and "build_failed" end,
  })
  test.equal(places(series), "step s028>s034")
  test.equal(series.changes[1].untested, 5)
  test.equal(#series.changes[1].candidates, 6)
  test.equal(series.changes[1].candidates[6].id, series.changes[1].first_bad)
  test.truthy(series.skipped > 0)
  local all = sweep(60, function() return 1 end, { fails = function() return "crashed" end })
  test.equal(all.verdict, "inconclusive")
  test.truthy(all.runs < 60, "a test that always fails is not tried everywhere: " .. all.runs)
end)

test("no change is said where there is none, and not where noise hides what was asked for", function()
  seed = 1
  test.equal(sweep(100, function() return 5 end, { amplitude = 0.002 }).verdict, "no_change")
  local noisy = sweep(100, function() return 5 end, { amplitude = 0.4, min_effect = 0.01, budget = 60 })
  test.equal(noisy.verdict, "inconclusive")
  test.truthy(noisy.resolution > 0.1 and noisy.resolution < 0.6, tostring(noisy.resolution))
  test.equal(noisy.finer, 0.01)
  test.truthy(noisy.runs_for_finer > 1000, tostring(noisy.runs_for_finer))
  test.truthy(noisy.runs <= 60, noisy.runs .. " runs of a budget of 60")
end)

test("pass and fail cost ceil(log2 N) + 2 runs", function()
  for _, n in ipairs { 2, 3, 9, 100, 1000 } do
    local at = math.max(1, n * 7 // 10)
    local series, runs = sweep(n, function(i) return i <= at and 0 or 1 end, { exact = true })
    test.equal(places(series), string.format("step s%03d>s%03d", at, at + 1))
    test.truthy(runs <= math.ceil(math.log(n - 1, 2)) + 2, n .. " subjects took " .. runs)
  end
end)

test("the JAX guide's series: four changes and a failed day", function()
  -- MLUPS of the nights with a number, 07-06 to 09-20, rounded; 0 = 08-25, which failed.
  local plateau = {}
  local function add(count, value) for _ = 1, count do plateau[#plateau + 1] = value end end
  add(5, 587.7) add(3, 570.2) add(2, 587.5) add(28, 577.3) add(1, 0) add(22, 536.7)
  local series = sweep(#plateau, function(i) return plateau[i] end, {
    amplitude = 0.001, first_look = 32, fails = function(i) return plateau[i] == 0 and "test_failed" end,
  })
  test.equal(places(series), "dip s005>s006 ..>s009, step s010>s011, step s038>s040")
end)

test("a finished trial is not run again; redo, another configuration or an interrupted one is", function()
  local o = { into = "resume.db", fails = function(i) return i == 5 and "timeout" end, every = true }
  local first, runs = sweep(9, function() return 1 end, o)
  local again, runs_again = sweep(9, function() return 1 end, o)
  test.equal({ runs_again, again.runs, again.reused }, { 0, 0, runs })
  test.equal(again.verdict, first.verdict)
  o.redo = { "timeout" }
  -- Twice, as a timeout may pass, with the good end before it, since the search goes on, and before the answer; and two
  -- pairs of the good end, of whose runs in turn some were taken for the check.
  test.equal(select(2, sweep(9, function() return 1 end, o)), 8)
  o.config = { flag = "other" }
  test.equal(select(2, sweep(9, function() return 1 end, o)), runs)
end)

test("the answer is kept in the store with its series, as plain data, each stage's with its own investigation", function()
  local store <close> = reg.store.open "kept.db"
  local function stage(title, level)
    return sweep(40, level, { into = store, title = title, config = { stage = title },
      fails = function(i) return i == 40 and "crashed" end })
  end
  local nights = stage("nights", function(i) return i <= 20 and 100 or 90 end)
  nights.points[1].subject.object = store  -- what a subject holds besides is left out
  local hours = stage("hours", function() return 5 end)
  test.equal(reg.answer(nights, hours), 0)
  local rows = store:investigations()
  local first, second = reg.json.decode(rows[1].verdict), reg.json.decode(rows[2].verdict)
  test.equal({ first.verdict, second.verdict, #second.changes }, { "changes", "no_change", 0 })
  test.equal({ first.stages, second.stages }, { { rows[1].id }, { rows[1].id, rows[2].id } })
  test.equal(second.runs, nights.runs + hours.runs)
  test.equal(first.series.runs, nights.runs)
  test.equal(first.series.changes[1].first_bad, "s021")
  test.equal(first.series.changes[1].hi.place, 21)
  local points = first.series.points
  test.equal({ #points, points[1].subject.object }, { #nights.points })
  test.equal({ points[#points].status, points[#points].trials }, { "crashed", nights.points[#points].trials })
  local trials = store:trials { investigation = rows[1].id }
  test.equal(trials[1].samples.v[1], points[1].values[1])
end)

test("the direction is the metric's unless it is given, and is stored with the unit", function()
  local function direction(o)
    local series = sweep(2, function() return 1 end, o)
    local kept = series.store:query("SELECT verdict FROM investigations")[1].verdict
    test.equal(kept, nil)
    reg.answer(series)
    local stored = reg.json.decode(series.store:query("SELECT verdict FROM investigations")[1].verdict)
    test.equal({ stored.series.direction, stored.series.unit }, { series.direction, series.unit })
    return series.direction, series.unit
  end
  test.equal({ direction { metric = "step time: {number} ms" } }, { "lower", "ms" })
  test.equal({ direction { metric = "MLUPS" } }, { "higher", "MLUPS" })
  test.equal({ direction { metric = "MLUPS", better = "lower" } }, { "lower", "MLUPS" })
  test.equal({ direction {} }, {})
  test.equal({ direction { flaky = true } }, { "lower" })
  test.raises('sweep: better must be "higher" or "lower"', function()
    sweep(2, function() return 1 end, { better = "less" })
  end, "usage")
end)

test("a stage is printed once, when it is known", function()
  local printed, print_line = {}, print
  local series = sweep(2, function() return 1 end, { title = "letters" })
  print = function(line) printed[#printed + 1] = line end  -- luacheck: ignore
  test.equal(reg.stage(series), series)
  test.truthy(printed[1]:find "^letters: ", printed[1])
  reg.answer(series)
  print = print_line  -- luacheck: ignore
  test.equal(select(2, table.concat(printed, "\n"):gsub("letters: ", "")), 1)
  test.raises("stage: not a series", function() reg.stage {} end, "usage")
end)

test("prepare comes once a subject, before it is measured, and its skip is recorded", function()
  local prepared = {}
  local series = sweep(9, function(i) test.equal(prepared[i], 1) return 1 end, {
    every = true,
    prepare = function(subject)
      prepared[subject.place] = (prepared[subject.place] or 0) + 1
      if subject.place == 4 then error(reg.skip("no such image", "", "skipped"), 0) end
    end,
  })
  test.equal(series.skipped, 1)
  test.equal(series.points[4].status, "skipped")
end)

test("measure may give a list or several metrics; nonsense and errors are the script's", function()
  local function one(measure, metric)
    files = files + 1
    return reg.sweep({ "a", "b" }, { into = "m" .. files .. ".db", config = {}, metric = metric or "v", measure = measure })
  end
  test.equal(one(function() return { 1, 2, 3 } end).points[1].value, 2.0)
  test.equal(one(function() return { v = 7, other = { 1, 2 } } end).points[1].value, 7.0)
  test.raises("returned no metric 'w'", function() one(function() return { v = 7 } end, "w") end)
  test.raises("must return a number", function() one(function() return "7" end) end, "usage")
  test.raises("my own mistake", function() one(function() error("my own mistake") end) end)
  test.raises("the list of subjects is empty", function() reg.sweep({}, { measure = print }) end, "usage")
end)

test("each change has its levels, its effect and how sure they are; what was asked is told in order", function()
  local series, runs = sweep(60, function(i) return i <= 30 and 100 or 90 end, { amplitude = 0.004 })
  local c = series.changes[1]
  test.near(c.effect, -0.1, 0.01)
  test.truthy(c.effect_low <= c.effect and c.effect <= c.effect_high and c.before_low <= c.before and c.after <= c.after_high)
  test.equal({ #series.asked, series.runs }, { runs, runs })
  test.equal({ series.asked[1].reason, series.asked[1].why }, { "first_look", "first look" })
  local words
  for _, entry in ipairs(series.asked) do
    words = words or (entry.reason == "split" and entry.why:match(
      "^splits s%d+%.%.s%d+, where the probability of a change is [> ]*%d+ %%$"))
  end
  test.truthy(words, "no split says what it splits")
  test.truthy(#reg.report.table(series) > 0 and #reg.report.plot(series) > 0)
end)

test("a round's trials run side by side, prepared once each, and a second time nothing is run", function()
  local now, most, prepared = 0, 0, {}
  local function measure(subject)
    now = now + 1
    most = math.max(most, now)
    reg.sleep(0.002)
    now = now - 1
    return subject.place <= 41 and 100 or 90
  end
  local o = { into = "parallel.db", config = {}, parallel = 4, measure = measure, prepare = function(subject)
    prepared[subject.place] = (prepared[subject.place] or 0) + 1
    reg.sleep(0.001)
  end }
  local series = reg.sweep(subjects(100), o)
  test.equal(places(series), "step s041>s042")
  test.truthy(most > 1 and most <= 4, most .. " at a time")
  for place, count in pairs(prepared) do test.equal(count, 1, "prepared " .. place) end
  local again = reg.sweep(subjects(100), o)
  test.equal({ again.runs, again.reused, places(again) }, { 0, series.runs, places(series) })
end)

test("a sweep that broke off in the middle of a round goes on as if it had not", function()
  local made, broken_at = 0, 9
  local function run(into)
    return reg.sweep(subjects(100), { into = into, config = {}, parallel = 3, measure = function(subject)
      made = made + 1
      if made == broken_at then error("my own mistake") end
      reg.sleep(0.001 * (made % 3))
      return subject.place <= 41 and 100 or 90
    end })
  end
  test.raises("my own mistake", function() run "broken.db" end)
  local resumed = run "broken.db"
  local whole = run "whole.db"
  -- One more, of the good end before it goes on.
  test.equal({ places(resumed), resumed.runs + resumed.reused }, { places(whole), whole.runs + 1 })
  test.truthy(resumed.reused >= 5 and resumed.runs > 0, resumed.reused .. " were known")
end)

test("equal builds are one: run once, out of the store for one another, and both sides of a change are named", function()
  local list, measured = subjects(60), {}
  for i, subject in ipairs(list) do subject.digest = "sha256:" .. (i - 1) // 6 end
  local o = { into = "builds.db", config = {}, measure = function(subject)
    measured[subject.digest] = (measured[subject.digest] or 0) + 1
    return subject.place <= 30 and 100 or 90
  end }
  local series = reg.sweep(list, o)
  test.equal(places(series), "step s030>s031")
  test.equal(series.changes[1].untested, 0)
  local marked = {}
  for _, point in ipairs(series.points) do marked[point.id] = point.value end
  test.equal({ marked.s030, marked.s031 }, { 100.0, 90.0 })
  -- The same builds behind other subjects: what is stored for one stands for all.
  local later = {}
  for i = 4, 60 do later[#later + 1] = list[i] end
  test.equal(reg.sweep(later, o).changes[1].first_bad, "s031")
  -- Each is measured three times, and the good end of each search once more: the first build and the second.
  for i = 2, 9 do test.equal(measured["sha256:" .. i], 3, "build " .. i) end
end)

test("a prior, costs and builds may be functions of the subject; wrong ones are refused", function()
  local plain, runs = sweep(400, function(i) return i <= 300 and 100 or 90 end, {})
  local told, fewer = sweep(400, function(i) return i <= 300 and 100 or 90 end, {
    prior = function(subject) return subject.place == 301 and 1000 or 1 end,
    cost = { first = function() return 5 end, again = 1 },
  })
  test.equal(places(told), places(plain))
  test.truthy(fewer < runs, fewer .. " runs, not fewer than " .. runs)
  test.raises("unknown option 'max_repeats'", function() sweep(3, print, { max_repeats = 9 }) end, "usage")
  test.raises("did you mean 'budget'", function() sweep(3, print, { bugdet = 9 }) end, "usage")
end)

test("bisect: by exit code in few runs, by a flaky test's rate, and with a prior of the commits", function()
  local commits = {}
  for i = 1, 64 do commits[i] = { id = string.format("c%02d", i), place = i, message = i == 50 and "a faster FFT" or "words" } end
  local function bisect(o)
    files = files + 1
    o.into, o.config = "bisect" .. files .. ".db", {}
    return reg.bisect(commits, o)
  end
  local exact = bisect { passes = function(commit) return commit.place < 50 end }
  test.equal({ places(exact), exact.runs }, { "step c49>c50", 11 })
  local informed = bisect { passes = function(commit) return commit.place < 50 end, prior = { text = { "fft" } } }
  test.equal(places(informed), "step c49>c50")
  test.truthy(informed.runs < exact.runs, "a prior that is right costs " .. informed.runs)
  test.raises("unknown option 'txt'", function() bisect { passes = print, prior = { txt = { "fft" } } } end, "usage")
  test.raises("needs 'repo'", function() bisect { passes = print, prior = { files = { "x" } } } end, "usage")

  local function rate(bad, good) return function(commit) return 0.5 + noise() >= (commit.place >= 20 and bad or good) end end
  local flaky = bisect { passes = rate(0.9, 0.02), flaky = true }
  test.equal(flaky.verdict, "changes")
  test.truthy(flaky.changes[1].effect > 0.5 and not flaky.exact)
  test.equal(bisect({ passes = rate(0.02, 0.02), flaky = true }).verdict, "no_change")
  test.equal(bisect({ passes = function() return true end }).verdict, "inconclusive")
end)

-- 200 subjects, of which those from 80 to 130 are broken for one reason; the change is at `at`. Returns the series and
-- how many of the broken ones were tried.
local function broken_range(at, o)
  local tried = 0
  o.into, o.config, o.kind = "broken.db", { at, tostring(o.try_skipped), o.passes ~= nil }, "commit"
  local function test_of(subject)
    if subject.place < 80 or subject.place > 130 then return subject.place < at end
    tried = tried + 1
    error(reg.skip("exit code 2", "cc -c l.c\nl.c:7:18: error: no member 'm" .. subject.place .. "'\n  7 | x;\n    | ^\n"
      .. "cc1: some warnings\nmake: *** [makefile:3: /tmp/" .. subject.id .. ".o] Error 1", "build_failed"), 0)
  end
  if o.passes then
    o.passes = test_of
  else
    function o.measure(subject) return test_of(subject) and 100 or 80 end
  end
  return reg.sweep(subjects(200), o), tried
end

test("of a range that is broken for one reason a few are tried, and the rest is assumed to fail alike", function()
  for _, at in ipairs { 40, 100, 131, 160 } do
    local series, tried = broken_range(at, { passes = true })
    local change = series.changes[1]
    local inside = at >= 80 and at <= 131
    test.equal({ change.last_good, change.first_bad, change.untested }, { inside and "s079" or
      string.format("s%03d", at - 1), inside and "s131" or string.format("s%03d", at), inside and 51 or 0 })
    test.truthy(tried <= 15, tried .. " of 51 tried")
    if inside then
      test.equal({ series.skipped, #series.assumed }, { 51, 51 - tried })
      local found = findings(series)
      test.equal(#found.changes[1].candidates, 52)
      test.equal(report_words.skipped_ranges(found), { "51 commits skipped (s080..s130): l.c:7:18: error: no member 'm80' ("
        .. tried .. " tried, " .. 51 - tried .. " assumed to fail alike)" })
    end
  end
  local noisy, tried = broken_range(110, { min_effect = 0.02 })
  test.equal({ noisy.changes[1].last_good, noisy.changes[1].first_bad, noisy.skipped }, { "s079", "s131", 51 })
  test.truthy(tried <= 15, tried .. " of 51 tried")
end)

test("with try_skipped, or where the reasons differ, each is tried", function()
  local series, tried = broken_range(100, { passes = true, try_skipped = true })
  test.equal({ tried, #series.assumed, series.skipped }, { 51, 0, 51 })
  local differing = reg.sweep(subjects(40), { into = "broken.db", passes = function(subject)
    if subject.place < 10 or subject.place > 30 then return subject.place < 20 end
    return reg.skip("no " .. ("z"):rep(subject.place), "", "build_failed")
  end })
  test.equal({ differing.changes[1].untested, differing.skipped, #differing.assumed }, { 21, 21, 0 })
end)

test("passes: the last good one is run twice and the first bad one three times, and any pattern is an answer", function()
  local function sweep_of(n, passes, o)
    local runs = {}
    o = o or {}
    o.into, o.kind, o.config = "pattern.db", "night", { n, o.every }
    function o.passes(subject)
      runs[#runs + 1] = subject.place
      return passes(subject.place)
    end
    return reg.sweep(subjects(n), o), runs
  end
  local broke, runs = sweep_of(100, function(place) return place < 40 end)
  local times = {}
  for _, place in ipairs(runs) do times[place] = (times[place] or 0) + 1 end
  test.equal({ times[39], times[40] }, { 2, 3 })
  for place, count in pairs(times) do test.truthy(count == 1 or place == 39 or place == 40, place .. " again") end
  test.equal({ broke.changes[1].first_bad, broke.runs <= 12, findings(broke).changes[1].role, broke.moves },
    { "s040", true, "regression" })
  local fixed = sweep_of(101, function(place) return place >= 40 end)
  test.equal({ fixed.changes[1].first_bad, findings(fixed).changes[1].role }, { "s040", "improvement" })
  local good = sweep_of(9, function() return true end)
  test.equal({ good.verdict, good.why }, { "no_change" })
  test.equal(report_words.lines(findings(good)), { "The test passes at all 2 nights that were run. A temporary change of fewer "
    .. "than 8 nights could be missed." })
  local bad = sweep_of(9, function() return false end, { every = true })
  test.equal(report_words.lines(findings(bad)), { "The test fails at all 9 nights that were run." })
  test.equal(reg.largest { changes = { { kind = "step", ratio = 0, id = 1 }, { kind = "step", id = 2 } } }.id, 2)
end)

test("a time-out gives no result, or a failure with timeout_is_bad, for which its limit counts", function()
  local runs = 0
  local function sweep_of(timeout, bad)
    return reg.sweep({ "a", "b" }, { into = "timeouts.db", config = {}, passes = function(name, trial)
      runs = runs + 1
      return trial:test({ shell = name == "a" and "true" or "exec sleep 600", timeout_s = timeout },
        { timeout_is_bad = bad })
    end })
  end
  local skipped = sweep_of(0.2)
  test.equal({ skipped.verdict, skipped.points[2].status }, { "inconclusive", "timeout" })
  local before = runs
  local series = sweep_of(0.2, true)
  test.equal({ series.changes[1].first_bad, series.reused, runs > before }, { "b", 0, true })
  test.equal({ sweep_of(0.2, true).reused, sweep_of(0.3, true).reused }, { 5, 0 })
end)

test("a test passes, fails, or says nothing: time-out, no such command, another failure than the crash", function()
  local function verdict(shell, crash)
    local passed
    local series = reg.sweep({ "s" }, { into = "passes.db", config = { shell, crash }, every = true, measure = function(_, trial)
      passed = trial:passes({ shell = shell, timeout_s = 0.5 }, crash)
      return passed and 1 or 2
    end })
    return passed, series.points[1].status
  end
  test.equal({ verdict "true" }, { true, "ok" })
  test.equal({ verdict "exit 3" }, { false, "ok" })
  test.equal({ verdict("echo Segmentation fault >&2; exit 3", "Segmentation fault") }, { false, "ok" })
  for shell, status in pairs { ["sleep 60"] = "timeout", ["exit 125"] = "test_failed", ["no-such-command"] = "test_failed" } do
    local passed, told = verdict(shell)
    test.equal({ passed, told }, { nil, status }, shell)
  end
  test.equal(select(2, verdict("exit 3", "Segmentation fault")), "test_failed")
  test.equal(select(2, verdict("kill -ABRT $$", "Segmentation fault")), "crashed")
end)

return test.finish()
