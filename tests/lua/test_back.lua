-- A search without a good end: reg.sweep with a function of n goes back by 1, 2, 4, 8 ... subjects to a good one.

local test = require "harness"

local files = 0

-- A line of n letters, of which the first `good` are good.
local function letters(n, good)
  local all = {}
  for i = 1, n do all[i] = { id = string.char(96 + i), good = i <= good } end
  return function(back)
    local from = math.max(1, n - back)
    return table.move(all, from, n, 1, {}), from == 1
  end
end

-- The series of a search, and the letters in the order in which they were measured.
local function search(line, o, measure, how)
  local options, order = { kind = "letter", config = {} }, {}
  for name, value in pairs(o) do options[name] = value end
  files = files + 1
  options.into = options.into or "back" .. files .. ".db"
  options[o.metric and "measure" or "passes"] = function(letter)
    order[#order + 1] = letter.id
    return measure(letter, #order)
  end
  return (how or reg.sweep)(line, options), table.concat(order)
end

local function passes(letter) return letter.good end

test("it doubles its steps until one passes, and searches between", function()
  local series, order = search(letters(26, 7), {}, passes)
  test.equal({ order:sub(1, 7), series.changes[1].last_good, series.changes[1].first_bad }, { "zyxvrja", "g", "h" })
end)

test("the runs on the way back are those of the search, and count once", function()
  local series, order = search(letters(26, 7), { into = "once.db" }, passes)
  test.equal({ order:sub(1, 7), series.changes[1].first_bad, series.runs }, { "zyxvrja", "h", #order })
  local again, more = search(letters(26, 7), { into = "once.db" }, passes)
  test.equal({ again.changes[1].first_bad, again.runs, more }, { "h", 0, "" })
end)

test("it says how far it went", function()
  local series = search(letters(26, 23), {}, passes)
  local back = series.back
  test.equal({ back.id, back.distance, back.unit, back.words, back.from, back.runs },
    { "v", 4, "letter", "4 letters", "z", 4 })
end)

test("a subject without a number is passed over", function()
  local series, order = search(letters(26, 20), { into = "skip.db" }, function(letter)
    if letter.id == "v" or letter.id == "u" then return reg.skip "does not build" end
    return letter.good
  end)
  test.equal({ order:sub(1, 6), series.back.id, series.changes[1].first_bad }, { "zyxvut", "t", "w" })
end)

test("a number counts as good that is nearer to the good value, at three runs", function()
  local series, order = search(letters(26, 20), { metric = "speed", reported = { good = 103 }, budget = 60 },
    function(letter, n) return (letter.good and 100 or 90) + n * n * 7919 % 101 / 100 end)
  test.equal(order:sub(1, 9), "zzzyxvrrr")
  test.equal({ series.back.id, series.changes[1].first_bad }, { "r", "u" })
end)

test("what ends it: the first subject, the budget, a bad end that is good or has no number", function()
  local function why(n, good, o, measure)
    local series = search(letters(n, good), o, measure or passes)
    test.equal({ series.verdict, #series.changes, series.back }, { "inconclusive", 0, nil })
    return series.why
  end
  test.equal(why(5, 0, {}), "nothing good to go back to: a (4 letters back) is the first one, and it fails, too")
  test.equal(why(6, 0, {}), "nothing good to go back to: a (5 letters back) is the first one, and it fails, too")
  test.equal(why(1, 0, {}), "nothing good to go back to: a (0 letters back) is the first one, and it fails, too")
  test.equal(why(26, 0, { budget = 3 }), "the budget of 3 runs is spent, 4 letters back at v")
  test.equal(why(26, 26, {}), "the test passes at the bad letter z")
  test.equal(why(26, 0, {}, function() return reg.skip "no such file" end), "cannot test the bad letter z: no such file")
  test.equal(why(26, 0, { metric = "speed", reported = { good = 50 } }, function() return 50.1 end),
    "the bad letter z is as good as --good-value: speed is 50.1, and 50 was given")
  test.equal(why(3, 0, { metric = "speed", reported = { good = 50 } }, function() return 70.5 end),
    "nothing good to go back to: a (2 letters back) is the first one, and it has 70.5, which is nearer to the bad "
      .. "end's 70.5 than to 50")
end)

test("a number without a good value, and a flaky test, are refused before anything runs", function()
  local function never() error "it ran" end
  test.raises("needs that of the good end", function() search(letters(26, 7), { metric = "speed" }, never) end, "usage")
  test.raises("a flaky test needs a good end", function() search(letters(26, 7), { flaky = true }, never) end, "usage")
end)

test("reg.bisect goes back, too", function()
  local series = search(letters(26, 7), { kind = "commit" }, passes, reg.bisect)
  test.equal({ series.changes[1].first_bad, series.back.words }, { "h", "25 commits" })
end)

return test.finish()
