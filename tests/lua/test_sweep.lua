local test = require "harness"

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
  local series = reg.sweep(subjects(n), {
    into = o.into or "sweep" .. files .. ".db", config = o.config or {}, metric = "v", every = o.every, exact = o.exact, grid = o.grid,
    min_effect = o.min_effect, prepare = o.prepare, redo = o.redo,
    measure = function(subject)
      runs = runs + 1
      local status = o.fails and o.fails(subject.place)
      if status then return reg.skip("no number", "some output", status) end
      return level(subject.place) * (1 + (o.amplitude or 0) * noise())
    end,
  })
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
  test.truthy(series.skipped > 0)
  local all = sweep(60, function() return 1 end, { fails = function() return "crashed" end })
  test.equal(all.verdict, "unresolved")
  test.truthy(all.runs < 60, "a test that always fails is not tried everywhere: " .. all.runs)
end)

test("no change is said where there is none, and unresolved where noise hides what was asked for", function()
  test.equal(sweep(100, function() return 5 end, { amplitude = 0.002 }).verdict, "no_change")
  local noisy = sweep(100, function() return 5 end, { amplitude = 0.4 })
  test.equal(noisy.verdict, "unresolved")
  test.truthy(noisy.why:find("noise"), noisy.why)
end)

test("pass and fail cost ceil(log2 N) + 2 runs", function()
  for _, n in ipairs { 2, 3, 9, 100, 1000 } do
    local at = math.max(1, n * 7 // 10)
    local series, runs = sweep(n, function(i) return i <= at and 0 or 1 end, { exact = true, grid = 2 })
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
    amplitude = 0.001, grid = 20, fails = function(i) return plateau[i] == 0 and "test_failed" end,
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
  test.equal(select(2, sweep(9, function() return 1 end, o)), 1)
  o.config = { flag = "other" }
  test.equal(select(2, sweep(9, function() return 1 end, o)), runs)
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
  test.raises("gave no metric 'w'", function() one(function() return { v = 7 } end, "w") end)
  test.raises("must return a number", function() one(function() return "7" end) end, "usage")
  test.raises("my own mistake", function() one(function() error("my own mistake") end) end)
  test.raises("no subjects", function() reg.sweep({}, { measure = print }) end, "usage")
end)

return test.finish()
