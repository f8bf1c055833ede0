local test = require "harness"

-- A function of the place with steps at each `first` of { { first =, ratio = }, ... }.
local function steps(list, sigma)
  return function(i)
    local level = 100
    for _, step in ipairs(list) do
      if i >= step.first then level = level * step.ratio end
    end
    return level * math.exp((sigma or 0) * test.normal())
  end
end

local function places(answer)
  local list = {}
  for _, c in ipairs(answer.changes) do
    list[#list + 1] = c.kind .. " " .. c.lo .. ">" .. c.hi .. (c.leave_hi and " " .. c.leave_lo .. ">" .. c.leave_hi or "")
  end
  return table.concat(list, ", ")
end

test("a step is found at its place, and the answer says how sure it is", function()
  local answer = reg.search { n = 64, measure = steps({ { first = 41, ratio = 0.9 } }, 0.002) }
  test.equal({ answer.verdict, places(answer) }, { "changes", "step 40>41" })
  local c = answer.changes[1]
  test.near(c.ratio, 0.9, 0.01)
  test.near(c.effect, -0.1, 0.01)
  test.truthy(c.effect_low <= c.effect and c.effect <= c.effect_high, "the effect lies in its interval")
  test.truthy(c.before_low <= c.before and c.before <= c.before_high, "so does the level")
  test.truthy(c.p > 0.9 and c.p <= 1, "p " .. c.p)
  test.truthy(answer.runs < 40, answer.runs .. " runs")
  -- What was asked, why, and what came of it.
  test.equal({ #answer.asked, answer.asked[1].reason }, { answer.runs, "first_look" })
  local known = { first_look = true, split = true, ["repeat"] = true, confirm = true, odd_one = true, retry = true,
    rest = true, link = true }
  local splits, last_round = 0, 1
  for _, a in ipairs(answer.asked) do
    test.truthy(known[a.reason], a.reason)
    test.truthy(a.place >= 1 and a.place <= 64 and a.lo >= 1 and a.hi <= 64, "places are 1 to n")
    test.truthy(a.value > 50, "its value")
    test.truthy(a.round >= last_round, "in the order of rounds")
    last_round = a.round
    if a.reason == "split" then
      splits = splits + 1
      test.truthy(a.lo < a.place and a.place < a.hi and a.p > 0, "a split lies between its neighbours")
    end
  end
  test.truthy(splits > 0, "splits are called so")
end)

test("a dip of min_width is found, and told from two steps", function()
  local answer = reg.search { n = 64, min_width = 6,
    measure = steps({ { first = 30, ratio = 0.8 }, { first = 38, ratio = 1 / 0.8 } }, 0.001) }
  test.equal(places(answer), "dip 29>30 37>38")
  test.truthy(answer.narrowest_dip <= 6, "narrowest dip " .. answer.narrowest_dip)
end)

test("failures: what cannot be built is not asked for again; an error of the script is raised", function()
  local broken = {}
  local answer = reg.search { n = 32, measure = function(i)
    if i >= 14 and i <= 18 then
      broken[i] = (broken[i] or 0) + 1
      return reg.skip("no", "", "build_failed")
    end
    if i == 5 then error(reg.skip("no", "", "crashed"), 0) end
    return steps({ { first = 16, ratio = 0.8 } }, 0.001)(i)
  end }
  test.equal(places(answer), "step 13>19")
  for i, count in pairs(broken) do test.equal(count, 1, "place " .. i) end
  local failed
  for _, a in ipairs(answer.asked) do failed = failed or a.failed end
  test.equal(failed, "broken")
  local none = reg.search { n = 30, measure = function() return reg.skip "no" end }
  test.equal({ none.verdict, none.runs < 30 }, { "inconclusive", true })
  test.has(none.why, "no place that was tried gave a number")
  test.raises("my own mistake", function() reg.search { n = 9, measure = function() error("my own mistake") end } end)
  test.raises("must return a number", function() reg.search { n = 9, measure = function() return {} end } end, "usage")
end)

test("parallel: the places of a round run side by side, and the answer is the same as told in order", function()
  local now, most = 0, 0
  local f = steps({ { first = 41, ratio = 0.9 } })
  local answer = reg.search { n = 64, parallel = 4, measure = function(i)
    now = now + 1
    most = math.max(most, now)
    reg.sleep(0.002)
    now = now - 1
    return f(i)
  end }
  test.equal(places(answer), "step 40>41")
  test.truthy(most > 1 and most <= 4, most .. " at a time")
  test.truthy(answer.rounds < answer.runs, "rounds " .. answer.rounds)
end)

test("noise that does not grow with the numbers makes no changes beside small ones", function()
  -- Run times of 1 s and 6 s, each with up to 32 ms of something else.
  for n, histories in pairs { [12] = 60, [150] = 60 } do
    local wrong = 0
    for history = 1, histories do
      math.randomseed(history)
      local at = math.random(2, n)
      local answer = reg.search { n = n, measure = function(i) return (i < at and 1 or 6) + math.random() * 0.032 end }
      if places(answer) ~= ("step %d>%d"):format(at - 1, at) then wrong = wrong + 1 end
    end
    test.truthy(wrong <= 1, wrong .. " of " .. histories .. " histories of " .. n)
  end
end)

test("without measure it is the stepper", function()
  local search = reg.search { n = 100, exact = true }
  local rounds = 0
  local round = search:ask()
  test.equal(search:ask(), round, "until it is told")
  while #round > 0 do
    rounds = rounds + 1
    for _, request in ipairs(round) do
      if request.place == 50 then search:fail(50, "broken") else search:tell(request.place, request.place < 62 and 0 or 1) end
    end
    round = search:ask()
  end
  test.equal({ places(search:answer()), search:answer().rounds }, { "step 61>62", rounds })
  test.refuses("usage", search.tell, { { "not a valid place: 101", search, 101, 1 }, { "not finite", search, 1, 1 / 0 } })
  test.refuses("usage", search.fail, { { "not a valid place: 0", search, 0, "broken" },
    { "broken or crashed", search, 1, "sad" } })
end)

-- On a machine that others load by turns, a run takes as long as alone, or about twice as long, several in a row.
local function loaded_by_turns(seed)
  local state, slow = seed, false
  local function random()
    state = state * 6364136223846793005 + 1442695040888963407
    return (state >> 33) / 2147483648
  end
  return function()
    if random() < 0.35 then slow = not slow end
    return slow and 1.5 + 0.7 * random() or 1 + 0.12 * random()
  end
end

test("few builds between ends that differ are measured until a place is sure, or the budget is spent", function()
  for seed = 1, 8 do
    local at, noise = 2 + seed % 8, loaded_by_turns(seed)
    local found = reg.search { n = 9, ends = true, measure = function(place)
      return (place >= at and 160 or 100) * noise()
    end }
    local wanted = found.runs < 200 and string.format("step %d>%d", at - 1, at) or ""
    test.equal({ found.ends.differ, places(found) }, { true, wanted }, "history " .. seed)
  end
end)

test("of these, one that cannot be built is tried once", function()
  for seed = 1, 8 do
    local noise, tries = loaded_by_turns(seed), 0
    reg.search { n = 9, ends = true, measure = function(place)
      if place ~= 5 then return (place > 5 and 130 or 100) * noise() end
      tries = tries + 1
      return reg.skip("no compiler", "", "build_failed")
    end }
    test.truthy(tries <= 1, tries .. " tries of history " .. seed)
  end
end)

test("what is refused", function()
  test.refuses("usage", reg.search, { { "'n' must be the number of places", { measure = print } },
    { "did you mean 'min_effect'", { n = 3, min_efect = 1 } }, { "min_effect", { n = 3, min_effect = 0 / 0 } },
    { "max_error", { n = 3, max_error = 1 } }, { "budget", { n = 3, budget = -1 } },
    { "parallel", { n = 3, parallel = 0 } }, { "min_width", { n = 3, min_width = -1 } },
    { "both exact and flaky", { n = 3, exact = true, flaky = true } },
    { "failure rate", { n = 3, flaky = true, min_effect = 1 } } })
end)

return test.finish()
