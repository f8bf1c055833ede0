-- When a search ends early: the test itself fails, or the ends are not what the user said they are.

local test = require "harness"
local shown = require "shown"

-- A sweep of subjects s1, s2, ... with measure(place, trial): the series, and how many runs were made.
local function sweep(n, measure, o)
  local subjects, options, runs = test.subjects(n), test.merged({ config = {} }, o), 0
  options.into = options.into or test.fresh ".db"
  function options.measure(subject, trial)
    runs = runs + 1
    return measure(subject.place, trial)
  end
  return reg.sweep(subjects, options), runs
end

local function failing(message, status) return function() return reg.skip(message, "", status) end end

-- Several at a time: the others of the first look run beside them.
test("both ends are measured before anything else, unless each is measured in turn", function()
  for i, o in ipairs { {}, { parallel = 4 }, { exact = true }, { flaky = true }, { min_width = 2 },
    { first_look = 9, parallel = 3 } } do
    local started, finished, before = {}, 0, nil
    sweep(20, function(place)
      started[#started + 1] = place
      if #started == 3 then before = finished end
      reg.sleep(0.002)
      finished = finished + 1
      return place <= 13 and 0 or 1
    end, o)
    local first = { started[1], started[2] }
    table.sort(first)
    test.equal({ first, before }, { { 1, 20 }, o.parallel and 0 or 2 }, "kind " .. i)
  end
end)

test("failures that differ, a number among them, or keep_going do not end it", function()
  local different = sweep(14, function(place)
    return reg.skip(({ "no device", "no memory", "no luck", "no time" })[place % 4 + 1])
  end)
  test.truthy(different.runs > 3 and not different.stopped, "different failures: " .. different.runs .. " runs")
  local status = sweep(14, function(place) return reg.skip("no", "", place % 2 == 0 and "crashed" or "test_failed") end)
  test.truthy(status.runs > 3, "another status")
  local ends = sweep(40, function(place)
    if place < 4 or place > 36 then return reg.skip "broken" end
    return place < 20 and 5 or 4
  end)
  test.equal({ ends.verdict, ends.changes[1].first_bad }, { "changes", "s20" })
  local late = sweep(40, function(place) return place == 1 and 5 or reg.skip "broken" end)
  test.truthy(late.runs > 4 and not late.stopped, "after a number: " .. late.runs .. " runs")
  local going = sweep(14, failing "broken", { keep_going = true })
  test.truthy(going.runs > 3 and not going.stopped, "keep_going: " .. going.runs .. " runs")
end)

test("ends that do not reproduce the reported numbers end it", function()
  local function reported(good, bad, skipped)
    return sweep(20, function(at)
      if at == skipped then return reg.skip "broken" end
      return at < 8 and good or bad
    end, { metric = "MLUPS: {number}", reported = { good = 587, bad = 518 } })
  end
  local hint = "Compare the machine, the driver, the clocks and the options with those of the report, "
    .. "or omit --good-value and --bad-value."
  for _, case in ipairs { { 580, 579 }, { 518, 587 }, { 587, 553 } } do
    local series, runs = reported(case[1], case[2])
    local why = "the ends do not reproduce the report: MLUPS %d -> %d here, 587 -> 518 reported"
    test.equal({ series.verdict, series.why, #series.changes, #series.doubts, runs, series.runs },
      { "inconclusive", why:format(case[1], case[2]), 0, 0, 4, 4 })
    test.equal(shown(series)[2], hint)
  end
  test.equal(reported(587, 552).changes[1].first_bad, "s8")
  -- Where an end fails, a place near it stands for it.
  test.equal(reported(587, 518, 1).changes[1].first_bad, "s8")
  test.truthy(reported(587, 586, 20).why:find "do not reproduce the report: MLUPS 587 %-> 586")
  for _, wrong in ipairs { { good = 5, bad = 5 }, { good = 5 }, 5 } do
    test.raises("must be two different numbers", function() sweep(3, print, { reported = wrong }) end, "usage")
  end
end)

test("noise does not decide whether the ends reproduce the report: several runs of each do", function()
  -- The first run of each end is off by 2 % to the side that `luck` says.
  local function reported(change, luck)
    local made = {}
    local series = sweep(20, function(at)
      made[at] = (made[at] or 0) + 1
      local off = made[at] == 1 and (at == 1 or at == 20) and luck * (at < 8 and 0.02 or -0.02) or 0.004 * ((made[at] * 7 + at * 3) % 5 - 2)
      return 587 * (at < 8 and 1 or 1 + change) * (1 + off)
    end, { metric = "MLUPS: {number}", reported = { good = 587, bad = 546 } })
    return series
  end
  local series = reported(-0.012, 1)
  test.equal({ series.verdict, #series.changes }, { "inconclusive", 0 })
  test.truthy(series.why:find "^the ends do not reproduce the report: MLUPS 5[89]%d[%d.]* %-> 5[78]%d[%d.]* here", series.why)
  test.equal(reported(-0.07, -1).changes[1].first_bad, "s8")
end)

return test.finish()
