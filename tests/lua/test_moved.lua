-- A machine that changes while a noisy number is searched for: the good end is run again, and what that leads to.

local test = require "harness"
local shown = require "shown"

-- A machine: `speeds` is a list of { runs, speed }, each for so many runs; the last one stays. Subjects from place
-- `bad` on are 10 % slower. `made` is the places that were run, in order.
local function machine_of(speeds, bad) return { speeds = speeds, bad = bad or math.huge, made = {}, noise = 0.002 } end

local function run_on(machine, place)
  local made = machine.made
  made[#made + 1] = place
  if machine.breaks_at == #made then error("broken off", 0) end
  if machine.fails and machine.fails[#made] then return reg.skip("no number", "", "crashed") end
  local speed, runs = 1, 0
  for _, phase in ipairs(machine.speeds) do
    speed = phase[2]
    runs = runs + phase[1]
    if #made <= runs then break end
  end
  return (place < machine.bad and 100 or machine.slow or 90) * speed * (1 + machine.noise * test.noise())
end

local function subjects(n, from) return table.move(test.subjects(n, "s%03d"), from or 1, n, 1, {}) end

local function sweep(machine, o, n)
  local options = test.merged({ config = {}, metric = "v", min_effect = 0.01, into = test.fresh ".db" }, o)
  function options.measure(subject) return run_on(machine, subject.place) end
  return reg.sweep(subjects(n or 100), options)
end

local function changes(series)
  return table.concat(test.map(series.changes, function(change) return change.last_good .. ">" .. change.first_bad end), " ")
end

-- Whether all that is said is the step at `at`, perhaps not narrowed down.
local function says_at_most(series, at)
  for _, change in ipairs(series.changes) do
    local lo, hi = tonumber(change.last_good:sub(2)), tonumber(change.first_bad:sub(2))
    if not (lo < at and at <= hi and (change.open or hi == lo + 1)) then return false end
  end
  return #series.changes <= 1
end

local function reasons(series)
  local counts = { check = 0, witness = 0, moved = 0 }
  for _, entry in ipairs(series.asked) do counts[entry.reason] = (counts[entry.reason] or 0) + 1 end
  return counts
end

local STEADY = { { 1, 1 } }

test("on a steady machine it costs one run, the last one; the same question again runs nothing", function()
  for _, case in ipairs { { 100, 38, "s037>s038" }, { 100 }, { 2, 2, "s001>s002" }, { 2 }, { 40, 20, "s019>s020", true } } do
    local n, bad, wanted, every = table.unpack(case)
    local o = { into = test.fresh ".db", every = every }
    local series = sweep(machine_of(STEADY, bad), o, n)
    test.equal({ changes(series), series.moves, reasons(series).check }, { wanted or "", nil, 1 })
    local last = series.asked[#series.asked]
    test.equal({ last.place, last.reason, last.why }, { 1, "check", "checks that it still measures the same" })
    local again = sweep(machine_of(STEADY, bad), o, n)
    test.equal({ again.runs, again.reused, changes(again) }, { 0, series.runs, changes(series) })
  end
end)

test("a machine that gets slower is named, the answer is right, and the same comes out again in 0 runs", function()
  for _, bad in ipairs { math.huge, 38 } do
    for after = 2, 11 do
      local o, what = { into = test.fresh ".db" }, string.format("slower after %d runs, bad from %s", after, bad)
      local machine = machine_of({ { after, 1 }, { 1, 0.93 } }, bad)
      local series = sweep(machine, o)
      -- Nothing is to be said if the search was at its end.
      local late = #machine.made <= after or bad == math.huge and after >= 7
      test.equal(changes(series), bad == 38 and "s037>s038" or "", what)
      test.truthy(series.moves or late, what .. ": not named")
      if series.moves then
        local move = series.moves[1]
        test.equal({ #series.moves, move.label, move.sure }, { 1, "s001", true }, what)
        test.near(move.after / move.before, 0.93, 0.005, what)
        for _, entry in ipairs(move.stands and {} or series.asked) do
          local good = entry.place < bad and 93 or 83.7
          test.near(entry.value, good, 1, what .. ": an old number counts")
        end
      end
      test.equal(#machine.made, series.runs)
      local again = sweep(machine, o)
      test.equal({ again.runs, again.reused, changes(again), again.verdict }, { 0, series.runs, changes(series),
        series.verdict }, what)
      test.equal({ table.unpack((shown(again)), 2) }, { table.unpack((shown(series)), 2) }, what)
    end
  end
end)

test("a change that only the machine made is not reported", function()
  local machine = machine_of { { 11, 1 }, { 1, 0.9 } }
  local series = sweep(machine, { every = true }, 20)
  test.equal({ changes(series), series.verdict, #series.moves }, { "", "no_change", 1 })
  test.truthy(series.moves[1].unused >= 20 and #series.set_aside == series.moves[1].unused)
  test.equal(#series.points, 20)
end)

-- A search for place 38 with the same noise each time.
local function again(speeds, o)
  test.seed(1)
  return sweep(machine_of(speeds, 38), o or {})
end

test("if the machine moved, the sides of a change are measured again, back to back", function()
  local whole = again(STEADY)
  local series, sides = again { { whole.runs - 1, 1 }, { 1, 0.9 } }, {}
  test.equal({ changes(series), #series.moves }, { "s037>s038", 1 })
  for _, entry in ipairs(series.asked) do
    if entry.reason == "moved" then sides[#sides + 1] = entry end
  end
  test.equal({ #sides, sides[1].place, sides[2].place, sides[2].trial - sides[1].trial }, { 2, 37, 38, 1 })
end)

test("if nothing else changed and the machine moved at the very end, the answer stands", function()
  local machine = machine_of { { 7, 1 }, { 1, 0.9 } }
  local series = sweep(machine, {})
  test.equal({ series.verdict, changes(series), series.moves[1].sure, series.moves[1].unused }, { "no_change", "", true })
  test.equal(series.runs, #series.asked + 4)
  local said = table.concat(shown(series), " ")
  test.truthy(said:find "The machine changed between .* v of s001 went from [%d.]+ to [%d.]+ %(%-[%d.]+ %%%); " and
    said:find("; the answer stands.", 1, true), said)
end)

test("a machine that moves by far less than the change is named, and no run is thrown away", function()
  local named = 0
  for after = 6, 22 do
    local machine, o = machine_of({ { after, 1 }, { 1, 0.97 } }, 4), { into = test.fresh ".db" }
    machine.slow = 600
    local series = sweep(machine, o, 6)
    local unused = series.moves and series.moves[1].unused
    test.equal({ series.verdict, changes(series), unused }, { "changes", "s003>s004" }, after .. " runs")
    named = named + (series.moves and 1 or 0)
    test.equal({ changes(sweep(machine, o, 6)), series.runs }, { "s003>s004", #machine.made }, after .. " runs")
  end
  test.truthy(named > 1, named .. " named")
end)

test("neither one burst of load nor an odd first run is taken for a move", function()
  local burst = machine_of { { 7, 1 }, { 1, 0.9 }, { 1, 1 } }
  local series = sweep(burst, {})
  test.equal({ series.verdict, series.moves, reasons(series).check }, { "no_change", nil, 2 })
  local odd = machine_of({ { 1, 0.9 }, { 1, 1 } }, 38)
  series = sweep(odd, {})
  test.equal({ changes(series), series.moves, reasons(series).witness }, { "s037>s038", nil, 1 })
end)

test("numbers of an earlier search that began elsewhere are compared with the machine, too", function()
  local into = test.fresh ".db"
  local function of(machine, from)
    return reg.sweep(subjects(100, from), { into = into, config = {}, metric = "v", min_effect = 0.01, measure = function(subject)
      return run_on(machine, subject.place)
    end })
  end
  of(machine_of(STEADY), 5)
  local series = of(machine_of { { 1, 0.9 } }, 1)
  test.equal({ changes(series), series.verdict, #series.moves, series.moves[1].label }, { "", "no_change", 1, "s100" })
end)

test("the budget is never exceeded, and without a run left nothing is said", function()
  local whole = again(STEADY)
  local none = again(STEADY, { budget = whole.runs - 1 })
  test.equal({ none.runs, none.moves, changes(none), reasons(none).check }, { whole.runs - 1, nil, "s037>s038", 0 })
  local one = again({ { whole.runs - 1, 1 }, { 1, 0.9 } }, { budget = whole.runs })
  test.equal({ one.runs, #one.moves, one.moves[1].sure, changes(one) }, { whole.runs, 1, false, "" })
  test.equal({ one.verdict, one.why }, { "inconclusive",
    "the machine may have changed, and the budget of " .. whole.runs .. " runs is spent" })
  test.has(table.concat(shown(one), " "), "The machine may have changed: v of s001 was 1")
  for budget = 4, 30 do
    local machine = machine_of({ { 6, 1 }, { 1, 0.9 } }, 38)
    local series = sweep(machine, { budget = budget })
    test.truthy(series.runs <= budget and #machine.made <= budget, budget .. ": " .. series.runs .. " runs")
    local checked = reasons(series).check > 0
    test.truthy(not checked or says_at_most(series, 38), budget .. ": " .. changes(series))
    if series.moves and series.moves[1].sure and series.verdict == "inconclusive" and series.runs == budget then
      test.equal(series.why, "the machine changed, and the budget of " .. budget .. " runs is spent")
    end
  end
end)

test("a good end that gives no number any more is said, and the answer stands", function()
  local machine = machine_of(STEADY)
  machine.fails = { [8] = true }
  local series = sweep(machine, {})
  test.equal({ series.verdict, series.moves[1].failed, series.runs }, { "no_change", "crashed", 8 })
  test.has(table.concat(shown(series), " "), "Run again, s001 gave no number (crashed).")
end)

test("a machine that keeps changing has no answer, unless a change is far larger than that", function()
  local changing = {}
  for i = 1, 60 do changing[i] = { 8, 0.9 ^ i } end
  local none = sweep(machine_of(changing, 38), {})
  test.equal({ none.verdict, none.why, #none.moves }, { "machine_changed", "it changed 3 times during the search", 3 })
  for _, case in ipairs { { 6, 12 }, { 10, 18 }, { 16, 12 }, { 16, 15 } } do
    local n, every = table.unpack(case)
    local bad, speeds, named = n * 2 // 3, {}, 0
    for i = 1, 90 do speeds[i] = { every, 0.93 ^ i } end
    for seed = 1, 5 do
      test.seed(seed)
      local machine, o = machine_of(speeds, bad), { into = test.fresh ".db", together = true }
      machine.slow = 600
      local series, what = sweep(machine, o, n), n .. " subjects, seed " .. seed
      local culprit = string.format("s%03d>s%03d", bad - 1, bad)
      test.equal({ series.verdict, changes(series) }, { "changes", culprit }, what)
      local stored = sweep(machine, o, n)
      test.equal({ stored.runs, stored.verdict, changes(stored) }, { 0, "changes", culprit }, what .. ", again")
      if #(series.moves or {}) == 3 then
        named = named + 1
        test.has(table.concat(shown(series), " "), "The search ended early: the machine changed 3 times.")
      end
    end
    test.truthy(named > 0, n .. " subjects")
  end
end)

test("pass and fail, flaky and exact searches, and one build have no such run", function()
  local function checks(o, n)
    local machine = machine_of(STEADY, 38)
    machine.noise = 0
    local series = sweep(machine, o, n)
    return reasons(series).check
  end
  test.equal({ checks { exact = true }, checks({}, 1) }, { 0, 0 })
  local flaky = reg.sweep(subjects(9), { into = test.fresh ".db", config = {}, flaky = true, measure = function() return 0 end })
  test.equal(reasons(flaky).check, 0)
end)

test("with several at a time it waits for the round", function()
  local state = { now = 0, alone = true, made = 0 }
  local series = reg.sweep(subjects(100), { into = test.fresh ".db", config = {}, parallel = 4, measure = function(subject)
    state.now, state.made = state.now + 1, state.made + 1
    local mine = state.made
    reg.sleep(0.002)
    if mine == state.made and subject.place == 1 and mine > 1 then state.alone = state.alone and state.now == 1 end
    state.now = state.now - 1
    return subject.place < 38 and 100 or 90
  end })
  test.equal({ changes(series), reasons(series).check, state.alone }, { "s037>s038", 1, true })
end)

-- The stored trials of a finished search without the last one, in a new store; `edit` changes their lines.
local function changed_store(edit)
  local into, older = test.fresh ".db", test.fresh ".db"
  sweep(machine_of(STEADY, 38), { into = into })
  local store <close> = reg.store.open(into)
  store:export "trials.jsonl"
  local lines = test.lines(reg.fs.read "trials.jsonl")
  lines[#lines] = nil  -- the check
  for i, line in ipairs(lines) do lines[i] = edit(line, i) end
  reg.fs.write("older.jsonl", table.concat(lines, "\n") .. "\n")
  local other <close> = reg.store.open(older)
  test.equal(other:import("older.jsonl").imported, #lines)
  return older
end

test("the good end is checked again after half an hour, but not in a finished search of an older engine", function()
  for pause, checks in pairs { [1700] = 1, [1900] = 2 } do
    local older = changed_store(function(line, i)
      return (line:gsub('"(%l+ed)":([%d.]+)', function(name, time)
        return ('"%s":%.4f'):format(name, time - (i <= 5 and pause or 0))
      end))
    end)
    local series = sweep(machine_of(STEADY, 38), { into = older })
    test.equal({ reasons(series).check, series.runs, changes(series) }, { checks, checks, "s037>s038" }, pause .. " s")
  end
  local older = changed_store(function(line)
    local without, count = line:gsub('"session":[%d.e+]+', '"other":0')
    test.equal(count, 1, line)
    return without
  end)
  local machine = machine_of(STEADY, 38)
  local series = sweep(machine, { into = older })
  test.equal({ series.runs, #machine.made, changes(series) }, { 0, 0, "s037>s038" })
end)

test("each trial says on which machine it ran, how busy that was, and in which sweep", function()
  local into = test.fresh ".db"
  local series = sweep(machine_of(STEADY), { into = into })
  local store <close> = reg.store.open(into)
  local trials = store:trials {}
  test.equal(#trials, series.runs)
  local host = store:investigations()[1].host
  for _, trial in ipairs(trials) do
    local machine = trial.info.machine
    test.equal({ machine.host, trial.info.session }, { host, trials[1].started })
    test.truthy(machine.load_start >= 0 and machine.load_end >= 0)
  end
end)

return test.finish()
