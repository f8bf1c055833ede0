local test = require "harness"

local function subjects(n) return test.subjects(n, "s%03d") end

-- A sweep over n subjects whose level is level(i), with noise of +- amplitude / 2; fails(i) gives a status or nothing.
local function sweep(n, level, o)
  local runs = 0
  local options = test.merged({ into = test.fresh ".db", config = {}, metric = "v" }, o)
  options.fails, options.amplitude = nil, nil
  function options.measure(subject)
    runs = runs + 1
    local status = o.fails and o.fails(subject.place)
    if status then return reg.skip("no number", "some output", status) end
    return level(subject.place) * (1 + (o.amplitude or 0) * test.noise())
  end
  local series = reg.sweep(subjects(n), options)
  return series, runs
end

local function places(series)
  return table.concat(test.map(series.changes, function(change)
    return change.kind .. " " .. change.last_good .. ">" .. change.first_bad
      .. (change.recovered_at and " ..>" .. change.recovered_at or "")
  end), ", ")
end

test("failed subjects are passed over, recorded and counted", function()
  local series = sweep(60, function(i) return i <= 30 and 100 or 90 end, {
    fails = function(i) return i >= 29 and i <= 33 and "build_failed" end,
  })
  test.equal({ places(series), series.changes[1].untested, #series.changes[1].candidates }, { "step s028>s034", 5, 6 })
  test.equal(series.changes[1].candidates[6].id, series.changes[1].first_bad)
  test.truthy(series.skipped > 0)
  local all = sweep(60, function() return 1 end, { fails = function() return "crashed" end })
  test.equal(all.verdict, "inconclusive")
  test.truthy(all.runs < 60, "a test that always fails is not tried everywhere: " .. all.runs)
end)

test("no change is said where there is none, and not where noise hides what was asked for", function()
  test.seed(1)
  test.equal(sweep(100, function() return 5 end, { amplitude = 0.002 }).verdict, "no_change")
  local noisy = sweep(100, function() return 5 end, { amplitude = 0.4, min_effect = 0.01, budget = 60 })
  test.equal(noisy.verdict, "inconclusive")
  test.truthy(noisy.resolution > 0.1 and noisy.resolution < 0.6, tostring(noisy.resolution))
  test.equal(noisy.finer, 0.01)
  test.truthy(noisy.runs_for_finer > 1000, tostring(noisy.runs_for_finer))
  test.truthy(noisy.runs <= 60, noisy.runs .. " runs of a budget of 60")
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
  test.equal({ runs_again, again.runs, again.reused, again.verdict }, { 0, 0, runs, first.verdict })
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
  test.equal({ second.runs, first.series.runs }, { nights.runs + hours.runs, nights.runs })
  test.equal({ first.series.changes[1].first_bad, first.series.changes[1].hi.place }, { "s021", 21 })
  local points = first.series.points
  test.equal({ #points, points[1].subject.object }, { #nights.points })
  test.equal({ points[#points].status, points[#points].trials }, { "crashed", nights.points[#points].trials })
  test.equal(store:trials({ investigation = rows[1].id })[1].samples.v[1], points[1].values[1])
end)

test("the direction is the metric's unless it is given, and is stored with the unit", function()
  local function direction(o)
    local series = sweep(2, function() return 1 end, o)
    test.equal(series.store:query("SELECT verdict FROM investigations")[1].verdict, nil)
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
  test.refuses("usage", direction, { { 'sweep: better must be "higher" or "lower"', { better = "less" } } })
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
  test.equal({ series.skipped, series.points[4].status }, { 1, "skipped" })
end)

test("measure may give a list or several metrics; nonsense and errors are the script's", function()
  local function one(measure, metric)
    return reg.sweep({ "a", "b" }, { into = test.fresh ".db", config = {}, metric = metric or "v", measure = measure })
  end
  test.equal(one(function() return { 1, 2, 3 } end).points[1].value, 2.0)
  test.equal(one(function() return { v = 7, other = { 1, 2 } } end).points[1].value, 7.0)
  test.raises("returned no metric 'w'", function() one(function() return { v = 7 } end, "w") end)
  test.raises("must return a number", function() one(function() return "7" end) end, "usage")
  test.raises("my own mistake", function() one(function() error("my own mistake") end) end)
  test.refuses("usage", reg.sweep, { { "the list of subjects is empty", {}, { measure = print } },
    { "unknown option 'bugdet' (did you mean 'budget'?)", { "a" }, { measure = print, bugdet = 9 } } })
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

test("where all are measured, none waits for the slowest of four", function()
  local ends = {}
  reg.sweep(subjects(12), { into = "slowest.db", config = {}, parallel = 4, every = true, budget = 12,
    measure = function(subject)
      reg.sleep(subject.place == 6 and 0.5 or 0.01)
      ends[#ends + 1] = subject.place
      return 100
    end })
  test.equal({ #ends, ends[12] }, { 12, 6 })
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
  test.equal({ places(series), series.changes[1].untested }, { "step s030>s031", 0 })
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

test("bisect: by exit code in few runs, and by a flaky test's rate", function()
  local commits = test.subjects(64, "c%02d")
  local function bisect(o)
    o.into, o.config = test.fresh ".db", {}
    return reg.bisect(commits, o)
  end
  local exact = bisect { passes = function(commit) return commit.place < 50 end }
  test.equal({ places(exact), exact.runs }, { "step c49>c50", 11 })

  local function rate(bad, good) return function(commit) return 0.5 + test.noise() >= (commit.place >= 20 and bad or good) end end
  local flaky = bisect { passes = rate(0.9, 0.02), flaky = true }
  test.equal(flaky.verdict, "changes")
  local rates = flaky.changes[1]
  test.truthy(rates.effect > 0.5 and rates.before_low >= 0 and rates.after_high <= 1 and not flaky.exact)
  test.near(rates.effect, rates.after - rates.before, 1e-9)
  test.equal(bisect({ passes = rate(0.02, 0.02), flaky = true }).verdict, "no_change")
  test.equal(bisect({ passes = function() return true end }).verdict, "inconclusive")
end)

test("bisect: where the bad end fails, nothing is said of how the ends differ", function()
  local series = reg.bisect(test.subjects(8, "c%d"), { into = "bad_end.db", config = {}, known_ends = true,
    measure = function(commit) return commit.place < 5 and 100 + test.noise() or reg.skip("boom", "", "crashed") end })
  test.equal({ series.verdict, series.why, series.ends },
    { "inconclusive", "cannot test the bad commit c8: boom" })
end)

test("of failures in a row that differ, each is tried", function()
  local series = reg.sweep(subjects(40), { into = "broken.db", passes = function(subject)
    if subject.place < 10 or subject.place > 30 then return subject.place < 20 end
    return reg.skip("no " .. ("z"):rep(subject.place), "", "build_failed")
  end })
  test.equal({ series.changes[1].untested, series.skipped, #series.assumed }, { 21, 21, 0 })
end)

return test.finish()
